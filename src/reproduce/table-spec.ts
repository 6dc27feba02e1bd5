/** A table by its recipe: small enough to be a cache key and to be sent to a thread, which makes the table itself. */
import { makeHarLike } from '../data/generate-har.ts';
import { makeRegression } from '../data/generate-regression.ts';
import { firstParticipants } from '../data/participants.ts';
import type { Table } from '../data/table.ts';

interface Sizes {
  readonly participants: number;
  readonly rows: number;
  readonly features: number;
  readonly seed: number;
}

export type TableSpec =
  | (Sizes & { readonly kind: 'har' })
  | (Sizes & { readonly kind: 'regression'; readonly heterogeneity: 'same' | 'diverse' })
  /** The user's own data: the first so many participants. The fingerprint is of the file's content. */
  | {
      readonly kind: 'given';
      readonly fingerprint: string;
      readonly participants: number;
      /** The value of the target that becomes +1. */
      readonly positive?: string;
    };

/** Makes tables, each once. */
export function tablesWith(given: Table | undefined): (spec: TableSpec) => Table {
  const made = new Map<string, Table>();
  return (spec) => {
    const key = JSON.stringify(spec);
    const table = made.get(key) ?? tableOf(spec, given);
    made.set(key, table);
    return table;
  };
}

function tableOf(spec: TableSpec, given: Table | undefined): Table {
  if (spec.kind === 'given') return firstParticipants(given!, spec.participants);
  const { participants, rows, features, seed } = spec;
  if (spec.kind === 'har') return makeHarLike({ participants, rowsPerParticipant: rows, features, seed });
  return makeRegression({ tasks: participants, rows, features, seed, heterogeneity: spec.heterogeneity });
}
