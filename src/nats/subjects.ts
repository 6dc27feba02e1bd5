/** Where what is published: the only place that knows how subjects are spelled. docs/scale.md lists them for permissions. */
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { inputError } from '../base/errors.ts';

/** One token of a subject: no dots, no wildcards, no spaces. */
const TOKEN = /^[A-Za-z0-9_-]{1,64}$/;
/** Of one federation: more would be more leases than owners. */
export const MOST_SHARDS = 4096;

export class Subjects {
  readonly namespace: string;
  private readonly root: string;

  /** `namespace`: several systems may share one NATS. */
  constructor(namespace: string) {
    if (!TOKEN.test(namespace))
      throw inputError(
        'BAD_OPTION',
        `namespace: expected 1 to 64 letters, digits, "_" and "-", got ${namespace || '""'}`,
      );
    this.namespace = namespace;
    this.root = `kindred.${namespace}`;
  }

  /** Requests of gateways about admission; only the leading root listens. */
  get admission(): string {
    return `${this.root}.admission`;
  }

  /** Requests of owners for the list of federations; only the leading root listens. */
  get federations(): string {
    return `${this.root}.federations`;
  }

  /** A word of the leading root to everybody: the list of federations has changed. */
  get changed(): string {
    return `${this.root}.changed`;
  }

  /** From gateways to the owner of a shard. */
  up(federation: string, shard: number): string {
    return `${this.root}.${federation}.up.${shard}`;
  }

  /** From owners to a gateway. Its name has two tokens, so that permissions can give each user the subjects of its own gateways. */
  down(federation: string, gateway: string): string {
    return `${this.root}.${federation}.down.${gateway}`;
  }

  /** All that goes to a gateway, of any federation. */
  downTo(gateway: string): string {
    return `${this.root}.*.down.${gateway}`;
  }

  /** The federation of a subject that `downTo` has matched. */
  federationOf(subject: string): string {
    return subject.slice(this.root.length + 1).split('.', 1)[0];
  }

  /** From owners of shards to the root. */
  toRoot(federation: string): string {
    return `${this.root}.${federation}.root`;
  }

  /** From owners of the branches below it to the owner of a branch between shards and root. */
  branch(federation: string, node: number): string {
    return `${this.root}.${federation}.branch.${node}`;
  }

  /** From the root, or the branch above, to the owner of a shard or branch. */
  shard(federation: string, shard: number): string {
    return `${this.root}.${federation}.shard.${shard}`;
  }

  /** The operator's orders about participants of a shard. */
  order(federation: string, shard: number): string {
    return `${this.root}.${federation}.order.${shard}`;
  }

  /** From owners to the root: answers to its orders. */
  ordered(federation: string): string {
    return `${this.root}.${federation}.ordered`;
  }

  /** Signs of life, for people and for whoever shares the work. */
  beacon(role: 'gateway' | 'owner', name: string): string {
    return `${this.root}.beacon.${role}.${name}`;
  }

  beacons(role: 'gateway' | 'owner'): string {
    return `${this.root}.beacon.${role}.>`;
  }
}

export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The user of NATS that a gateway is, and another token for each process that ever runs. */
export function gatewayName(user: string | undefined, process: string): string {
  return `${user !== undefined && isToken(user) ? user : 'gateway'}.${process}`;
}

export function isGatewayName(text: string): boolean {
  const tokens = text.split('.');
  return tokens.length <= 2 && tokens.every(isToken);
}

/** Where a participant belongs: the same everywhere, for ever. */
export function shardOf(participant: string, shards: number): number {
  const digest = sha256(utf8ToBytes(participant));
  return new DataView(digest.buffer, digest.byteOffset, 4).getUint32(0) % shards;
}

/** What the root calls a shard. */
export function shardName(shard: number): string {
  return `shard-${shard}`;
}

/** Undefined: it is not the name of one. */
export function shardIn(name: string): number | undefined {
  const [, digits] = /^shard-(\d{1,4})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Buckets of JetStream: of the leases, and of the state of one shard. */
export function leaseBucket(namespace: string): string {
  return `kindred-${namespace}-leases`;
}

export function shardBucket(namespace: string, federation: string, shard: number): string {
  return `kindred-${namespace}-${federation}-${shard}`;
}
