/** Servers for tests: on a real socket, with a store in a folder of their own, gone afterwards. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import { type CoordinatorServer, startServer } from '../../src/node/server/server.ts';
import type { ServerOptions } from '../../src/node/server/server-options.ts';
import { type Ask, ask, type Heard } from './http.ts';

/** Two features, no scaling to speak of, rounds as fast as they come. */
export const QUICK: CoordinatorOptions = {
  ...DEFAULT_OPTIONS,
  minParticipants: 2,
  retryMs: 100,
  stop: { ...DEFAULT_OPTIONS.stop, gap: 1e-6 },
};

/** A federation that waits for more than will come, for tests that want nothing to happen. */
export const PATIENT: CoordinatorOptions = { ...QUICK, minParticipants: 100 };

export class ServerTest {
  readonly folder = mkdtempSync(join(tmpdir(), 'kindred-server-'));
  private running: CoordinatorServer[] = [];
  private stores = 0;

  constructor() {
    afterEach(async () => {
      await Promise.all(this.running.map((server) => server.close()));
      this.running = [];
    });
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  newStore(): string {
    return join(this.folder, `store-${this.stores++}.db`);
  }

  /** With a federation `default` that has these options. */
  async start(
    options: Partial<ServerOptions> = {},
    federation: CoordinatorOptions | 'none' = PATIENT,
  ): Promise<CoordinatorServer> {
    const server = await startServer({ store: this.newStore(), version: '1.2.3', ...options });
    this.running.push(server);
    if (federation !== 'none') await server.ensure('default', federation);
    return server;
  }
}

/** As the operator. */
export function operate(server: CoordinatorServer, path: string, options: Ask = {}): Promise<Heard> {
  return ask(`${server.url}${path}`, { token: server.operatorToken, ...options });
}

/** For what comes about by itself, within a time that only a failure takes. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  mostMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + mostMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
