/** What the coordinator sees of a participant says nothing about its vector. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { encode } from '../../../src/privacy/secure/fixed-point.ts';
import type { Masked } from '../../../src/privacy/secure/messages.ts';
import { bigints, copyOf, FIXED, makeFederation, randomValues, runRound, someOf } from './helpers.ts';

/** Every key that has made a keystream, and how often. */
const used = new Map<string, number>();

vi.mock('../../../src/privacy/secure/prg.ts', async (original) => {
  const prg = await original<typeof import('../../../src/privacy/secure/prg.ts')>();
  const counting = (apply: typeof prg.addMask) => (vector: Uint32Array, key: Uint8Array) => {
    const name = Buffer.from(key).toString('hex');
    used.set(name, (used.get(name) ?? 0) + 1);
    apply(vector, key);
  };
  return { addMask: counting(prg.addMask), subtractMask: counting(prg.subtractMask) };
});

beforeEach(() => used.clear());

const ten = makeFederation(10);
const five = randomValues(ten.ids, 5);

test('[SECURE-16] no keystream serves twice: over rounds, pairs, participants and rosters all seeds differ', () => {
  const federation = copyOf(ten);
  const other = makeFederation(10, { name: 'another roster' });
  for (let round = 1; round <= 4; round++) {
    runRound(federation, round, five);
    runRound(other, round, five);
  }
  // Everybody's own mask: once by itself, once to take it off. A pair's: once at either end.
  expect([...used.values()].every((times) => times === 2)).toBe(true);
  expect(used.size).toBe(2 * 4 * (10 + 45));
});

test('[SECURE-16] with dropouts a seed is used once more, to take off what was left over, and never in another round', () => {
  const federation = copyOf(ten);
  let before = new Set<string>();
  for (let round = 1; round <= 4; round++) {
    used.clear();
    runRound(federation, round, five, { masking: someOf(federation.ids, 0.3, round) });
    expect([...used.keys()].filter((key) => before.has(key))).toEqual([]);
    before = new Set([...before, ...used.keys()]);
    // Seven counted in and the pairs among them and with the three that dropped out.
    expect(used.size).toBe(7 + 21 + 21);
    expect([...used.values()].every((times) => times === 2)).toBe(true);
  }
});

function maskedOf(values: Map<string, Float64Array>): Map<string, Uint32Array> {
  const seen = new Map<string, Uint32Array>();
  const federation = makeFederation(10, { name: 'twice' });
  runRound(federation, 1, values, {}, (kind, id, message) => {
    if (kind === 'masking') {
      seen.set(id, new Uint32Array((message as unknown as Masked).vector.slice().buffer));
    }
    return message;
  });
  return seen;
}

test('with the same entropy and another vector everything sent is the same, but for the difference', () => {
  const transcript = (values: Map<string, Float64Array>) => {
    const sent: unknown[] = [];
    const federation = makeFederation(10, { name: 'twice' });
    runRound(federation, 1, values, {}, (kind, _id, message) => {
      if (kind !== 'masking') sent.push(structuredClone(message));
      return message;
    });
    return sent;
  };
  const others = new Map(five).set(ten.ids[3], Float64Array.of(1, -2, 3.5, -1000, 1000));
  expect(transcript(others)).toEqual(transcript(five));
  const [a, b] = [maskedOf(five), maskedOf(others)];
  for (const id of ten.ids) {
    const fixed = { ...FIXED, participants: 10 };
    const [x, y] = [five, others].map((values) => bigints(encode(values.get(id)!, fixed)));
    const wanted = x.map((entry, i) => BigInt.asUintN(64, y[i] - entry));
    const [p, q] = [a, b].map((seen) => bigints(seen.get(id)!));
    expect(p.map((entry, i) => BigInt.asUintN(64, q[i] - entry))).toEqual(wanted);
  }
});

describe.each([0, 1000, -1000])('the masked vector of a participant whose entries are all %f', (value) => {
  const length = 4096;
  const values = new Map(ten.ids.map((id) => [id, new Float64Array(length).fill(value)]));
  const seen = maskedOf(values);
  test.each(ten.ids.slice(0, 3))('is uniform in every byte (%s)', (id) => {
    const bytes = new Uint8Array(seen.get(id)!.buffer);
    for (let place = 0; place < 8; place++) {
      const counts = new Float64Array(256);
      for (let i = place; i < bytes.length; i += 8) counts[bytes[i]]++;
      const mean = length / 256;
      const chi2 = counts.reduce((sum, count) => sum + (count - mean) ** 2 / mean, 0);
      // 255 degrees of freedom: five standard deviations to either side.
      expect(Math.abs(chi2 - 255)).toBeLessThan(5 * Math.sqrt(2 * 255));
    }
  });
});

test('the coordinator keeps no vector of anybody, and no secret after the round', () => {
  const federation = copyOf(ten);
  runRound(federation, 1, five, {}, (kind, id, message) => {
    if (kind === 'to attesting') {
      const held = JSON.stringify(federation.coordinator, (_key, entry) =>
        entry instanceof Map ? [...entry] : entry,
      );
      const own = federation.participants.get(id)!.round!.masked!.message.vector;
      expect(held).not.toContain(JSON.stringify(new Uint32Array(own.slice().buffer)));
    }
    return message;
  });
  expect(federation.coordinator.round).toBeUndefined();
});
