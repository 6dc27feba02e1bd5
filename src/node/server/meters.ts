/**
 * What is counted, for Prometheus and for people. Frames come by the thousand each second, so they are counted in plain numbers
 * and reported on request.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { HistoryRow } from '../../host/ports.ts';
import type { Message, RejectCode } from '../../protocol/messages.ts';
import type { ErrorCode } from './api-error.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Why a connection was closed: by the guard of strangers, or one of a participant that does not read or has fallen silent. */
export type TurnedAway =
  | 'CONNECTIONS'
  | 'CONNECTIONS_OF_ADDRESS'
  | 'STRANGERS'
  | 'STRANGER_TOO_LONG'
  | 'TOO_SLOW'
  | 'SILENT';

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
      readonly round: number;
      readonly missing: readonly string[];
      readonly declines: ReadonlyMap<string, number>;
    };
  };
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
  /** Requests that were refused. */
  readonly refused: ReadonlyMap<ErrorCode, number>;
  readonly federations: Iterable<Measured>;
}

/** Puts all values there are. */
type Collect = (put: (value: number, labels?: Record<string, string>) => void) => void;

export class Meters {
  readonly registry = new Registry();
  private readonly roundSeconds = this.histogram('round_seconds', 'Time between the closings of two rounds');
  private readonly saveSeconds = this.histogram('save_seconds', 'Time to make a change durable');

  constructor(measure: () => MeasuredServer) {
    collectDefaultMetrics({ register: this.registry });
    this.collected(Gauge, 'connections', 'Open connections', [], (set) => set(measure().connections));
    this.collected(Gauge, 'strangers', 'Connections not authenticated yet', [], (set) =>
      set(measure().strangers),
    );
    this.collected(Gauge, 'listeners', 'Connections that watch events', [], (set) =>
      set(measure().listeners),
    );
    this.collected(
      Counter,
      'turned_away_total',
      'Connections refused because of a limit',
      ['reason'],
      (add) => {
        for (const [reason, n] of measure().turnedAway) add(n, { reason });
      },
    );
    this.collected(Counter, 'refusals_total', 'Refused requests', ['code'], (add) => {
      for (const [code, n] of measure().refused) add(n, { code });
    });
    const each = (name: string, help: string, value: (one: Measured) => number) =>
      this.collected(Gauge, name, help, ['federation'], (set) => {
        for (const one of measure().federations) set(value(one), { federation: one.name });
      });
    each('connected', 'Connected participants', (one) => one.connections.size);
    each('round', 'Number of the open round', ({ host }) => host.state.round);
    each('responders', 'Answers to the last round', ({ meter }) => meter.last?.responders.length ?? 0);
    each('relative_gap', 'Last known relative duality gap', (one) => one.relativeGap);
    each('missing', 'Participants not covered by the certificate', ({ host }) => host.state.missing.length);
    each('conservation_error', 'Relative |U - sum of u_k|', (one) => one.conservationError());
    each('store_trouble', '1 while the store is failing', (one) => Number(one.storeFailure !== undefined));
    const counts = <K extends string>(
      name: string,
      help: string,
      label: string,
      of: (one: Measured) => Iterable<readonly [K, number]>,
    ) =>
      this.collected(Counter, `${name}_total`, help, ['federation', label], (add) => {
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

  /** What is measured is asked for again each time that metrics are read. */
  private collected(
    Kind: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    labelNames: string[],
    collect: Collect,
  ): void {
    new Kind({
      name: `kindred_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        this.reset();
        collect((value, labels = {}) => this.inc(labels, value));
      },
    });
  }
}
