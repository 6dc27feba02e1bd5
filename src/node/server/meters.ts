/**
 * What is counted, for Prometheus and for people. Frames come by the thousand each second, so they are counted in plain numbers
 * and reported on request.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { HistoryRow } from '../../host/ports.ts';
import type { RejectCode } from '../../protocol/codes.ts';
import type { Message } from '../../protocol/messages.ts';
import type { ErrorCode } from './api-error.ts';
import { collect, type Put } from './collected.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Why a connection was closed: by the guard of strangers, or one of a participant that does not read or has fallen silent. */
export type TurnedAway =
  | 'CONNECTIONS'
  | 'CONNECTIONS_OF_ADDRESS'
  | 'STRANGERS'
  | 'STRANGER_TOO_LONG'
  | 'TOO_SLOW'
  | 'SILENT';

/** Phases of the machine in which rounds come and go. */
const ROUNDS: ReadonlySet<string> = new Set(['open', 'summing']);

/** Counts of one federation since the server was started. */
export class FederationMeter {
  readonly received = new Map<Message['kind'], number>();
  readonly sent = new Map<Message['kind'], number>();
  /** By the connections; the machine counts those of its own. */
  readonly rejected = new Map<RejectCode, number>();
  readonly outcomes = new Map<HistoryRow['outcome'], number>();
  readonly bytes = { in: 0, out: 0 };
  last: HistoryRow | undefined;

  /** Milliseconds since the row before it; undefined for the first. */
  closed(row: HistoryRow): number | undefined {
    const before = this.last;
    this.last = row;
    increase(this.outcomes, row.outcome);
    return before && row.atMs - before.atMs;
  }
}

export function increase<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** What is measured of a federation. */
export interface Measured {
  readonly name: string;
  readonly meter: FederationMeter;
  readonly connections: { readonly size: number };
  readonly host: {
    readonly state: {
      readonly phase: string;
      readonly paused: boolean;
      readonly round: number;
      readonly missing: readonly string[];
      readonly declines: ReadonlyMap<string, number>;
      readonly faults: ReadonlyMap<string, number>;
    };
  };
  /** Present: its members are shards on NATS. */
  readonly groups: { readonly size: number; list(): { readonly length: number } } | undefined;
  readonly relativeGap: number;
  readonly storeFailure: Error | undefined;
  /** Takes a while where there are many participants. */
  conservationError(): number;
  rejections(): ReadonlyMap<RejectCode, number>;
}

interface MeasuredServer {
  readonly connections: number;
  readonly strangers: number;
  /** Of events. */
  readonly listeners: number;
  readonly turnedAway: ReadonlyMap<TurnedAway, number>;
  /** Attempts of participants of other protocol versions. */
  readonly otherVersions: ReadonlyMap<string, number>;
  /** Requests that were refused. */
  readonly refused: ReadonlyMap<ErrorCode, number>;
  readonly federations: Iterable<Measured>;
}

/** Nothing where nobody reports; no worst one where only sums are seen. */
function putTests({ name: federation, meter }: Measured, put: Put): void {
  const { tests } = meter.last ?? {};
  if (!tests) return;
  for (const model of ['own', 'shared'] as const)
    for (const [stat, value] of Object.entries(tests[model] ?? {}))
      if (value !== null) put(value, { federation, metric: tests.metric, model, stat });
}

export class Meters {
  readonly registry = new Registry();
  private readonly roundSeconds = this.histogram('round_seconds', 'Time between the closings of two rounds');
  private readonly saveSeconds = this.histogram('save_seconds', 'Time to make a change durable');

  constructor(measure: () => MeasuredServer) {
    collectDefaultMetrics({ register: this.registry });
    collect(this.registry, Gauge, 'connections', 'Open connections', [], (set) => set(measure().connections));
    collect(this.registry, Gauge, 'strangers', 'Connections not authenticated yet', [], (set) =>
      set(measure().strangers),
    );
    collect(this.registry, Gauge, 'listeners', 'Connections that watch events', [], (set) =>
      set(measure().listeners),
    );
    collect(
      this.registry,
      Counter,
      'turned_away_total',
      'Connections refused because of a limit',
      ['reason'],
      (add) => {
        for (const [reason, n] of measure().turnedAway) add(n, { reason });
      },
    );
    collect(
      this.registry,
      Counter,
      'other_versions_total',
      'Attempts to join with another protocol version',
      ['version'],
      (add) => {
        for (const [version, n] of measure().otherVersions) add(n, { version });
      },
    );
    collect(this.registry, Counter, 'refusals_total', 'Refused requests', ['code'], (add) => {
      for (const [code, n] of measure().refused) add(n, { code });
    });
    const each = (name: string, help: string, value: (one: Measured) => number) =>
      collect(this.registry, Gauge, name, help, ['federation'], (set) => {
        for (const one of measure().federations) set(value(one), { federation: one.name });
      });
    each('connected', 'Connected participants', (one) => one.connections.size);
    each('round', 'Number of the open round', ({ host }) => host.state.round);
    each('responders', 'Answers to the last round', ({ meter }) => meter.last?.responders.length ?? 0);
    each('relative_gap', 'Last known relative duality gap', (one) => one.relativeGap);
    each('missing', 'Participants not covered by the certificate', ({ host }) => host.state.missing.length);
    each('conservation_error', 'Relative |U - sum of u_k|', (one) => one.conservationError());
    each('training', '1 while rounds are under way: not at rest, gathering or paused', ({ host }) =>
      Number(ROUNDS.has(host.state.phase) && !host.state.paused),
    );
    each('store_trouble', '1 while the store is failing', (one) => Number(one.storeFailure !== undefined));
    const ofTrees = (
      name: string,
      help: string,
      value: (groups: NonNullable<Measured['groups']>) => number,
    ) =>
      collect(this.registry, Gauge, name, help, ['federation'], (set) => {
        for (const { name: federation, groups } of measure().federations)
          if (groups) set(value(groups), { federation });
      });
    ofTrees('shards', 'Shards on NATS, and branches above them', ({ size }) => size);
    ofTrees(
      'shards_alive',
      'Shards and branches whose owner the root hears from',
      (groups) => groups.list().length,
    );
    const counts = <K extends string>(
      name: string,
      help: string,
      label: string,
      of: (one: Measured) => Iterable<readonly [K, number]>,
    ) =>
      collect(this.registry, Counter, `${name}_total`, help, ['federation', label], (add) => {
        for (const one of measure().federations)
          for (const [key, n] of of(one)) add(n, { federation: one.name, [label]: key });
      });
    counts('rounds', 'Rounds by outcome', 'outcome', ({ meter }) => meter.outcomes);
    counts('frames_received', 'Received frames by kind', 'kind', ({ meter }) => meter.received);
    counts('frames_sent', 'Sent frames by kind', 'kind', ({ meter }) => meter.sent);
    counts('bytes', 'Bytes of frames by direction', 'direction', ({ meter }) => Object.entries(meter.bytes));
    counts('rejections', 'Refused messages by code', 'code', (one) => one.rejections());
    counts(
      'declines',
      'Requests declined by participants, by code',
      'code',
      (one) => one.host.state.declines,
    );
    counts('faults', 'Failures reported by participants, by code', 'code', (one) => one.host.state.faults);
    each(
      'test_reports',
      'Participants that reported test metrics in the last round',
      ({ meter }) => meter.last?.tests?.participants ?? 0,
    );
    collect(
      this.registry,
      Gauge,
      'test_metric',
      'Test metrics reported in the last round: over participants, of their own models and of the shared part',
      ['federation', 'metric', 'model', 'stat'],
      (set) => {
        for (const one of measure().federations) putTests(one, set);
      },
    );
  }

  observeRound(federation: string, ms: number): void {
    this.roundSeconds.observe({ federation }, ms / 1000);
  }

  observeSave(federation: string, ms: number): void {
    this.saveSeconds.observe({ federation }, ms / 1000);
  }

  private histogram(name: string, help: string): Histogram<'federation'> {
    const registers = [this.registry];
    return new Histogram({
      name: `kindred_${name}`,
      help,
      labelNames: ['federation'],
      buckets: SECONDS,
      registers,
    });
  }
}
