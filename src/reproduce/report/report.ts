/** The content of a report, as plain data. All text is plain: nothing in it is read as markup. */
import type { Figure } from '../../charts/figure.ts';

export type Verdict = 'holds' | 'holds in part' | 'does not hold';

/** One claim of the paper and what came of it. */
export interface VerdictRow {
  readonly id: string;
  /** Of the paper. */
  readonly section: string;
  readonly claim: string;
  /** What had to be measured for the claim to hold; fixed before the measurement. */
  readonly rule: string;
  /** What was measured, part by part. */
  readonly measured: readonly string[];
  readonly confidence: string;
  readonly verdict: Verdict;
  /** Ids of the sections of the report that show it. */
  readonly experiments: readonly string[];
  readonly note?: string | undefined;
}

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Section {
  readonly id: string;
  readonly title: string;
  /** Where in the paper: "section 7.2.1, figure 4". */
  readonly paper: string;
  readonly text: readonly string[];
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
  /** Names of files beside the report. */
  readonly files: readonly string[];
}

export interface Report {
  readonly title: string;
  readonly subtitle: string;
  /** What to type to get this report again. */
  readonly command: string;
  readonly facts: readonly (readonly [string, string])[];
  readonly verdicts: readonly VerdictRow[];
  readonly sections: readonly Section[];
}

/** A sign beside each colour: verdicts differ in grey print, and for those who see no difference. */
export const SIGNS: Readonly<Record<Verdict, string>> = {
  holds: '✓',
  'holds in part': '◐',
  'does not hold': '✗',
};

export function countLine(verdicts: readonly VerdictRow[]): string {
  const count = (verdict: Verdict) => verdicts.filter((row) => row.verdict === verdict).length;
  const claims = verdicts.length === 1 ? '1 claim' : `${verdicts.length} claims`;
  return `${claims}: ${count('holds')} hold, ${count('holds in part')} hold in part, ${count('does not hold')} do not hold`;
}
