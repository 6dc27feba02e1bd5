import { describe, expect, test } from 'vitest';
import { recoverFromSums, recoverPersonal, scoreVector } from '../../../src/privacy/audit/index.ts';
import { MASKS, type MaskName, sumsOf, tiny, watch } from './federation.ts';

const scores = (mask: MaskName, aggregation: 'exact' | 'line-search' | 'safe') =>
  watch({ table: tiny(), passes: 1, rounds: 60, aggregation, mask: MASKS[mask] }).watched.map(
    ({ observation, truth }) => scoreVector(recoverPersonal(observation), truth.personal),
  );

describe('the personal part', () => {
  test.each(['exact', 'line-search', 'safe'] as const)(
    'is known exactly without masks: %s',
    (aggregation) => {
      for (const { cosine, relativeError } of scores('none', aggregation)) {
        expect(relativeError).toBeLessThan(1e-9);
        expect(cosine).toBeGreaterThan(0.999);
      }
    },
  );

  test.each(['Bernoulli, consistent', 'Beta, consistent'] as const)('%s masks do not hide it', (mask) => {
    for (const { relativeError } of scores(mask, 'exact')) expect(relativeError).toBeLessThan(1e-9);
  });

  test.each(['Bernoulli, paper', 'Beta, paper'] as const)('%s masks blur it, no more', (mask) => {
    const all = scores(mask, 'safe');
    const mean = all.reduce((sum, { relativeError }) => sum + relativeError, 0) / all.length;
    expect(mean).toBeGreaterThan(0.05);
    for (const { cosine } of all) expect(cosine).toBeGreaterThan(0.5);
  });

  test('is not in the sums that secure aggregation shows', () => {
    const { watched, w } = watch({ table: tiny(), passes: 1, aggregation: 'line-search' });
    const guess = recoverFromSums(sumsOf(watched.map(({ observation }) => observation)));
    const all = watched.map(({ truth }) => scoreVector(guess, truth.personal));
    // The mean share is w / participants: what everybody is sent anyway.
    const { c2 } = watched[0].observation.settings;
    for (const [j, value] of guess.entries()) expect(value).toBeCloseTo(w[j] / watched.length / c2, 12);
    for (const { relativeError } of all) expect(relativeError).toBeGreaterThan(0.5);
  });
});
