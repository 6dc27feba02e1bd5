/** What is audited by default: small generated federations, on which every attack is at its strongest, and one's own data. */
import { makeHarLike } from '../data/generate-har.ts';
import type { Table } from '../data/table.ts';
import type { AuditSetting } from './audit.ts';

/** Few features, few rows: d = 8, n_k = 4 and 20. As many rows again are kept aside, for membership. */
export function generatedSettings(seed: number): AuditSetting[] {
  return [4, 20].map((rows) => ({
    name: `generated, d = 8, n = ${rows}`,
    table: makeHarLike({ participants: 6, rowsPerParticipant: 2 * rows, features: 8, seed }),
    scenario: { ...COMMON, seed },
  }));
}

/** One's own data: at most 100 training rows of each of 20 people. */
export function givenSetting(table: Table, seed: number, positive: string | undefined): AuditSetting {
  return {
    name: table.source,
    table,
    scenario: { ...COMMON, seed, trainRows: 100, ...(positive !== undefined && { positive }) },
  };
}

/** A training that a user might plausibly run, and that the attacks like: one pass for each round, many rounds. */
const COMMON = { passes: 1, rounds: 100, gap: 1e-3, c1: 1, c2: 1, testFraction: 0.5 } as const;
