/** Real folders, real data and what several tests of the client need. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Participation } from '../../../src/client/participation-options.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import type { Table } from '../../../src/data/table.ts';
import { type JoinOptions, joinFederation } from '../../../src/node/client/join.ts';
import type { TestServer } from '../../helpers/test-server.ts';

export const launcher = fileURLToPath(new URL('../../../bin/kindred.js', import.meta.url));

/** A folder of its own for a test file, gone afterwards. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'kindred-client-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Threads and child processes run the built files. */
export function useBuilt(): void {
  beforeAll(() => {
    const script = fileURLToPath(new URL('../../../scripts/ensure-built.mjs', import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    expect(status, stdout + stderr).toBe(0);
  }, 120_000);
}

/** Quick to come back: tests do not wait for the sake of a server's health. */
export const QUICK = { retryFromMs: 20, retryMostMs: 100 };

export function joinAs(
  server: Pick<TestServer, 'url'>,
  table: Table,
  id: string,
  options: Omit<Partial<JoinOptions>, 'data'> & { readonly stateFolder: string },
): Participation {
  const own = rowsOfParticipant(table, id)!;
  return joinFederation({
    url: server.url,
    data: { table: own },
    participant: id,
    timing: QUICK,
    ...options,
  });
}

/** Waits until something holds; asked after every step of the server. */
export function until(server: TestServer, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const before = server.onStep;
    server.onStep = () => {
      before?.();
      if (!holds()) return;
      server.onStep = before;
      resolve();
    };
    server.onStep();
  });
}

/** The largest difference, relative to the largest entry. */
export function difference(a: Float64Array, b: Float64Array): number {
  expect(a.length).toBe(b.length);
  let worst = 0;
  let size = 1e-12;
  for (let j = 0; j < a.length; j++) {
    worst = Math.max(worst, Math.abs(a[j] - b[j]));
    size = Math.max(size, Math.abs(b[j]));
  }
  return worst / size;
}
