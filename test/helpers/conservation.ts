/** Whether a store and the participants' own states add up, as `kindred verify` sees it. The server must have stopped. */

import { type Verification, verified } from '../../src/check/verify.ts';
import { readParticipantState } from '../../src/node/client/state-folder.ts';
import { SqliteStore } from '../../src/node/store/sqlite-store.ts';

const TOLERANCE = 1e-9;

export function verifiedStates(path: string, federation: string, folders: readonly string[]): Verification {
  const store = new SqliteStore(path);
  try {
    const { options } = store.federations().find(({ name }) => name === federation)!;
    const run = store.loadRun(federation);
    const states = folders.map((folder) => {
      const { participant, stored } = readParticipantState(folder);
      return [participant, stored] as const;
    });
    return verified(run && { options, ...run }, new Map(states), TOLERANCE);
  } finally {
    store.close();
  }
}
