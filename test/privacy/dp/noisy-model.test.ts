import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { clippedStep } from '../../../src/privacy/dp/clip.ts';
import { drawNoise, noiseOfSum } from '../../../src/privacy/dp/grid.ts';
import { NoisyCombiner } from '../../../src/privacy/dp/noisy-combiner.ts';
import { Aggregator } from '../../../src/solver/aggregate.ts';
import { examine, newMember, propose, type Solution } from '../../../src/solver/member.ts';
import { addScaled, norm, plusScaled } from '../../../src/solver/vector.ts';
import { makeProblem, shardsOf } from '../../helpers/problems.ts';

const SHAPE = {
  seed: 8,
  participants: 5,
  d: 15,
  mostRows: 25,
  objective: 'classification',
  c1: 1,
  c2: 1,
  epsilon: 0,
  trouble: 'none',
} as const;
const CLIP = 0.3;

/** Private training with central noise: clip, sum, add noise, keep it. */
function train(noiseMultiplier: number, rounds: number) {
  const shards = shardsOf(makeProblem(SHAPE));
  const combiner = new NoisyCombiner(new Aggregator('safe', SHAPE.d, SHAPE.c2));
  for (const [k, { n }] of shards.entries()) combiner.join(k, { rows: n });
  let members: Solution[] = shards.map((shard) => newMember(shard));
  for (let round = 0; round < rounds; round++) {
    const { w, sigma } = combiner.orderFor();
    members = members.map((state, k) => {
      examine(shards[k], state, w);
      const options = { sigma, tolerance: 1e-9, passes: 10, seed: round };
      return clippedStep(shards[k], state, propose(shards[k], options).solution, CLIP);
    });
    combiner.aggregate(
      members.map(({ u }, member) => ({ member, u })),
      1,
    );
    const dp = { clip: CLIP, noiseMultiplier, epsilon: 1, delta: 1e-5 };
    combiner.addNoise(drawNoise(noiseOfSum(dp, SHAPE.d), stream(2, 'noise', round)));
  }
  return { combiner, members };
}

/** |w - N - sum of the contributions| / |w - N| */
function error(w: Float64Array, noise: Float64Array, parts: readonly Solution[]): number {
  const clean = plusScaled(w, -1, noise);
  const rest = clean.slice();
  for (const { u } of parts) addScaled(rest, -1, u);
  return norm(rest) / norm(clean);
}

describe('under noise', () => {
  test.each([0.2, 1, 3])('noise %f: w less the noise is the sum of the contributions', (noiseMultiplier) => {
    const { combiner, members } = train(noiseMultiplier, 20);
    const { w, noise } = combiner;
    expect(error(w, noise, members)).toBeLessThan(1e-12);
    expect(error(w, new Float64Array(SHAPE.d), members)).toBeGreaterThan(1e-3);
    expect(error(w, noise, members.slice(1))).toBeGreaterThan(1e-3);
  });

  test('the noise stays when a contribution goes, and outlasts a restart', () => {
    const { combiner, members } = train(1, 10);
    const { noise } = combiner;
    combiner.forget(2);
    expect(error(combiner.w, noise, members.toSpliced(2, 1))).toBeLessThan(1e-12);
    const again = new NoisyCombiner(new Aggregator('safe', SHAPE.d, SHAPE.c2));
    for (const [member, { u }] of combiner.members) again.join(member, { rows: 1, u });
    again.recall(structuredClone(combiner.memory));
    expect([...again.noise]).toEqual([...noise]);
    for (const [j, value] of combiner.w.entries()) expect(again.w[j]).toBeCloseTo(value, 12);
  });

  test('nothing is certified', () => {
    const { primal, dual, relativeGap } = train(1, 2).combiner.certificate();
    expect([primal, dual, relativeGap]).toEqual([Number.NaN, Number.NaN, Number.NaN]);
  });
});
