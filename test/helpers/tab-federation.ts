/** A federation of three: the first participant is a tab's, the others run on Node. Rounds go on until somebody says stop. */
import type { BrowserContext } from 'playwright-core';
import { afterEach } from 'vitest';
import type { Participation } from '../../src/client/participation-options.ts';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import type { Table } from '../../src/data/table.ts';
import type { JoinOptions } from '../../src/node/client/join.ts';
import type { CoordinatorServer } from '../../src/node/server/server.ts';
import type { ServerOptions } from '../../src/node/server/server-options.ts';
import { joinAs, temporaryFolder } from '../node/client/helpers.ts';
import { Tab, type TabOptions } from './page-participant.ts';
import { QUICK, ServerTest, until } from './server.ts';

export const TABLE: Table = makeHarLike({ participants: 3, rowsPerParticipant: 60, features: 12 });

const ENDLESS: CoordinatorOptions = {
  ...QUICK,
  minParticipants: 3,
  stop: { ...QUICK.stop, gap: 0, rounds: 100_000 },
};

/** Rounds that can be followed. */
export const SLOWLY = { slowdown: 20 };

/** Registers its own clean-up. */
export class TabFederations {
  private readonly servers = new ServerTest();
  private readonly folder = temporaryFolder();
  private readonly running: Participation[] = [];
  private folders = 0;

  constructor() {
    afterEach(async () => {
      for (const participation of this.running.splice(0)) await participation.close();
    });
  }

  start(
    options: Partial<CoordinatorOptions> = {},
    server: Partial<ServerOptions> = {},
  ): Promise<CoordinatorServer> {
    return this.servers.start(server, { ...ENDLESS, ...options });
  }

  /** All but the tab's participant, or those that are named. */
  onNode(
    server: CoordinatorServer,
    options: Pick<JoinOptions, 'slowdown' | 'secure'> = {},
    table: Table = TABLE,
    ids: readonly string[] = table.participants.slice(1),
  ): Participation[] {
    const joined = ids.map((id) =>
      joinAs(server, table, id, { stateFolder: `${this.folder}/${this.folders++}`, ...options }),
    );
    this.running.push(...joined);
    return joined;
  }
}

/** A tab that takes part. */
export async function joined(
  context: BrowserContext,
  url: string,
  options: Partial<TabOptions> = {},
): Promise<Tab> {
  const tab = await Tab.open(context, url);
  await tab.join(TABLE, { participant: '1', ...options });
  return tab;
}

export function roundOf(server: CoordinatorServer): number {
  return server.federation('default').host.state.round;
}

export async function rounds(server: CoordinatorServer, count: number): Promise<void> {
  const target = roundOf(server) + count;
  await until(() => roundOf(server) >= target, `round ${target}`);
}

/** The last round whose answer of the tab's participant counts. */
export async function base(tab: Tab): Promise<number> {
  return (await tab.status()).base;
}

/** Answers of the tab count, also from now on. */
export async function takesPart(tab: Tab): Promise<void> {
  const before = await base(tab);
  await until(async () => (await base(tab)) > before + 1, 'accepted answers of the tab');
}
