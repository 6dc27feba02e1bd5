/** The whole history of a run, page by page. */
import type { HistoryRow, RunStore } from './ports.ts';

export const PAGE_ROUNDS = 1000;

export async function allRounds(store: Pick<RunStore, 'history'>, federation: string): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for (;;) {
    const page = await store.history(federation, rows.at(-1)?.round ?? 0, PAGE_ROUNDS);
    rows.push(...page);
    if (page.length < PAGE_ROUNDS) return rows;
  }
}
