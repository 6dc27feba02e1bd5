/** What a store is given and asked for, in short: a run of which only the round counts. */
import type { StoredMember, StoredRun } from '../../src/coordinator/stored.ts';
import type { HistoryRow, Store } from '../../src/host/ports.ts';

export const NAME = 'default';

export const runOf = (round: number) => ({ phase: 'open', round, forgotten: [] }) as unknown as StoredRun;
export const memberOf = (id: string, round: number, length = 3) =>
  ({ id, index: 0, known: { u: new Float64Array(length).fill(round) } }) as unknown as StoredMember;
export const rowOf = (round: number) =>
  ({ round, closedMs: round, relativeGap: Number.NaN }) as unknown as HistoryRow;

/** A round with two members; `length`: of each member's vector. */
export async function saveRound(store: Store, round: number, length?: number): Promise<void> {
  const members = ['ada', 'ben'].map((id) => memberOf(id, round, length));
  await store.saveRun(NAME, { run: runOf(round), members, removed: [] }, [rowOf(round)]);
}

/** What it has: all parts are of one round, or this throws. */
export async function savedRound(store: Store): Promise<number> {
  const saved = await store.loadRun(NAME);
  const rows = await store.history(NAME, 0, 10_000);
  const round = saved?.run.round ?? 0;
  const members = saved?.members.map(({ known }) => known!.u[0]) ?? [];
  const expected = Array.from({ length: round }, (_, i) => i + 1);
  if (`${rows.map((row) => row.round)}` !== `${expected}` || members.some((value) => value !== round))
    throw new Error(
      `half a change: run ${round}, members ${members}, history ${rows.map((row) => row.round)}`,
    );
  return round;
}

export async function codeOf(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'no error';
}
