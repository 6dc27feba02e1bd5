/** The lines of a simulation's report that are about privacy and about who contributes. */
import type { ContributionSummary, RunSummary } from '../sim/summary.ts';
import { decimals, significant } from './number-text.ts';
import type { Style } from './style.ts';
import { type Column, textTable } from './text-table.ts';

/** Suspects are all shown; of the others as many as fit. */
const MOST_ROWS = 12;

/** "epsilon 3.98 of 4 at delta 1e-05, ..." of the first run: all repeats spend alike, but for rounds given up. */
export function privacyText({ privacy }: RunSummary): string | undefined {
  if (!privacy) return undefined;
  const { settings, spent } = privacy;
  const total = `epsilon ${spent.epsilon.toFixed(2)} of ${settings.epsilon.toFixed(2)} at delta ${spent.delta}`;
  return `${total}; clip ${settings.clip}, noise ${significant(settings.noiseMultiplier)} x clip on each sum`;
}

const COLUMNS: readonly Column[] = [
  { title: 'participant', align: 'left' },
  { title: 'cosine', align: 'right' },
  { title: 'norm ratio', align: 'right' },
  { title: 'own share', align: 'right' },
  { title: 'shortened', align: 'right' },
  { title: 'suspected of', align: 'left' },
];

type Judged = RunSummary['participants'][number] & { readonly contribution: ContributionSummary };

/** Of one run; no lines where there is no defence. */
export function contributionTable({ participants }: RunSummary, style: Style): string[] {
  const judged = participants.filter((one): one is Judged => one.contribution !== undefined);
  if (judged.length === 0) return [];
  const suspicious = (one: Judged) => one.contribution.suspicions.length;
  const inOrder = judged.toSorted((a, b) => suspicious(b) - suspicious(a));
  const shown = inOrder.slice(0, Math.max(MOST_ROWS, inOrder.filter(suspicious).length));
  const rows = shown.map(({ id, contribution }) => {
    const { cosine, normRatio, ownShare, shortened, suspicions } = contribution;
    const numbers = [cosine, normRatio, ownShare].map((value) => decimals(value ?? undefined, 3));
    return [id, ...numbers, String(shortened), suspicions.join(', ')];
  });
  const more = judged.length - shown.length;
  if (more > 0) rows.push([`and ${more} more`]);
  return textTable(COLUMNS, rows, style);
}
