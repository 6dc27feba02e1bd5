/** A table by its recipe: small enough to be a cache key and to be sent to a thread, which makes the table itself. */

import { makeHarLike } from '../data/generate-har.ts';
import { makeRegression } from '../data/generate-regression.ts';
import { firstParticipants } from '../data/participants.ts';
import type { Table } from '../data/table.ts';

export type TableSpec =
  | {
      readonly kind: 'har';
      readonly participants: number;
      readonly rows: number;
      readonly features: number;
      readonly seed: number;
    }
  | {
      readonly kind: 'regression';
      readonly participants: number;
      readonly rows: number;
      readonly features: number;
      readonly heterogeneity: 'same' | 'diverse';
      readonly seed: number;
    }
  /** The user's own data: the first so many participants. The fingerprint is of the file's content. */
  | {
      readonly kind: 'given';
      readonly fingerprint: string;
      readonly participants: number;
      /** The value of the target that becomes +1. */
      readonly positive?: string;
    };

/** Makes tables, each once. */
export class Tables {
  private readonly given: Table | undefined;
  private readonly made = new Map<string, Table>();

  constructor(given: Table | undefined) {
    this.given = given;
  }

  of(spec: TableSpec): Table {
    const key = JSON.stringify(spec);
    let table = this.made.get(key);
    if (!table) {
      table = this.make(spec);
      this.made.set(key, table);
    }
    return table;
  }

  private make(spec: TableSpec): Table {
    switch (spec.kind) {
      case 'har': {
        const { participants, rows, features, seed } = spec;
        return makeHarLike({ participants, rowsPerParticipant: rows, features, seed });
      }
      case 'regression': {
        const { participants, rows, features, seed, heterogeneity } = spec;
        return makeRegression({ tasks: participants, rows, features, seed, heterogeneity });
      }
      case 'given':
        return firstParticipants(this.given!, spec.participants);
    }
  }
}
