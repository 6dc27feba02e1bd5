/** Who a participant is to the server: an Ed25519 key pair that never leaves the state folder. */
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import type { Signer } from '../../client/ports.ts';
import { plainBytes } from '../files/files.ts';

/** As stored: raw, 32 bytes each. */
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
