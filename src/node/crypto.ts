/** Keys and random numbers of Node: X25519 and Ed25519, some ten times as fast as those that run everywhere; identities; entropy. */
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { type Stream, streamFrom } from '../base/random.ts';
import type { Signer } from '../client/ports.ts';
import type { Entropy, Primitives } from '../privacy/secure/keys.ts';
import { plainBytes } from './files/files.ts';

/** What comes before the 32 bytes of a key in DER. */
const X25519_SECRET = Buffer.from('302e020100300506032b656e04220420', 'hex');
const X25519_PUBLIC = Buffer.from('302a300506032b656e032100', 'hex');
export const ED25519_PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');

/** Some 20 MB of each kind, and more than the participants of most federations. */
const MOST_KEYS = 16_384;

/** Keys as Node has read them, by their bytes: reading one takes longer than using it. The one that was used longest ago is dropped. */
class KeyCache {
  private readonly known = new Map<string, KeyObject>();
  private readonly read: (raw: Uint8Array) => KeyObject;
  private readonly most: number;

  constructor(read: (raw: Uint8Array) => KeyObject, most: number) {
    this.read = read;
    this.most = most;
  }

  get size(): number {
    return this.known.size;
  }

  get(raw: Uint8Array): KeyObject {
    const name = nameOf(raw);
    const key = this.known.get(name);
    if (!key) return this.read(raw);
    // Last used, last dropped.
    this.known.delete(name);
    this.known.set(name, key);
    return key;
  }

  /** Only of keys that were of use: anybody can send others, any number of them. */
  keep(raw: Uint8Array, key: KeyObject): void {
    const name = nameOf(raw);
    if (this.known.has(name)) return;
    if (this.known.size >= this.most) {
      const [oldest] = this.known.keys();
      this.known.delete(oldest);
    }
    this.known.set(name, key);
  }
}

function nameOf(raw: Uint8Array): string {
  return Buffer.from(raw.buffer, raw.byteOffset, raw.length).toString('base64');
}

function publicReader(prefix: Buffer): (raw: Uint8Array) => KeyObject {
  return (raw) => createPublicKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'spki' });
}

function secretReader(prefix: Buffer): (raw: Uint8Array) => KeyObject {
  return (raw) => createPrivateKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'pkcs8' });
}

/** `cached`: how many keys are in memory. */
export function nodePrimitives(mostKeys = MOST_KEYS): Primitives & { readonly cached: () => number } {
  const secrets = new KeyCache(secretReader(X25519_SECRET), mostKeys);
  const others = new KeyCache(publicReader(X25519_PUBLIC), mostKeys);
  const identities = new KeyCache(publicReader(ED25519_PUBLIC), mostKeys);
  return {
    agree: (secret, other) => {
      const [privateKey, publicKey] = [secrets.get(secret), others.get(other)];
      const shared = plainBytes(diffieHellman({ privateKey, publicKey }));
      secrets.keep(secret, privateKey);
      others.keep(other, publicKey);
      return shared;
    },
    verify: (signature, message, key) => {
      const identity = identities.get(key);
      const isGood = verify(null, message, identity, signature);
      if (isGood) identities.keep(key, identity);
      return isGood;
    },
    cached: () => secrets.size + others.size + identities.size,
  };
}

/**
 * Whether an Ed25519 public key is one that only the holder of its secret can sign for, the same for every program that verifies: in
 * canonical form, and of the group's full prime order. For points of small order anybody can make signatures.
 */
export function isSoundIdentity(raw: Uint8Array): boolean {
  return isLargeIdentity(raw) && ed25519.Point.fromBytes(raw, false).isTorsionFree();
}

/** The part of it that keeps others from signing, at a sixth of the time (0.15 ms of 1 ms): for every request of a stranger. */
export function isLargeIdentity(raw: Uint8Array): boolean {
  try {
    return !ed25519.Point.fromBytes(raw, false).isSmallOrder();
  } catch {
    return false;
  }
}

/** Bytes for keys and shares. */
export const systemEntropy: Entropy = (bytes) => plainBytes(randomBytes(bytes));

/** Bytes fetched at a time: a call of the system costs more than a few kilobytes. */
const BATCH = 4096;

export function entropyStream(): Stream {
  let bytes = randomBytes(BATCH);
  let at = 0;
  return streamFrom(() => {
    if (at === BATCH) {
      bytes = randomBytes(BATCH);
      at = 0;
    }
    const word = bytes.readUInt32LE(at);
    at += 4;
    return word;
  });
}

/** Who a participant is to the server, as stored: raw, 32 bytes each. */
export interface KeyPair {
  readonly publicKey: Uint8Array;
  readonly secretKey: Uint8Array;
}

export function newKeyPair(): KeyPair {
  // Encoded as they are made: a process that made many keys stopped while one was exported afterwards. Why is not known.
  const { publicKey, privateKey } = generateKeyPairSync('ed25519', {
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return { publicKey: rawKey(publicKey), secretKey: rawKey(privateKey) };
}

export function signerOf({ publicKey, secretKey }: KeyPair): Signer {
  const [x, d] = [toBase64(publicKey), toBase64(secretKey)];
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });
  return { key: x, sign: (statement) => sign(null, statement, key).toString('base64url') };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** The 32 bytes of a key are the last of its DER. */
function rawKey(der: Buffer): Uint8Array {
  return plainBytes(der.subarray(-32));
}
