/** The states that are kept in this browser: which there are, and how to remove one. */
import { openDatabase, reading, requested, writing } from './database.ts';
import type { StateSummary } from './page-types.ts';
import { allOf } from './state-store.ts';

export async function savedStates(): Promise<StateSummary[]> {
  const database = await openDatabase();
  try {
    const keys = await reading(database, ['states'], (transaction) =>
      requested(transaction.objectStore('states').getAllKeys()),
    );
    const names = [...new Set((keys as [string, string][]).map(([name]) => name))];
    const found: StateSummary[] = [];
    for (const name of names) {
      const summary = await summaryOf(database, name);
      if (summary) found.push(summary);
    }
    return found;
  } finally {
    database.close();
  }
}

async function summaryOf(database: IDBDatabase, name: string): Promise<StateSummary | undefined> {
  const { participant, federation, round } = await reading(database, ['states'], async (transaction) => {
    const store = transaction.objectStore('states');
    const field = (of: string) => requested(store.get([name, of]));
    const [participant, federation, model] = await Promise.all([
      field('participant'),
      field('federation'),
      field('stored.model'),
    ]);
    return { participant, federation, round: (model as { round?: number } | undefined)?.round ?? 0 };
  });
  if (typeof participant !== 'string') return undefined;
  return { name, participant, ...(federation && { federation }), round };
}

/** For good, with its key: nobody can go on as this participant. A tab that takes part with it stops. */
export async function removeState(name: string): Promise<void> {
  const database = await openDatabase();
  try {
    await writing(database, ['states', 'keys', 'owners'], async (transaction) => {
      transaction.objectStore('states').delete(allOf(name));
      for (const store of ['keys', 'owners'] as const) transaction.objectStore(store).delete(name);
    });
  } finally {
    database.close();
  }
}
