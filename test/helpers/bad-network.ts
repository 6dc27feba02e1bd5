/** A federation of real participants, each behind a network of its own, and what can be said of its rounds afterwards. */
import { join } from 'node:path';
import type { Verification } from '../../src/check/verify.ts';
import type { JoinEvent, JoinResult, Participation } from '../../src/client/participation-options.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import type { HistoryRow } from '../../src/host/ports.ts';
import { type JoinTiming, joinFederation } from '../../src/node/client/join.ts';
import type { ServerLimits } from '../../src/node/server/limits.ts';
import { verifiedStates } from './conservation.ts';
import { FaultyProxy } from './faulty-proxy.ts';
import { LimitedServer } from './limited-server.ts';

const NAME = 'default';

/** Quick to come back. */
const TIMING: Partial<JoinTiming> = { retryFromMs: 20, retryMostMs: 200 };

export interface Setting {
  readonly folder: string;
  readonly table: Table;
  /** Of the federation, as the API takes them; everybody must join before it begins. */
  readonly options: object;
  /** By participant; one that has none is connected to the server itself. */
  readonly faults: Readonly<Record<string, FaultyProxy['faults']>>;
  readonly timing?: (participant: string) => Partial<JoinTiming>;
  readonly limits?: Partial<ServerLimits>;
  readonly seed?: number;
}

export class BadNetwork {
  readonly server: LimitedServer;
  readonly participants: readonly string[];
  readonly proxies = new Map<string, FaultyProxy>();
  readonly events: (JoinEvent & { readonly participant: string })[] = [];
  private readonly participations: Participation[] = [];
  private readonly folders: string[];

  private constructor(server: LimitedServer, participants: readonly string[], folders: string[]) {
    this.server = server;
    this.participants = participants;
    this.folders = folders;
  }

  static async start(setting: Setting): Promise<BadNetwork> {
    const { folder, table, options, faults, timing, limits, seed = 1 } = setting;
    const ids = table.participants;
    const server = await LimitedServer.start(join(folder, 'store.db'), limits);
    await server.create(NAME, { minParticipants: ids.length, ...options });
    const folders = ids.map((id) => join(folder, id));
    const network = new BadNetwork(server, ids, folders);
    for (const [k, id] of ids.entries()) {
      const proxy = id in faults ? await FaultyProxy.start(server.port, seed + k) : undefined;
      if (proxy) {
        proxy.faults = faults[id];
        network.proxies.set(id, proxy);
      }
      const participation = joinFederation({
        url: (proxy ?? server).url,
        data: { table: rowsOfParticipant(table, id)! },
        participant: id,
        stateFolder: folders[k],
        timing: { ...TIMING, ...timing?.(id) },
        onEvent: (event) => network.events.push({ ...event, participant: id }),
      });
      network.participations.push(participation);
    }
    return network;
  }

  /** From now on, of new connections; those that are open stay as they are. */
  heal(): void {
    for (const proxy of this.proxies.values()) proxy.faults = {};
  }

  /** Sums over all networks. */
  get deeds(): FaultyProxy['deeds'] {
    const sum = { dropped: 0, doubled: 0, silenced: 0, reset: 0 };
    for (const { deeds } of this.proxies.values())
      for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += deeds[key];
    return sum;
  }

  /** How training ended for everybody. */
  async finished(): Promise<JoinResult[]> {
    return await Promise.all(this.participations.map(({ done }) => done));
  }

  /** Rounds, and who had no connection when they were closed. */
  async rows(): Promise<ObservedRow[]> {
    const { json } = await this.server.operate(`/v1/federations/${NAME}/rounds?limit=1000`);
    const { gone } = await this.server.observed();
    return (json.rounds as HistoryRow[]).map((row) => ({ ...row, gone: gone[NAME][row.round] ?? [] }));
  }

  /** Whether what the store has is what everybody has: the server is stopped for that. */
  async verified(): Promise<Verification> {
    await this.server.stop();
    return verifiedStates(this.server.store, NAME, this.folders);
  }

  async close(): Promise<void> {
    await Promise.all(this.participations.map((participation) => participation.close()));
    for (const proxy of this.proxies.values()) await proxy.stop();
    await this.server.stop();
  }
}

export interface ObservedRow extends HistoryRow {
  readonly gone: readonly string[];
}

export interface RoundTimes {
  /** Training rounds that not everybody has answered. */
  readonly missed: number;
  /** Of those with somebody missing who was connected: how long after T_wait they closed, at the earliest. */
  readonly earliestMs: number;
  /** Of those that were not closed by a late answer either: at the latest. */
  readonly latestMs: number;
  /** How long any round was open. */
  readonly longestMs: number;
}

/**
 * A round opens in the very step that closes the one before: by the server's own clock, the time between two rows. A round
 * without an answer stays open beyond T_wait, and closes with the first: such a one has a single responder. For those who are gone no
 * round waits: it closes before T_wait where nobody else is missing.
 */
export function roundTimes(
  rows: readonly ObservedRow[],
  everybody: readonly string[],
  waitMs: number,
): RoundTimes {
  const times = rows.slice(1).map((row, i) => ({ ...row, openMs: row.atMs - rows[i].atMs }));
  // A certifying round needs everybody: it has the longest time there is.
  const missed = times.filter(
    ({ purpose, responders }) => purpose === 'train' && responders.length < everybody.length,
  );
  const byTime = missed.filter(({ responders }) => responders.length > 1);
  const lateMs = ({ openMs }: { readonly openMs: number }) => openMs - waitMs;
  const waited = missed.filter(({ responders, gone }) =>
    everybody.some((id) => !responders.includes(id) && !gone.includes(id)),
  );
  return {
    missed: missed.length,
    earliestMs: Math.min(...waited.map(lateMs)),
    latestMs: Math.max(...byTime.map(lateMs)),
    longestMs: Math.max(...times.map(({ openMs }) => openMs)),
  };
}
