import { chacha20 } from '@noble/ciphers/chacha.js';
import { expand } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addProduct, divide, multiply } from '../../../src/privacy/secure/field.ts';
import {
  addWords,
  decode,
  encode,
  finestScaleBits,
  subtractWords,
} from '../../../src/privacy/secure/fixed-point.ts';
import {
  type Context,
  channelPair,
  contextText,
  derive,
  type Entropy,
  noblePrimitives,
  type Purpose,
  pairContext,
  rootOf,
} from '../../../src/privacy/secure/keys.ts';
import { addMask, subtractMask } from '../../../src/privacy/secure/prg.ts';
import { open, seal } from '../../../src/privacy/secure/seat.ts';
import { extend, reconstruct, type Share } from '../../../src/privacy/secure/shamir.ts';
import { sortShares } from '../../../src/privacy/secure/wrong-shares.ts';
import { bigints, nodePrimitives, seededEntropy } from './helpers.ts';

const words = (length: number) =>
  fc
    .uint8Array({ minLength: 8 * length, maxLength: 8 * length })
    .map((b) => new Uint32Array(b.slice().buffer));

describe('fixed point', () => {
  const fixed = { scaleBits: 40, limit: 1000, participants: 100 };
  const value = fc.double({ min: -1000, max: 1000, noNaN: true });

  test('[SECURE-4] a value comes back as the nearest on the grid', () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1 }), (list) => {
        const values = Float64Array.from(list);
        const nearest = values.map((one) => Math.round(one * 2 ** 40) / 2 ** 40 + 0);
        expect(decode(encode(values, fixed), fixed)).toEqual(nearest);
        for (let i = 0; i < values.length; i++) {
          expect(Math.abs(nearest[i] - values[i])).toBeLessThanOrEqual(2 ** -41);
        }
      }),
    );
  });

  test('adding and subtracting words is arithmetic modulo 2^64', () => {
    fc.assert(
      fc.property(words(6), words(6), (a, b) => {
        const sum = a.slice();
        addWords(sum, b);
        expect(bigints(sum)).toEqual(bigints(a).map((x, i) => BigInt.asUintN(64, x + bigints(b)[i])));
        subtractWords(sum, b);
        expect(sum).toEqual(a);
      }),
    );
  });

  test('extremes of all participants do not wrap', () => {
    const scaleBits = finestScaleBits({ limit: 1000, participants: 100 });
    expect(scaleBits).toBe(46);
    const finest = { scaleBits, limit: 1000, participants: 100 };
    for (const extreme of [1000, -1000]) {
      const sum = new Uint32Array(2);
      for (let i = 0; i < 100; i++) addWords(sum, encode(Float64Array.of(extreme), finest));
      expect(decode(sum, finest)[0]).toBe(100 * extreme);
    }
    expect(() => encode(Float64Array.of(1), { ...finest, scaleBits: 47 })).toThrow(/2\^63/);
    expect(() => finestScaleBits({ limit: 2 ** 62, participants: 3 })).toThrow(/2\^63/);
  });

  test.each([1000.001, -1001, Number.NaN, Infinity, -Infinity])(
    '[SECURE-4] %f is refused, never wrapped',
    (bad) => {
      try {
        encode(Float64Array.of(0, bad), fixed);
        expect.unreachable();
      } catch (error) {
        expect(error).toMatchObject({ code: 'SECURE_OVERFLOW' });
      }
    },
  );
});

describe('masks', () => {
  test('are the keystream of RFC 8439, in one piece across blocks', () => {
    const key = hexToBytes('00'.repeat(32));
    const vector = new Uint32Array(2 * 3001);
    addMask(vector, key);
    // RFC 8439, A.1, test vector 1.
    expect(Buffer.from(vector.buffer, 0, 8).toString('hex')).toBe('76b8e0ada0f13d90');
    expect(new Uint8Array(vector.buffer)).toEqual(
      chacha20(key, new Uint8Array(12), new Uint8Array(vector.byteLength)),
    );
    subtractMask(vector, key);
    expect(vector.every((word) => word === 0)).toBe(true);
  });
});

describe('keys', () => {
  const context: Context = { federation: 'f', round: 1, from: 'a', to: 'b' };
  const root = seededEntropy('root')(32);

  test('two ends agree, with the pure implementation and with that of Node', () => {
    const [a, b] = [channelPair(seededEntropy('a')), channelPair(seededEntropy('b'))];
    const agreed = noblePrimitives.agree(a.secretKey, b.publicKey);
    expect(noblePrimitives.agree(b.secretKey, a.publicKey)).toEqual(agreed);
    expect(nodePrimitives.agree(a.secretKey, b.publicKey)).toEqual(agreed);
    for (const { agree } of [noblePrimitives, nodePrimitives]) {
      expect(() => agree(a.secretKey, new Uint8Array(32))).toThrow();
    }
  });

  test('derivation is HKDF-Expand', () => {
    const info = utf8ToBytes(contextText('pairwise mask', context));
    expect(derive(root, 'pairwise mask', context)).toEqual(expand(sha256, root, info, 32));
  });

  test('every part of the context makes another key', () => {
    const purposes: Purpose[] = ['pairwise mask', 'share encryption', 'derived share', 'consistency'];
    const contexts = [
      context,
      { ...context, federation: 'g' },
      { ...context, round: 2 },
      { ...context, from: 'c' },
      { ...context, to: 'c' },
      { ...context, from: 'b', to: 'a' },
      { ...context, from: 'a","b', to: '' },
      { ...context, statement: 's' },
    ];
    const keys = purposes.flatMap((purpose) => contexts.map((each) => derive(root, purpose, each)));
    keys.push(derive(rootOf(root, new Uint8Array(32)), 'pairwise mask', context));
    keys.push(derive(rootOf(root, new Uint8Array(32).fill(1)), 'pairwise mask', context));
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(keys.length);
    expect(pairContext({ ...context, from: 'b', to: 'a' })).toEqual(pairContext(context));
  });

  test('a sealed share opens for its holder, dealer and round only', () => {
    const share = seededEntropy('share')(32);
    const sealed = seal(share, root, context);
    expect(open(sealed, root, context)).toEqual(share);
    expect(open(sealed, root, { ...context, round: 2 })).toBeUndefined();
    expect(open(sealed, root, { ...context, from: 'b', to: 'a' })).toBeUndefined();
    expect(open(sealed, seededEntropy('other')(32), context)).toBeUndefined();
    for (let i = 0; i < sealed.length; i++) {
      expect(open(sealed.subarray(0, i), root, context)).toBeUndefined();
      expect(
        open(
          sealed.map((byte, at) => (at === i ? byte ^ 1 : byte)),
          root,
          context,
        ),
      ).toBeUndefined();
    }
  });
});

describe('the field', () => {
  const element = fc.integer({ min: 0, max: 65535 });
  const timesSecret = (factor: number, secret: number) => {
    const sum = new Uint32Array(1);
    addProduct(sum, factor, Uint32Array.of(secret | (secret << 16)));
    expect(sum[0] >>> 16).toBe(sum[0] & 0xffff);
    return sum[0] & 0xffff;
  };

  test('is a field, and both ways of multiplying agree', () => {
    fc.assert(
      fc.property(element, element, element, (a, b, c) => {
        expect(multiply(a, b)).toBe(timesSecret(a, b));
        expect(multiply(a, b)).toBe(multiply(b, a));
        expect(multiply(multiply(a, b), c)).toBe(multiply(a, multiply(b, c)));
        expect(multiply(a, b ^ c)).toBe(multiply(a, b) ^ multiply(a, c));
        if (b !== 0) expect(multiply(divide(a, b), b)).toBe(a);
      }),
    );
  });

  test('has 65,535 powers of its generator, all different', () => {
    const seen = new Set<number>();
    for (let i = 0, x = 1; i < 65535; i++, x = multiply(x, 2)) seen.add(x);
    expect(seen.size).toBe(65535);
  });
});

describe('shares', () => {
  const entropy = seededEntropy('shares');
  const secret = entropy(32);

  /** Shamir's dealing as in his paper: t - 1 shares at random, and the secret as the value at 0. */
  function split(value: Uint8Array, holders: readonly number[], threshold: number, random: Entropy): Share[] {
    const chosen = holders.slice(0, threshold - 1).map((x) => ({ x, y: random(value.length) }));
    return [...chosen, ...extend([{ x: 0, y: value }, ...chosen], holders.slice(threshold - 1))];
  }

  test.each([
    [1, 1],
    [2, 3],
    [7, 10],
    [67, 100],
    [600, 1000],
  ])('any %i of %i give the secret', (threshold, n) => {
    const holders = Array.from({ length: n }, (_, i) => i + 1);
    const shares = split(secret, holders, threshold, entropy);
    expect(shares.map(({ x }) => x)).toEqual(holders);
    expect(reconstruct(shares, threshold)).toEqual(secret);
    expect(reconstruct([...shares].reverse(), threshold)).toEqual(secret);
    if (threshold > 1) expect(reconstruct(shares.slice(0, threshold - 1), threshold - 1)).not.toEqual(secret);
  });

  test('too few fit every secret: all but one say nothing', () => {
    // For any other secret there is a last share that makes it fit.
    const shares = split(secret, [1, 2, 3], 3, entropy);
    const other = entropy(32);
    const fitting = split(
      other,
      [1, 2, 3],
      3,
      (() => {
        const queue = [shares[0].y, shares[1].y];
        return () => queue.shift()!;
      })(),
    );
    expect(fitting.slice(0, 2)).toEqual(shares.slice(0, 2));
    expect(reconstruct(fitting, 3)).toEqual(other);
  });

  test('too few, twice the same, at impossible points or of different lengths are refused', () => {
    const shares = split(secret, [1, 2, 3, 4], 3, entropy);
    const refused = (list: Share[]) => expect(() => reconstruct(list, 3)).toThrow(/expected/);
    refused(shares.slice(0, 2));
    refused([shares[0], shares[1], shares[0]]);
    refused([shares[0], shares[1], { x: 0, y: secret }]);
    refused([shares[0], shares[1], { x: 65536, y: secret }]);
    refused([shares[0], shares[1], { ...shares[2], y: shares[2].y.subarray(2) }]);
  });

  test('wrong ones are found, up to half of what is beyond the threshold', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 0, max: 4 }),
        fc.nat(),
        (t, errors, at) => {
          const holders = Array.from({ length: t + 2 * errors + (at % 2) }, (_, i) => 3 * i + 1);
          const shares = split(secret, holders, t, entropy);
          const liars = new Set(Array.from({ length: errors }, (_, i) => (at + 3 * i) % holders.length));
          const told = shares.map((share, i) =>
            // Wrong in one place only, a different one for each.
            liars.has(i)
              ? { ...share, y: share.y.map((byte, j) => (j === i % 32 ? byte ^ 9 : byte)) }
              : share,
          );
          const sorted = sortShares(told, t)!;
          expect(sorted.wrong).toEqual(told.filter((_, i) => liars.has(i)));
          expect(reconstruct(sorted.right, t)).toEqual(secret);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('with too many wrong ones nothing is made up', () => {
    const shares = split(secret, [1, 2, 3, 4], 3, entropy);
    const told = shares.map((share, i) => (i === 0 ? { ...share, y: entropy(32) } : share));
    expect(sortShares(told, 3)).toBeUndefined();
  });
});
