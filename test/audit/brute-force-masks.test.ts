import { describe, expect, test } from 'vitest';
import { explainMasks } from '../../src/audit/attacks/brute-force-masks.ts';
import { MOST as MOST_MASKED_ROWS, nearestSubset } from '../../src/audit/attacks/candidate-replay.ts';
import { scoreVector } from '../../src/audit/attacks/score.ts';
import { stream } from '../../src/base/random.ts';
import { MASKS, ruleFor, tiny, watch } from './federation.ts';

function vectors(count: number, seed: number): Float64Array[] {
  const random = stream(seed, 'vectors');
  return Array.from({ length: count }, () => new Float64Array(9).map(() => random.normal()));
}

describe('the subset behind a sum', () => {
  test.each([1, 4, 12, 18])('is found among 2^%i', (count) => {
    const parts = vectors(count, count);
    const random = stream(count, 'mask');
    const mask = Uint8Array.from(parts, () => random.below(2));
    const target = new Float64Array(9);
    for (const [i, part] of parts.entries()) for (let j = 0; j < 9; j++) target[j] += mask[i] * part[j];
    const fit = nearestSubset(parts, target)!;
    expect([...fit.mask]).toEqual([...mask]);
    expect(fit.residual).toBeLessThan(1e-9);
  });

  test('what did not change counts as kept and costs nothing', () => {
    const zeros = Array.from({ length: 100 }, () => new Float64Array(9));
    const [a, b] = vectors(2, 3);
    expect([...nearestSubset([a, ...zeros, b], b)!.mask]).toEqual([0, ...zeros.map(() => 1), 1]);
  });

  test('too many are not tried', () => {
    const [a] = vectors(1, 4);
    expect(nearestSubset(vectors(MOST_MASKED_ROWS + 1, 5), a)).toBeUndefined();
  });
});

describe('masks of a run, with the rows in hand', () => {
  test.each(['paper', 'consistent'] as const)('every Bernoulli mask is found: %s', (semantics) => {
    const name = `Bernoulli, ${semantics}` as const;
    const options = { table: tiny(), passes: 1, rounds: 60, aggregation: ruleFor(name), mask: MASKS[name] };
    const errors: number[] = [];
    for (const { observation, truth } of watch(options).watched) {
      const { explained, personal, rounds } = explainMasks(observation, truth.candidate, semantics);
      expect(explained).toBe(1);
      expect(rounds.some((round) => round.mask!.includes(0))).toBe(true);
      errors.push(scoreVector(personal, truth.personal).relativeError);
    }
    // With answers a participant predicts with its own answer as it is, which is near the masked one that was sent.
    if (semantics === 'consistent') {
      for (const error of errors) expect(error).toBeLessThan(0.02);
      return;
    }
    // Single precision may decide otherwise whether a last small step is worth taking.
    for (const error of errors) expect(error).toBeLessThan(1e-4);
    expect(errors.filter((error) => error < 1e-7).length).toBeGreaterThanOrEqual(errors.length - 1);
  });

  test('there is no such mask where they are continuous', () => {
    const mask = MASKS['Beta, paper'];
    const { watched } = watch({ table: tiny(), passes: 1, rounds: 60, aggregation: 'safe', mask });
    for (const { observation, truth } of watched) {
      expect(explainMasks(observation, truth.candidate, 'paper').explained).toBeLessThan(0.9);
    }
  });
});
