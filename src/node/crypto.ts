/** Keys and random numbers of Node: X25519 and Ed25519, some ten times as fast as those that run everywhere; identities; entropy. */
import {
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  randomBytes,
  sign,
  verify,
} from 'node:crypto';
import { type Stream, streamFrom } from '../base/random.ts';
import type { Signer } from '../client/ports.ts';
import type { Entropy, Primitives } from '../privacy/secure/keys.ts';
import { plainBytes } from './files/files.ts';

/** What comes before the 32 bytes of a key in DER. */
const X25519_SECRET = Buffer.from('302e020100300506032b656e04220420', 'hex');
const X25519_PUBLIC = Buffer.from('302a300506032b656e032100', 'hex');
export const ED25519_PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');

/** Reading a key takes Node longer than using it: each is read once. */
function reading<Key>(read: (der: Buffer) => Key, prefix: Buffer): (raw: Uint8Array) => Key {
  const known = new Map<string, Key>();
  return (raw) => {
    const der = Buffer.concat([prefix, raw]);
    const name = der.toString('base64');
    const key = known.get(name) ?? read(der);
    known.set(name, key);
    return key;
  };
}

export function nodePrimitives(): Primitives {
  const secretKey = reading((key) => createPrivateKey({ key, format: 'der', type: 'pkcs8' }), X25519_SECRET);
  const publicKey = reading((key) => createPublicKey({ key, format: 'der', type: 'spki' }), X25519_PUBLIC);
  const identity = reading((key) => createPublicKey({ key, format: 'der', type: 'spki' }), ED25519_PUBLIC);
  return {
    agree: (secret, other) =>
      plainBytes(diffieHellman({ privateKey: secretKey(secret), publicKey: publicKey(other) })),
    verify: (signature, message, key) => verify(null, message, identity(key), signature),
  };
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
  const { x, d } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return { publicKey: fromBase64(x!), secretKey: fromBase64(d!) };
}

export function signerOf({ publicKey, secretKey }: KeyPair): Signer {
  const [x, d] = [toBase64(publicKey), toBase64(secretKey)];
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', x, d }, format: 'jwk' });
  return { key: x, sign: (statement) => sign(null, statement, key).toString('base64url') };
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

function fromBase64(text: string): Uint8Array {
  return plainBytes(Buffer.from(text, 'base64url'));
}
