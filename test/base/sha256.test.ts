import { createHash } from 'node:crypto';
import { sha256 as noble } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { utf8Bytes } from '../../src/base/bytes.ts';
import { hexOf, Sha256, sha256 } from '../../src/base/sha256.ts';

test('the examples of FIPS 180-4', () => {
  const digests = ['', 'abc', 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq'].map((text) =>
    hexOf(sha256(utf8Bytes(text))),
  );
  expect(digests).toEqual([
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
  ]);
});

test('every length up to three blocks, as Node and @noble/hashes have it', () => {
  for (let length = 0; length <= 192; length++) {
    const data = Uint8Array.from({ length }, (_, i) => (i * 7 + length) & 255);
    const digest = hexOf(sha256(data));
    expect(digest).toBe(createHash('sha256').update(data).digest('hex'));
    expect(digest).toBe(hexOf(noble(data)));
  }
});

test('pieces give the digest of the whole', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 8 });
  fc.assert(
    fc.property(pieces, (parts) => {
      const hash = new Sha256();
      for (const part of parts) hash.update(part);
      expect(hexOf(hash.digest())).toBe(createHash('sha256').update(Buffer.concat(parts)).digest('hex'));
    }),
  );
});
