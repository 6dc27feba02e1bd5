/** What stores keep is sealed in cells of these kinds, whatever they are stored in: each has a version of its own. */
import type { Seal } from '../base/packed.ts';

export const CELLS = {
  federations: { kind: 'kindred federation', version: 1 },
  schemas: { kind: 'kindred schema', version: 1 },
  rounds: { kind: 'kindred round', version: 1 },
  enrolments: { kind: 'kindred enrolment', version: 1 },
  invitations: { kind: 'kindred invitation', version: 1 },
  runs: { kind: 'kindred run', version: 2 },
  members: { kind: 'kindred member', version: 2 },
  tokens: { kind: 'kindred token', version: 1 },
} as const satisfies Record<string, Seal>;

export type CellKind = keyof typeof CELLS;
