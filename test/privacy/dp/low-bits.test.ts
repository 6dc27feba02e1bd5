/**
 * The exploit of floating-point noise (Mironov 2012), as a curious reader of w would run it. Marsaglia's method gives two normal numbers x = a f,
 * y = b f with a, b multiples of 2^-52 and f = sqrt(-2 ln s / s), s = a^2 + b^2 = exp(-(x^2 + y^2) / 2). Whoever subtracts the right sum from
 * a published pair gets the noise, computes f from it, and finds multiples of 2^-52; a wrong sum leaves remainders like any others.
 */
import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { modelOf } from '../../../src/coordinator/training.ts';
import { makeHarLike } from '../../../src/data/generate-har.ts';
import { gridBits } from '../../../src/privacy/dp/grid.ts';
import { Simulation } from '../../../src/sim/simulation.ts';
import { plusScaled } from '../../../src/solver/vector.ts';
import { planFor } from '../../helpers/federation.ts';

const TRIALS = 40;
const EPSILON = 0.1;
const VICTIM = '4';

/** Mean distance of a 2^52 and b 2^52 from whole numbers, where they are small enough to have any digits behind the point. */
function remainder(noise: Float64Array, deviation: number): number {
  let [sum, count] = [0, 0];
  for (let j = 0; j + 1 < noise.length; j += 2) {
    const x = noise[j] / deviation;
    const y = noise[j + 1] / deviation;
    const s = Math.exp(-(x * x + y * y) / 2);
    const f = Math.sqrt((-2 * Math.log(s)) / s);
    for (const value of [x / f, y / f]) {
      if (!(Math.abs(value) < 2 ** -5)) continue;
      const scaled = value * 2 ** 52;
      sum += Math.abs(scaled - Math.round(scaled));
      count++;
    }
  }
  return count === 0 ? 0.25 : sum / count;
}

/** Which of two sums is under this noise. */
function guess(published: Float64Array, sums: readonly Float64Array[], deviation: number): number {
  const [first, second] = sums.map((sum) => remainder(plusScaled(published, -1, sum), deviation));
  return first < second ? 0 : 1;
}

/** One private round of four, or of the three without the victim: w, both sums, and which it was. */
function round(trial: number) {
  const table = makeHarLike({ seed: trial, participants: 4, rowsPerParticipant: 12, features: 200 });
  const train = { aggregation: 'safe', rounds: 1, passes: 3, gap: 0, testFraction: 0, seed: trial } as const;
  const dp = { clip: 0.01, noiseMultiplier: 40, epsilon: EPSILON, delta: 1e-5 };
  const plan = planFor(table, { ...train, scale: 'none' }, { options: { dp, minParticipants: 3 } });
  const isIn = trial % 2;
  const everybody = new Simulation(plan).run();
  const others = plan.participants.filter(({ profile }) => profile.id !== VICTIM);
  const run = isIn ? everybody : new Simulation({ ...plan, participants: others }).run();
  const steps = [...everybody.participants].map(([id, { disk }]) => ({ id, u: disk!.committed!.u }));
  const sumOf = (of: typeof steps) =>
    of.reduce<Float64Array>((sum, { u }) => plusScaled(sum, 1, u), new Float64Array(201));
  const sums = [sumOf(steps.filter(({ id }) => id !== VICTIM)), sumOf(steps)];
  return { w: modelOf(run.coordinator.state!)!.w, sums, isIn, dp };
}

describe('one round at epsilon 0.1', () => {
  const rounds = Array.from({ length: TRIALS }, (_, trial) => round(trial + 1));

  test('the low bits of floating-point noise tell whether somebody took part', () => {
    let right = 0;
    for (const [trial, { sums, isIn, dp }] of rounds.entries()) {
      const random = stream(trial, 'floating-point noise');
      const deviation = dp.noiseMultiplier * dp.clip;
      const published = sums[isIn].map((value) => value + deviation * random.normal());
      if (guess(published, sums, deviation) === isIn) right++;
    }
    expect(right).toBe(TRIALS);
  });

  test('those of what is published do not: the exploit is at chance', () => {
    const right = rounds.filter(
      ({ w, sums, isIn, dp }) => guess(w, sums, dp.noiseMultiplier * dp.clip) === isIn,
    ).length;
    // Four deviations of a fair coin.
    expect(Math.abs(right - TRIALS / 2)).toBeLessThan(4 * Math.sqrt(TRIALS / 4));
  });

  test('[DP-4] everything that is published is on the grid, and so are both sums', () => {
    for (const { w, sums, dp } of rounds) {
      const scale = 2 ** gridBits(dp);
      for (const vector of [w, ...sums])
        expect(vector.every((value) => Number.isInteger(value * scale))).toBe(true);
    }
  });
});
