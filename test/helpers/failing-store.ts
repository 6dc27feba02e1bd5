/** A store whose disk can be made to fail. */

import { KindredError } from '../../src/base/errors.ts';
import type { StoredCoordinator } from '../../src/coordinator/stored.ts';
import type { HistoryRow } from '../../src/host/ports.ts';
import { SqliteStore } from '../../src/node/store/sqlite-store.ts';

export class FailingStore extends SqliteStore {
  /** What it does when it should make something durable. */
  mode: 'works' | 'throws' | 'rejects' = 'works';
  attempts = 0;

  override saveRun(
    federation: string,
    changes: StoredCoordinator,
    rows: readonly HistoryRow[],
  ): void | Promise<void> {
    this.attempts++;
    const full = new KindredError('STORE_FAILED', 'disk full', 'run');
    if (this.mode === 'throws') throw full;
    if (this.mode === 'rejects') return Promise.reject(full);
    super.saveRun(federation, changes, rows);
  }
}
