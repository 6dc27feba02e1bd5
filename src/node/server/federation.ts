/** A federation as the server runs it: its host, and the connections of its participants. */
import type { WebSocket } from 'ws';
import { contributionOf, sumOfContributions } from '../../coordinator/training.ts';
import { CLOSE } from '../../protocol/joining.ts';
import { DEFAULT_LIMITS, type Limits } from '../../protocol/limits.ts';
import type { RejectCode, ToCoordinator } from '../../protocol/messages.ts';
import type { Certificate } from '../../solver/certificate.ts';
import { addScaled, norm } from '../../solver/vector.ts';
import { FederationHost, type HostWorld } from '../host/federation-host.ts';
import type { FederationRecord, HistoryRow } from '../host/store.ts';
import { Timer } from '../timer.ts';
import { Connection } from './connection.ts';
import type { ServerLimits } from './limits.ts';
import { FederationMeter, increase, type Measured, type TurnedAway } from './meters.ts';

export interface FederationWorld extends Omit<HostWorld, 'send' | 'onRow' | 'onSaved' | 'onTrouble'> {
  readonly limits: ServerLimits;
  onRound(row: HistoryRow, tookMs: number | undefined): void;
  onSaved(ms: number): void;
  onTrouble(error: Error | undefined): void;
  onTurnedAway(why: TurnedAway): void;
}

export class Federation {
  readonly record: FederationRecord;
  readonly host: FederationHost;
  readonly connections = new Map<string, Connection>();
  readonly meter = new FederationMeter();
  /** Why the store does not take anything at the moment. */
  trouble: Error | undefined;
  private readonly world: FederationWorld;
  private readonly frameLimits: Limits;
  private readonly returning = new Timer();
  /** To whom the end of training has been said. */
  private readonly told = new Set<string>();

  constructor(record: FederationRecord, world: FederationWorld) {
    this.record = record;
    this.world = world;
    this.frameLimits = { ...DEFAULT_LIMITS, maxFrameBytes: world.limits.maxFrameBytes };
    const { meter } = this;
    this.host = new FederationHost(record, {
      ...world,
      send: (to, frame, kind) => {
        increase(meter.said, kind);
        if (kind === 'round') this.told.delete(to);
        const connection = this.connections.get(to);
        if (!connection) return;
        connection.send(frame, kind);
        if (kind === 'finish') this.told.add(to);
      },
      onRow: (row) => world.onRound(row, meter.closed(row)),
      onSaved: world.onSaved,
      onTrouble: (error) => {
        this.trouble = error;
        world.onTrouble(error);
      },
    });
  }

  get name(): string {
    return this.record.name;
  }

  /** A connection whose owner is known: an earlier one of the same participant has to go. */
  connect(socket: WebSocket, participant: string): void {
    const { meter } = this;
    const { limits, now, onTurnedAway } = this.world;
    this.connections.get(participant)?.close(CLOSE.replaced, 'another connection has taken its place');
    const connection = new Connection(socket, participant, {
      limits,
      frameLimits: this.frameLimits,
      columns: this.world.store.schema(this.name)?.features?.length,
      now,
      onMessage: (message) => this.receive(participant, message),
      onRejected: (code) => increase(meter.rejected, code),
      onTurnedAway,
      onTraffic: (direction, bytes) => {
        meter.bytes[direction] += bytes;
      },
      onClose: (closed) => {
        // Not of one that another has replaced.
        if (this.connections.get(participant) !== closed) return;
        this.connections.delete(participant);
        this.host.away(participant);
      },
    });
    this.connections.set(participant, connection);
  }

  disconnect(participant: string, code: number, reason: string): void {
    this.connections.get(participant)?.close(code, reason);
  }

  measured(): Measured {
    const { name, meter, host, connections } = this;
    const { state } = host;
    return {
      name,
      meter,
      connected: connections.size,
      round: state.round,
      relativeGap: this.relativeGap,
      missing: state.missing.length,
      conservationError: () => this.conservationError(),
      inTrouble: this.trouble !== undefined,
      rejections: this.rejections(),
    };
  }

  /** Those of the connections and those of the machine. */
  rejections(): Map<RejectCode, number> {
    const all = new Map(this.meter.rejected);
    for (const [code, n] of this.host.state.rejections) all.set(code, (all.get(code) ?? 0) + n);
    return all;
  }

  /** Of the model in use, as last known. Undefined: nobody is told anything, under differential privacy. */
  get certificate(): Certificate | undefined {
    const { options, certificate } = this.host.state;
    return options.dp ? undefined : certificate;
  }

  get relativeGap(): number {
    return this.certificate?.relativeGap ?? Number.NaN;
  }

  /** Training has ended, that is durable, and whoever is connected has been sent all there was to say. */
  get isOver(): boolean {
    const { phase } = this.host.state;
    const isDrained = [...this.connections.values()].every((connection) => connection.isDrained);
    return phase === 'finished' && this.trouble === undefined && isDrained;
  }

  /** How many who take part have not been told of the end. */
  get untold(): number {
    const members = [...this.host.state.members.values()];
    return members.filter(({ id, presence }) => presence === 'here' && !this.told.has(id)).length;
  }

  /** Whether nobody is there who counts on the columns that were chosen. */
  get isEmpty(): boolean {
    return this.host.state.members.size === 0 && this.connections.size === 0;
  }

  /**
   * Of the sum that is held here against the contributions that are known. NaN where single ones are not known (secure aggregation, or
   * after a restart), and for MOCHA, which has no w.
   */
  conservationError(): number {
    const { state } = this.host;
    if (state.secure || state.options.aggregation === 'mocha') return Number.NaN;
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

  /** Asked every few seconds: dead connections are found by their silence. */
  look(now: number): void {
    for (const connection of this.connections.values()) connection.check(now);
  }

  /** After a restart everybody comes back by themselves; who has not by then is not waited for. */
  start(): void {
    this.host.start();
    this.returning.set(this.world.limits.returnMs, () => {
      for (const id of this.host.state.members.keys()) if (!this.connections.has(id)) this.host.away(id);
    });
  }

  stop(code: number, reason: string): void {
    this.returning.clear();
    this.host.stop();
    for (const connection of this.connections.values()) connection.close(code, reason);
  }

  private receive(participant: string, message: ToCoordinator): void {
    increase(this.meter.heard, message.kind);
    this.host.receive(participant, message);
  }
}
