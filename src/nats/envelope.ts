/**
 * What goes over NATS around the frames of the protocol, little endian. All of it may be lost, duplicated or late, and may come from
 * anybody who may publish: a reader refuses what it does not understand, and takes nothing on trust but the permission to publish.
 *
 *   version u8, type u8, then by type; text: bytes u8, UTF-8; ids: count u32, f64 each; frame: all that is left
 *
 *   up      to the owner of a shard: gateway, then   1 frame: connection f64, participant, frame
 *           2 connected: connection f64, participant, agent | 3 away: connection f64, participant | 4 roster: ids of all connections
 *   down    to a gateway: 1 frame: ids, frame | 2 close: code u16, reason, ids | 3 who: ids
 *   branch  to the root: shard u32, epoch f64, then   1 frame: frame | 2 alive: connected u32, members u32
 *   stem    from the root to an owner: 1 frame: epoch f64, frame
 */
import { ByteReader, ByteWriter, utf8Bytes } from '../base/bytes.ts';
import { ProtocolError } from '../protocol/protocol-error.ts';
import { isGatewayName } from './subjects.ts';

const VERSION = 1;
const LONGEST_TEXT = 255;

/** Of participants at a gateway, to the owner of their shard. `connection` grows with every connection of a participant. */
export type Up =
  | {
      readonly type: 'frame';
      readonly gateway: string;
      readonly connection: number;
      readonly participant: string;
      readonly frame: Uint8Array;
    }
  | {
      readonly type: 'connected';
      readonly gateway: string;
      readonly connection: number;
      readonly participant: string;
      readonly agent: string;
    }
  | {
      readonly type: 'away';
      readonly gateway: string;
      readonly connection: number;
      readonly participant: string;
    }
  /** All connections of the shard at this gateway, now and then: what was lost comes to light, and the gateway is alive. */
  | { readonly type: 'roster'; readonly gateway: string; readonly connections: readonly number[] };

/** Of an owner, to a gateway: for connections by their numbers. */
export type Down =
  | { readonly type: 'frame'; readonly connections: readonly number[]; readonly frame: Uint8Array }
  | {
      readonly type: 'close';
      readonly connections: readonly number[];
      readonly code: number;
      readonly reason: string;
    }
  /** Who these are: the owner is new, or a word was lost. */
  | { readonly type: 'who'; readonly connections: readonly number[] };

/** Of the owner of a shard, to the root. */
export type Branch =
  | { readonly type: 'frame'; readonly shard: number; readonly epoch: number; readonly frame: Uint8Array }
  | {
      readonly type: 'alive';
      readonly shard: number;
      readonly epoch: number;
      readonly connected: number;
      readonly members: number;
    };

/** Of the root, to the owner of a shard: `epoch` is the owner's that it is meant for; 0: any. */
export interface Stem {
  readonly type: 'frame';
  readonly epoch: number;
  readonly frame: Uint8Array;
}

const UP = ['frame', 'connected', 'away', 'roster'] as const;
const DOWN = ['frame', 'close', 'who'] as const;
const BRANCH = ['frame', 'alive'] as const;
const STEM = ['frame'] as const;

export function encodeUp(up: Up): Uint8Array {
  const out = new EnvelopeWriter(UP.indexOf(up.type));
  out.text(up.gateway);
  if (up.type === 'roster') {
    out.ids(up.connections);
    return out.finish();
  }
  out.f64(up.connection);
  out.text(up.participant);
  if (up.type === 'connected') out.text(up.agent);
  if (up.type === 'frame') out.raw(up.frame);
  return out.finish();
}

export function decodeUp(bytes: Uint8Array): Up {
  const input = new EnvelopeReader(bytes);
  const type = input.type(UP);
  const gateway = input.gateway();
  if (type === 'roster') return input.done({ type, gateway, connections: input.ids() });
  const connection = input.whole('connection');
  const participant = input.shortText('participant');
  switch (type) {
    case 'frame':
      return { type, gateway, connection, participant, frame: input.rest() };
    case 'connected':
      return input.done({ type, gateway, connection, participant, agent: input.shortText('agent') });
    case 'away':
      return input.done({ type, gateway, connection, participant });
  }
}

export function encodeDown(down: Down): Uint8Array {
  const out = new EnvelopeWriter(DOWN.indexOf(down.type));
  if (down.type === 'close') {
    out.u16(down.code);
    out.text(down.reason);
  }
  out.ids(down.connections);
  if (down.type === 'frame') out.raw(down.frame);
  return out.finish();
}

/** Bytes of a `frame` around its ids and its frame. */
export const DOWN_BYTES = 2 + 4;
export const ID_BYTES = 8;

export function decodeDown(bytes: Uint8Array): Down {
  const input = new EnvelopeReader(bytes);
  const type = input.type(DOWN);
  switch (type) {
    case 'frame':
      return { type, connections: input.ids(), frame: input.rest() };
    case 'close': {
      const [code, reason] = [input.u16('code'), input.shortText('reason')];
      return input.done({ type, code, reason, connections: input.ids() });
    }
    case 'who':
      return input.done({ type, connections: input.ids() });
  }
}

export function encodeBranch(branch: Branch): Uint8Array {
  const out = new EnvelopeWriter(BRANCH.indexOf(branch.type));
  out.u32(branch.shard);
  out.f64(branch.epoch);
  if (branch.type === 'frame') out.raw(branch.frame);
  else {
    out.u32(branch.connected);
    out.u32(branch.members);
  }
  return out.finish();
}

export function decodeBranch(bytes: Uint8Array): Branch {
  const input = new EnvelopeReader(bytes);
  const type = input.type(BRANCH);
  const [shard, epoch] = [input.u32('shard'), input.whole('epoch')];
  if (type === 'frame') return { type, shard, epoch, frame: input.rest() };
  const [connected, members] = [input.u32('connected'), input.u32('members')];
  return input.done({ type, shard, epoch, connected, members });
}

export function encodeStem({ epoch, frame }: Omit<Stem, 'type'>): Uint8Array {
  const out = new EnvelopeWriter(0);
  out.f64(epoch);
  out.raw(frame);
  return out.finish();
}

export function decodeStem(bytes: Uint8Array): Stem {
  const input = new EnvelopeReader(bytes);
  const type = input.type(STEM);
  return { type, epoch: input.whole('epoch'), frame: input.rest() };
}

class EnvelopeWriter extends ByteWriter {
  constructor(type: number) {
    super();
    this.u8(VERSION);
    this.u8(type + 1);
  }

  text(text: string): void {
    const bytes = utf8Bytes(text).subarray(0, LONGEST_TEXT);
    this.u8(bytes.length);
    this.raw(bytes);
  }

  ids(ids: readonly number[]): void {
    this.u32(ids.length);
    for (const id of ids) this.f64(id);
  }
}

class EnvelopeReader extends ByteReader {
  type<T>(types: readonly T[]): T {
    const version = this.u8('version');
    if (version !== VERSION) this.refused(`expected version ${VERSION}, got ${version}`);
    const number = this.u8('type');
    return types[number - 1] ?? this.refused(`unknown type ${number}`);
  }

  shortText(name: string): string {
    return this.text(name, this.u8(name));
  }

  /** It becomes part of a subject. */
  gateway(): string {
    const name = this.shortText('gateway');
    if (!isGatewayName(name)) this.refused('gateway: expected its name');
    return name;
  }

  whole(name: string): number {
    const value = this.f64(name);
    if (!Number.isSafeInteger(value) || value < 0) this.refused(`${name}: expected a whole number`);
    return value;
  }

  ids(): number[] {
    const count = this.u32('count');
    if (count * ID_BYTES > this.left) this.refused(`expected ${count} ids, got ${this.left} bytes`);
    return Array.from({ length: count }, () => this.whole('connection'));
  }

  rest(): Uint8Array {
    return this.raw('frame', this.left);
  }

  done<T>(value: T): T {
    this.ended('envelope');
    return value;
  }

  protected refused(sentence: string): never {
    throw new ProtocolError('BAD_FRAME', `envelope: ${sentence}`);
  }
}
