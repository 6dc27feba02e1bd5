/** All rounds of a federation, fetched page by page, as runs. */
import type { RoundView } from '../../../node/server/routes/rounds.ts';
import { ask, federationPath } from '../../shared/api.ts';
import { History, pointOf, type Run } from './history.ts';

const PAGE = 500;

export async function fetchRuns(name: string, signal: AbortSignal): Promise<readonly Run[]> {
  const history = new History();
  let after: number | null = 0;
  while (after !== null) {
    const path = federationPath(name, `/rounds?after=${after}&limit=${PAGE}`);
    const page: { rounds: RoundView[]; next: number | null } = await ask(path, { signal });
    for (const row of page.rounds) history.add(pointOf(row));
    after = page.next;
  }
  return history.runs;
}
