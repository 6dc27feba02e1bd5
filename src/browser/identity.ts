/**
 * The key that a participant signs with: one of WebCrypto that no script can read, where the browser has Ed25519 there; else raw bytes and
 * portable code. Both give the same signatures.
 */
import { toBase64Url } from '../base/base64.ts';
import type { Signer } from '../client/ports.ts';
import { reading, requested, writing } from './database.ts';
import { randomBytes } from './entropy.ts';
import { checkOwner } from './ownership.ts';

/** As stored. */
export type Identity =
  | { readonly publicKey: string; readonly key: CryptoKey }
  | { readonly publicKey: string; readonly secretKey: Uint8Array };

/** Portable code for curves is loaded where it is needed only. */
const curves = () => import('@noble/curves/ed25519.js');

export async function newIdentity(): Promise<Identity> {
  return (await fromWebCrypto()) ?? portableIdentity();
}

async function portableIdentity(): Promise<Identity> {
  const { ed25519 } = await curves();
  const secretKey = randomBytes(32);
  return { publicKey: toBase64Url(ed25519.getPublicKey(secretKey)), secretKey };
}

/** Undefined: on plain http there is no `crypto.subtle`, and older browsers have no Ed25519 in it. */
async function fromWebCrypto(): Promise<Identity | undefined> {
  try {
    const { subtle } = crypto;
    const pair = (await subtle.generateKey('Ed25519', false, ['sign', 'verify'])) as CryptoKeyPair;
    const raw = new Uint8Array(await subtle.exportKey('raw', pair.publicKey));
    return { publicKey: toBase64Url(raw), key: pair.privateKey };
  } catch {
    return undefined;
  }
}

export async function signerOf(identity: Identity): Promise<Signer> {
  const { publicKey } = identity;
  if ('key' in identity) {
    const { key } = identity;
    return {
      key: publicKey,
      sign: async (statement) =>
        toBase64Url(
          new Uint8Array(await crypto.subtle.sign('Ed25519', key, statement as Uint8Array<ArrayBuffer>)),
        ),
    };
  }
  const { ed25519 } = await curves();
  const { secretKey } = identity;
  return { key: publicKey, sign: (statement) => toBase64Url(ed25519.sign(statement, secretKey)) };
}

export function readIdentity(database: IDBDatabase, name: string): Promise<Identity | undefined> {
  return reading(database, ['keys'], (transaction) =>
    requested(transaction.objectStore('keys').get(name) as IDBRequest<Identity | undefined>),
  );
}

/** A new one, that is kept. */
export async function makeIdentity(database: IDBDatabase, name: string, token: string): Promise<Identity> {
  const keep = (identity: Identity) =>
    writing(database, ['keys', 'owners'], async (transaction) => {
      await checkOwner(transaction, name, token);
      await requested(transaction.objectStore('keys').put(identity, name));
      return identity;
    });
  return keep(await newIdentity()).catch((error: unknown) => {
    // Private windows of some browsers store anything but keys of WebCrypto.
    if ((error as { name?: string }).name !== 'DataCloneError') throw error;
    return portableIdentity().then(keep);
  });
}
