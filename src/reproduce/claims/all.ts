/** All claims, in the order of the paper's sections, and their verdicts. */
import type { VerdictRow } from '../report/report.ts';
import { type Claim, type Findings, verdictOf } from './claim.ts';
import { classificationClaims } from './classification.ts';
import { costClaims } from './cost.ts';
import { maskingClaims } from './masking.ts';
import { regressionClaims } from './regression.ts';

export const CLAIMS = [...classificationClaims, ...regressionClaims, ...maskingClaims, ...costClaims];

/** Verdicts on the claims whose experiments were all run. */
export function verdicts(findings: Partial<Findings>, repeats: number): VerdictRow[] {
  return CLAIMS.filter(({ needs }) => needs.every((id) => id in findings)).map((claim) => {
    const { id, section, claim: words, rule, needs } = claim;
    const { parts, note } = claim.decide(findings as Findings);
    const unsettled = parts.filter((part) => part.says.startsWith('leans')).length;
    return {
      id,
      section,
      claim: words,
      rule,
      measured: parts.map((part) => `${SIGN[part.says]} ${part.text}`),
      confidence: confidence(needs, repeats, unsettled, parts.length),
      verdict: verdictOf(parts),
      experiments: [...needs],
      note,
    };
  });
}

const SIGN = { yes: '✓', 'leans to yes': '(✓)', 'leans to no': '(✗)', no: '✗' } as const;

function confidence(needs: Claim['needs'], repeats: number, unsettled: number, parts: number): string {
  if (needs.includes('complexity')) return 'medians of repeated measurements';
  const basis = needs.includes('timing') ? '95%, paired runs' : `95%, ${repeats} repeats`;
  return unsettled === 0 ? basis : `${basis}; ${unsettled} of ${parts} not settled by them`;
}
