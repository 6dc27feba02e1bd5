/**
 * The participants that are connected to a gateway. What they send goes to the owner of their shard, what owners send goes to them. Nothing is
 * kept: whatever is lost on the way is retransmitted by the machines at both ends.
 */
import type { WebSocket } from 'ws';
import type { Grant } from '../../nats/admission.ts';
import type { Bus } from '../../nats/bus.ts';
import { type Down, decodeDown, encodeUp, type Up } from '../../nats/envelope.ts';
import { type Subjects, shardOf } from '../../nats/subjects.ts';
import type { RejectCode } from '../../protocol/codes.ts';
import { CLOSE } from '../../protocol/joining.ts';
import { KIND_OF_TAG } from '../../protocol/layouts.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import type { Message, ToParticipant } from '../../protocol/messages.ts';
import { ProtocolError } from '../../protocol/protocol-error.ts';
import { Connection } from '../server/connection.ts';
import type { ServerLimits } from '../server/limits.ts';
import { increase, type TurnedAway } from '../server/meters.ts';

/** Above the frame in a message to an owner: names of gateway and participant, numbers. */
const ENVELOPE_BYTES = 1024;
const TAG_AT = 5;
/** Of a WebSocket, 123 bytes; characters here may have up to three. */
const LONGEST_REASON = 41;

interface LobbyPorts {
  readonly bus: Bus;
  readonly subjects: Subjects;
  /** Of this gateway: another one for each process that ever runs. */
  readonly name: string;
  readonly limits: ServerLimits;
  readonly now: () => number;
  onTurnedAway(why: TurnedAway): void;
}

interface Guest {
  readonly connection: Connection;
  readonly grant: Grant;
  readonly shard: number;
}

export class Lobby {
  readonly received = new Map<Message['kind'], number>();
  readonly sent = new Map<string, number>();
  readonly rejected = new Map<RejectCode, number>();
  readonly bytes = { in: 0, out: 0 };
  /** Frames for connections that are gone. */
  late = 0;
  private readonly ports: LobbyPorts;
  /** By the number of the connection. */
  private readonly guests = new Map<number, Guest>();
  /** Numbers of connections, by federation and participant. */
  private readonly newest = new Map<string, number>();
  /** Shards that have been heard of through us: each is told who is here, also when nobody is any more. */
  private readonly shards = new Map<string, { readonly federation: string; readonly shard: number }>();
  private unsubscribe = () => {};

  constructor(ports: LobbyPorts) {
    this.ports = ports;
  }

  start(): void {
    const { bus, subjects, name } = this.ports;
    this.unsubscribe = bus.subscribe(subjects.downTo(name), (bytes) => this.receive(decodeDown(bytes)));
  }

  get subjects(): Subjects {
    return this.ports.subjects;
  }

  get size(): number {
    return this.guests.size;
  }

  connect(socket: WebSocket, grant: Grant): void {
    const { participant, connection: number, columns, federation, agent = '' } = grant;
    const { ports } = this;
    const { limits, now, onTurnedAway } = ports;
    const shard = shardOf(participant, grant.shards);
    const maxFrameBytes = Math.min(limits.maxFrameBytes, ports.bus.maxPayload - ENVELOPE_BYTES);
    const connection = new Connection(socket, participant, {
      limits,
      frameLimits: { ...DEFAULT_LIMITS, maxFrameBytes },
      columns,
      now,
      onMessage: (message, frame) => {
        increase(this.received, message.kind);
        this.tell(guest, { type: 'frame', ...who, frame });
      },
      onRejected: (code) => increase(this.rejected, code),
      onTurnedAway,
      onTraffic: (direction, bytes) => {
        this.bytes[direction] += bytes;
      },
      onClose: () => this.onClose(guest),
    });
    const who = { gateway: ports.name, connection: number, participant };
    const guest: Guest = { connection, grant, shard };
    const key = keyOf(grant);
    const before = this.guests.get(this.newest.get(key) ?? -1);
    this.guests.set(number, guest);
    this.newest.set(key, number);
    this.shards.set(`${federation.id} ${shard}`, { federation: federation.id, shard });
    before?.connection.close(CLOSE.replaced, 'replaced by another connection');
    this.tell(guest, { type: 'connected', ...who, agent });
  }

  /** Called at intervals: who is here. What was lost comes to light, and owners see that we are alive. */
  announce(): void {
    const { bus, subjects, name } = this.ports;
    const rosters = new Map<string, number[]>([...this.shards.keys()].map((key) => [key, []]));
    for (const [number, { grant, shard }] of this.guests)
      rosters.get(`${grant.federation.id} ${shard}`)?.push(number);
    for (const [key, connections] of rosters) {
      const { federation, shard } = this.shards.get(key)!;
      bus.publish(subjects.up(federation, shard), encodeUp({ type: 'roster', gateway: name, connections }));
      if (connections.length === 0) this.shards.delete(key);
    }
  }

  /** Dead connections are found by their silence. */
  check(now: number): void {
    for (const { connection } of this.guests.values()) connection.check(now);
  }

  /** Everybody is to come back, elsewhere or later. */
  sendAway(reason: string): void {
    for (const { connection } of this.guests.values()) connection.close(1001, reason);
  }

  close(reason: string): void {
    this.sendAway(reason);
    this.unsubscribe();
  }

  private onClose(guest: Guest): void {
    const { grant } = guest;
    const { connection, participant } = grant;
    if (this.guests.get(connection) !== guest) return;
    this.guests.delete(connection);
    if (this.newest.get(keyOf(grant)) === connection) this.newest.delete(keyOf(grant));
    this.tell(guest, { type: 'away', gateway: this.ports.name, connection, participant });
  }

  private tell({ grant, shard }: Guest, up: Up): void {
    const { bus, subjects } = this.ports;
    bus.publish(subjects.up(grant.federation.id, shard), encodeUp(up));
  }

  private receive(down: Down): void {
    switch (down.type) {
      case 'frame':
        this.deliver(down.connections, down.frame);
        return;
      case 'close':
        if (!isCloseCode(down.code))
          throw new ProtocolError('BAD_FRAME', `close: expected a code of WebSocket, got ${down.code}`);
        for (const { connection } of this.those(down.connections))
          connection.close(down.code, down.reason.slice(0, LONGEST_REASON));
        return;
      case 'who':
        for (const guest of this.those(down.connections)) {
          const { connection, participant, agent = '' } = guest.grant;
          this.tell(guest, { type: 'connected', gateway: this.ports.name, connection, participant, agent });
        }
    }
  }

  private deliver(connections: readonly number[], frame: Uint8Array): void {
    const kind = KIND_OF_TAG.get(frame[TAG_AT]);
    if (kind === undefined) throw new ProtocolError('BAD_FRAME', 'frame: unknown message tag');
    for (const { connection } of this.those(connections)) {
      increase(this.sent, kind);
      connection.send(frame, kind as ToParticipant['kind']);
    }
  }

  private *those(connections: readonly number[]): Generator<Guest> {
    for (const number of connections) {
      const guest = this.guests.get(number);
      if (guest) yield guest;
      else this.late++;
    }
  }
}

/** Any other one is an error to close with: 1001 and those of applications are in use. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 3000 && code <= 4999);
}

function keyOf({ federation, participant }: Grant): string {
  return `${federation.id} ${participant}`;
}
