import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import {
  certificateUnderNoise,
  clipProposal,
  conservationError,
  noisedSum,
} from '../../../src/privacy/dp/index.ts';
import {
  addScaled,
  certificate,
  commit,
  dot,
  examine,
  newMember,
  plusScaled,
  propose,
} from '../../../src/solver/index.ts';
import { makeProblem, shardsOf } from '../../helpers/problems.ts';
import { Rounds } from '../../helpers/rounds.ts';

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

/** Private training with central noise: clip, sum, add noise, record it. */
function train(noiseMultiplier: number, rounds: number) {
  const shards = shardsOf(makeProblem(SHAPE));
  const clip = 0.3;
  let members = shards.map((shard) => newMember(shard));
  let w: Float64Array = new Float64Array(SHAPE.d);
  let noise: Float64Array = new Float64Array(SHAPE.d);
  for (let round = 0; round < rounds; round++) {
    const sum = new Float64Array(SHAPE.d);
    members = members.map((state, k) => {
      examine(shards[k], state, w);
      const options = { sigma: shards.length, tolerance: 1e-9, passes: 10, seed: round, atoms: 1 };
      const proposal = clipProposal(shards[k], propose(shards[k], state, options), clip);
      addScaled(sum, 1, proposal.update.du);
      return commit(shards[k], proposal.state, [0, 1]);
    });
    const noised = noisedSum(sum, { noiseMultiplier, clip }, stream(2, 'noise', round));
    w = plusScaled(w, 1, noised.noised);
    noise = plusScaled(noise, 1, noised.noise);
  }
  const scalars = (at: Float64Array) => members.map((state, k) => examine(shards[k], state, at));
  return { w, noise, contributions: members.map(({ committed }) => committed.u), scalars };
}

function optimum(): number {
  const rounds = new Rounds('exact', shardsOf(makeProblem(SHAPE)));
  for (let r = 0; r < 300; r++) rounds.step(20);
  return rounds.certify().dual;
}

describe('under noise', () => {
  const best = optimum();

  test.each([0.2, 1, 3])('noise %f: w less the noise is the sum of the contributions', (noiseMultiplier) => {
    const { w, noise, contributions } = train(noiseMultiplier, 20);
    expect(conservationError(w, noise, contributions)).toBeLessThan(1e-12);
    expect(conservationError(w, new Float64Array(SHAPE.d), contributions)).toBeGreaterThan(1e-3);
    expect(conservationError(w, noise, contributions.slice(1))).toBeGreaterThan(1e-3);
  });

  test.each([0, 0.2, 1, 3])(
    'noise %f: the dual bounds the optimum, the gap bounds the distance',
    (multiplier) => {
      const { w, noise, scalars } = train(multiplier, 20);
      const { primal, dual } = certificateUnderNoise(w, noise, SHAPE.c2, scalars(w));
      expect(dual).toBeLessThanOrEqual(best + 1e-9);
      expect(primal).toBeGreaterThanOrEqual(best - 1e-9);
      expect(primal - dual).toBeGreaterThanOrEqual(primal - best - 1e-9);
    },
  );

  test('without noise it is the ordinary certificate', () => {
    const { w, noise, scalars } = train(0, 10);
    const ordinary = certificate(dot(w, w), SHAPE.c2, scalars(w));
    expect(certificateUnderNoise(w, noise, SHAPE.c2, scalars(w)).relativeGap).toBeCloseTo(
      ordinary.relativeGap,
      12,
    );
  });

  test('the ordinary certificate is none: its dual can lie above the optimum', () => {
    const { w, scalars } = train(0, 60);
    // Noise that happens to cancel the model.
    const noise = w.map((value) => -value);
    const zero = new Float64Array(SHAPE.d);
    expect(certificate(0, SHAPE.c2, scalars(zero)).dual).toBeGreaterThan(1.01 * best);
    expect(certificateUnderNoise(zero, noise, SHAPE.c2, scalars(zero)).dual).toBeLessThanOrEqual(best);
  });
});
