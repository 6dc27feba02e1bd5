/** A federation as the server runs it: its host, and the connections of its participants. */
import { setTimeout as pause } from 'node:timers/promises';
import type { WebSocket } from 'ws';
import { contributionOf, sumOfContributions } from '../../coordinator/training.ts';
import { FederationHost } from '../../host/federation-host.ts';
import type { FederationRecord, HistoryRow, HostPorts, SavedRun, Transport } from '../../host/ports.ts';
import type { RejectCode } from '../../protocol/codes.ts';
import { CLOSE } from '../../protocol/joining.ts';
import { DEFAULT_LIMITS, type Limits } from '../../protocol/limits.ts';
import type { ToParticipant } from '../../protocol/messages.ts';
import type { Certificate } from '../../solver/certificate.ts';
import { addScaled, norm } from '../../solver/vector.ts';
import { systemClock, Timer } from '../clock.ts';
import { Connection } from './connection.ts';
import type { ServerLimits } from './limits.ts';
import { FederationMeter, increase, type Measured, type TurnedAway } from './meters.ts';
import type { Ticket } from './tickets.ts';

interface FederationPorts extends Omit<HostPorts, 'transport' | 'onRow'> {
  readonly limits: ServerLimits;
  onRound(row: HistoryRow, tookMs: number | undefined): void;
  onTurnedAway(why: TurnedAway): void;
}

/** The way to one member. */
export interface Link {
  /** When something last came from it. */
  readonly receivedMs: number;
  /** Everything that it was sent has left this process, or never will. */
  readonly isDrained: boolean;
  /** May lose it. */
  send(frame: Uint8Array, kind: ToParticipant['kind']): void;
  close(code: number, reason: string): void;
  /** Called every few seconds. */
  check(now: number): void;
}

/** The groups of a federation that is spread over shards: participants are connected elsewhere. */
export interface Groups {
  /** Of the whole tree, its root not counted. */
  readonly size: number;
  start(): void;
  stop(): void;
  /** What the shards say of themselves. */
  list(): readonly GroupView[];
  /** Has the contribution of a participant removed where it is. Gives the reason if that was refused. */
  forget(participant: string): Promise<string | undefined>;
  disconnect(participant: string, code: number, reason: string): void;
}

export interface GroupView {
  readonly id: string;
  /** The branch above it; absent: the root. */
  readonly parent?: string | undefined;
  /** Who have joined, and who are connected. */
  readonly participants: number;
  readonly connected: number;
  readonly epoch: number;
}

/** A participant that is or was connected. */
interface Peer {
  /** What it said it was. */
  readonly agent: string | undefined;
  /** When something last came from it, by `clock.now`: of a connection that is closed. */
  seenMs: number | undefined;
}

export class Federation implements Transport, Measured {
  readonly record: FederationRecord;
  readonly host: FederationHost;
  readonly connections = new Map<string, Link>();
  /** Present: its members are shards. */
  readonly groups: Groups | undefined;
  readonly meter = new FederationMeter();
  /** What is known of participants from their connections to this process. */
  readonly peers = new Map<string, Peer>();
  private readonly ports: FederationPorts;
  private readonly frameLimits: Limits;
  private readonly returning = new Timer();
  /** To whom the end of training has been sent. */
  private readonly notified = new Set<string>();

  /** `saved`: what the store has of it. */
  constructor(
    record: FederationRecord,
    saved: SavedRun | undefined,
    ports: FederationPorts,
    groupsOf?: (federation: Federation) => Groups,
  ) {
    this.record = record;
    this.ports = ports;
    this.frameLimits = { ...DEFAULT_LIMITS, maxFrameBytes: ports.limits.maxFrameBytes };
    const onRow = (row: HistoryRow) => ports.onRound(row, this.meter.closed(row));
    const place = groupsOf ? ({ below: 'groups' } as const) : undefined;
    this.host = new FederationHost(record, saved, { ...ports, transport: this, onRow }, place);
    this.groups = groupsOf?.(this);
  }

  get name(): string {
    return this.record.name;
  }

  /** Why the store fails at the moment. */
  get storeFailure(): Error | undefined {
    return this.host.storeFailure;
  }

  send(to: string, frame: Uint8Array, kind: ToParticipant['kind']): void {
    increase(this.meter.sent, kind);
    if (kind === 'round') this.notified.delete(to);
    const connection = this.connections.get(to);
    if (!connection) return;
    connection.send(frame, kind);
    if (kind === 'finish') this.notified.add(to);
  }

  /** A connection whose owner is known: an earlier one of the same participant has to go. */
  connect(socket: WebSocket, ticket: Pick<Ticket, 'participant' | 'columns' | 'agent'>): void {
    const { meter } = this;
    const { participant, columns, agent } = ticket;
    this.peers.set(participant, { agent, seenMs: undefined });
    const { limits, clock, onTurnedAway } = this.ports;
    this.connections.get(participant)?.close(CLOSE.replaced, 'replaced by another connection');
    const connection = new Connection(socket, participant, {
      limits,
      frameLimits: this.frameLimits,
      columns,
      now: clock.now,
      onMessage: (message) => {
        increase(meter.received, message.kind);
        this.host.receive(participant, message);
      },
      onRejected: (code) => increase(meter.rejected, code),
      onTurnedAway,
      onTraffic: (direction, bytes) => {
        meter.bytes[direction] += bytes;
      },
      onClose: (closed) => {
        // Not of one that another has replaced.
        if (this.connections.get(participant) !== closed) return;
        this.connections.delete(participant);
        this.peers.set(participant, { agent, seenMs: closed.receivedMs });
        this.host.away(participant);
      },
    });
    this.connections.set(participant, connection);
  }

  disconnect(participant: string, code: number, reason: string): void {
    if (this.groups) this.groups.disconnect(participant, code, reason);
    else this.connections.get(participant)?.close(code, reason);
  }

  /** Removes the contribution of a participant. Gives the reason if that is refused. */
  forget(participant: string): Promise<string | undefined> {
    return this.groups ? this.groups.forget(participant) : this.host.order({ forget: participant });
  }

  /** Those of the connections and those of the machine. */
  rejections(): Map<RejectCode, number> {
    const all = new Map(this.meter.rejected);
    for (const [code, n] of this.host.state.rejections) all.set(code, (all.get(code) ?? 0) + n);
    return all;
  }

  /** Of the model in use. Undefined where nothing is known of it: before the first answers, and under differential privacy. */
  get certificate(): Certificate | undefined {
    const { options, certificate } = this.host.state;
    return options.dp || !Number.isFinite(certificate.primal) ? undefined : certificate;
  }

  get relativeGap(): number {
    return this.certificate?.relativeGap ?? Number.NaN;
  }

  /** Training has ended, that is durable, and whoever is connected has been sent everything. */
  get isOver(): boolean {
    const { phase } = this.host.state;
    const isDrained = [...this.connections.values()].every((connection) => connection.isDrained);
    return phase === 'finished' && this.storeFailure === undefined && isDrained;
  }

  /** How many who take part have not been notified of the end. */
  get unnotified(): number {
    const members = [...this.host.state.members.values()];
    return members.filter(({ id, presence }) => presence === 'here' && !this.notified.has(id)).length;
  }

  /** Whether nobody is there who counts on the columns that were chosen. */
  get isEmpty(): boolean {
    const isAlone = this.groups !== undefined || this.connections.size === 0;
    return this.host.state.members.size === 0 && isAlone;
  }

  /**
   * Of the sum that is held here against the contributions that are known. NaN where single ones are not known (secure aggregation, or
   * after a restart), and for MOCHA, which has no w.
   */
  conservationError(): number {
    const { state } = this.host;
    if (state.secure || state.options.method === 'mocha') return Number.NaN;
    if (!state.trainer) return 0;
    const sum = sumOfContributions(state);
    const rest = sum.slice();
    for (const member of state.members.values()) {
      const u = contributionOf(state, member);
      if (u) addScaled(rest, -1, u);
      else if (member.accepted.round > 0) return Number.NaN;
    }
    return norm(rest) / (norm(sum) || 1);
  }

  /** Called every few seconds: dead connections are found by their silence. */
  check(now: number): void {
    for (const connection of this.connections.values()) connection.check(now);
  }

  /** After a restart everybody comes back by themselves; who has not by then is not waited for. */
  start(): void {
    this.host.start();
    this.groups?.start();
    this.returning.set(this.ports.limits.returnMs, () => {
      for (const id of this.host.state.members.keys()) if (!this.connections.has(id)) this.host.away(id);
    });
  }

  stop(code: number, reason: string): Promise<void> {
    this.returning.clear();
    this.groups?.stop();
    const stopped = this.host.stop();
    for (const connection of this.connections.values()) connection.close(code, reason);
    return stopped;
  }
}

const CHECK_MS = 50;

/** Resolves when all have finished and everybody has been notified, or has stayed away for `lingerMs` since. */
export async function finished(
  federations: ReadonlyMap<string, Federation>,
  lingerMs: number,
  isStopped: () => boolean,
): Promise<void> {
  let sinceMs: number | undefined;
  while (!isStopped()) {
    const all = [...federations.values()];
    const areOver = all.length > 0 && all.every((federation) => federation.isOver);
    const now = systemClock.now();
    sinceMs = areOver ? (sinceMs ?? now) : undefined;
    const areGone = sinceMs !== undefined && now - sinceMs >= lingerMs;
    if (areOver && (areGone || all.every((federation) => federation.unnotified === 0))) return;
    await pause(CHECK_MS);
  }
}
