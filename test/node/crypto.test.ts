/** Keys that are kept in memory: those of use, and so many at the most. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { expect, test } from 'vitest';
import { isSoundIdentity, newKeyPair, nodePrimitives, signerOf } from '../../src/node/crypto.ts';

test('keys whose signatures are wrong are not kept, however many there are', () => {
  const primitives = nodePrimitives();
  const message = new Uint8Array(10);
  for (let n = 0; n < 500; n++)
    expect(primitives.verify(new Uint8Array(64), message, newKeyPair().publicKey)).toBe(false);
  expect(primitives.cached()).toBe(0);
});

test('keys of use are kept, up to a bound, and the one that was used longest ago is dropped', () => {
  const primitives = nodePrimitives(10);
  const message = randomBytes(10);
  const pairs = Array.from({ length: 50 }, () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url');
    return { raw: new Uint8Array(raw), signature: new Uint8Array(sign(null, message, privateKey)) };
  });
  for (const { raw, signature } of [...pairs, ...pairs, pairs[0]])
    expect(primitives.verify(signature, message, raw)).toBe(true);
  expect(primitives.cached()).toBe(10);
});

test('a shared secret of a key of small order is none, and the key is not kept', () => {
  const primitives = nodePrimitives();
  expect(() => primitives.agree(randomBytes(32), new Uint8Array(32))).toThrow();
  expect(primitives.cached()).toBe(0);
});

test('every key that is made here is sound, and one with a part of small order is not', () => {
  for (let n = 0; n < 20; n++) expect(isSoundIdentity(newKeyPair().publicKey)).toBe(true);
  const { publicKey } = newKeyPair();
  const torsion = ed25519.Point.fromHex('c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a');
  expect(isSoundIdentity(ed25519.Point.fromBytes(publicKey).add(torsion).toBytes())).toBe(false);
  expect(isSoundIdentity(new Uint8Array(31))).toBe(false);
  expect(signerOf(newKeyPair()).key).toHaveLength(43);
});
