import { describe, expect, test } from 'vitest';
import type { Observation } from '../../src/audit/attacks/observation.ts';
import { calibrate, meanDecision } from '../../src/audit/attacks/property.ts';
import { scoreShares } from '../../src/audit/attacks/score.ts';
import { stream } from '../../src/base/random.ts';
import { tableOf } from '../helpers/tables.ts';
import { MASKS, type MaskName, ruleFor, type Scene, watch } from './federation.ts';

const PEOPLE = 40;

/** From a tenth to nine tenths of positive rows. */
function uneven(mask: MaskName, c1: number): Scene {
  const random = stream(5, 'balance');
  const target = (x: Float64Array, k: number) => {
    const y = random.uniform() < 0.1 + (0.8 * k) / (PEOPLE - 1) ? 1 : -1;
    x[0] += 0.5 * y;
    x[1] += 0.5 * y;
    return y;
  };
  const table = tableOf({ participants: PEOPLE, rows: 40, d: 8, target });
  return watch({ table, passes: 1, rounds: 20, c1, aggregation: ruleFor(mask), mask: MASKS[mask] });
}

/** Every fifth participant is an accomplice; the score is of the others. */
function scored(scene: Scene, signalOf: (observation: Observation) => number) {
  const pairs = scene.watched.map(({ observation, truth }) => ({
    signal: signalOf(observation),
    share: truth.rows.filter(({ y }) => y > 0).length / truth.rows.length,
  }));
  const shareOf = calibrate(pairs.filter((_, k) => k % 5 === 0));
  const others = pairs.filter((_, k) => k % 5 !== 0);
  return scoreShares(
    others.map(({ signal }) => shareOf(signal)),
    others.map(({ share }) => share),
  );
}

describe('the balance of labels', () => {
  test.each([
    ['none', 0.98],
    ['Bernoulli, paper', 0.8],
    ['Bernoulli, consistent', 0.98],
    ['Beta, paper', 0.9],
    ['Beta, consistent', 0.98],
  ] as const)('shows in the moments sent for the scaling: %s', (mask, least) => {
    const scene = uneven(mask, 1);
    const { correlation, error, errorOfMean } = scored(scene, (o) => meanDecision(o, scene.w)!);
    expect(correlation).toBeGreaterThan(least);
    expect(error).toBeLessThan(0.65 * errorOfMean);
  });
});
