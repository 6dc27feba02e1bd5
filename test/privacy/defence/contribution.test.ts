import { describe, expect, test } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { type Contributions, recordRound, scoreRound } from '../../../src/privacy/defence/contribution.ts';
import type { Change } from '../../../src/privacy/defence/norm-bound.ts';
import { suspects } from '../../../src/privacy/defence/suspects.ts';
import { norm, plusScaled } from '../../../src/solver/vector.ts';
import { makeProblem, shardsOf } from '../../helpers/problems.ts';
import { AnswerRounds, Rounds } from '../../helpers/rounds.ts';
import { changeOf, honestChange, randomVector, scaled } from './helpers.ts';

const D = 60;
const HONEST = 9;

/** What a pretender sends, given what was broadcast last. */
type Pretence = (member: number, round: number, lastChange: Float64Array) => Change;

const noisePretence: Pretence = (member, round) =>
  changeOf(member, randomVector(D, stream(5, 'pretence', round, member)));

function play(seed: number, rounds: number, pretenders: Pretence[], own = 0.7): Contributions {
  let state: Contributions = new Map();
  let change: Float64Array = randomVector(D, stream(seed, 'start'));
  for (let round = 0; round < rounds; round++) {
    const updates = Array.from({ length: HONEST }, (_, k) => honestChange(seed, round, k, D, own));
    for (const [i, pretend] of pretenders.entries()) updates.push(pretend(100 + i, round, change));
    state = recordRound(state, scoreRound(updates, change));
    change = updates.reduce<Float64Array>(
      (sum, { du }) => plusScaled(sum, 1 / updates.length, du),
      new Float64Array(D),
    );
  }
  return state;
}

describe('scores of one round', () => {
  test('leave the participant itself out, and cap what one of the others can say', () => {
    const a = changeOf(0, Float64Array.of(1, 0));
    const b = changeOf(1, Float64Array.of(0, 1));
    const [first, second] = scoreRound([a, b]);
    expect(first.cosine).toBeCloseTo(0, 15);
    expect(second.cosine).toBeCloseTo(0, 15);
    const like = changeOf(2, Float64Array.of(0, 2));
    const huge = changeOf(3, Float64Array.of(-1e9, 0));
    const scores = scoreRound([b, like, huge]);
    // Capped at the median norm 2, the huge one cannot turn the other two's cosine: (0,2)+(-2,0) against (0,1).
    expect(scores[0].cosine).toBeCloseTo(Math.SQRT1_2, 12);
    expect(scores.map(({ normRatio }) => normRatio)).toEqual([0.5, 1, 5e8]);
  });

  test('own share is 0 for a copy, a multiple or the negative of the last change, 1 across it', () => {
    const change = Float64Array.of(3, 4);
    const updates = [change, scaled(0.1, change), scaled(-2, change), Float64Array.of(4, -3)];
    const shares = scoreRound(
      updates.map((du, k) => changeOf(k, du)),
      change,
    ).map(({ ownShare }) => ownShare);
    for (const share of shares.slice(0, 3)) expect(share).toBeCloseTo(0, 12);
    expect(shares[3]).toBeCloseTo(1, 12);
  });

  test('there is no angle to nothing', () => {
    expect(scoreRound([])).toEqual([]);
    const [zero, other] = scoreRound([changeOf(0, new Float64Array(2)), changeOf(1, Float64Array.of(1, 0))]);
    expect(zero).toMatchObject({ cosine: undefined, normRatio: 0, ownShare: undefined });
    expect(other).toMatchObject({ cosine: undefined, normRatio: 1, ownShare: undefined });
  });
});

describe('running averages', () => {
  const score = (normRatio: number) => ({
    member: 0,
    cosine: undefined,
    normRatio,
    ownShare: undefined,
    dimension: 4,
  });

  test('are plain means and variances at first, and leave the state they start from alone', () => {
    const empty: Contributions = new Map();
    let state = empty;
    for (const value of [1, 2, 6, 3]) state = recordRound(state, [score(value)]);
    expect(state.get(0)!.normRatio).toEqual({ count: 4, mean: 3, variance: 3.5 });
    expect(state.get(0)!.cosine.count).toBe(0);
    expect(empty.size).toBe(0);
  });

  test('forget: old merits fade', () => {
    let state: Contributions = new Map();
    for (let r = 0; r < 200; r++) state = recordRound(state, [score(1)]);
    for (let r = 0; r < 120; r++) state = recordRound(state, [score(0)]);
    expect(state.get(0)!.normRatio.mean).toBeLessThan(0.01);
  });
});

describe('suspects', () => {
  const PRETENCES: readonly [string, string, Pretence][] = [
    ['zeros', 'idle', (member) => changeOf(member, new Float64Array(D))],
    [
      'tiny updates',
      'idle',
      (member, round) => changeOf(member, scaled(1e-3, randomVector(D, stream(5, 'tiny', round)))),
    ],
    ['a copy of the last change', 'echo', (member, _, change) => changeOf(member, change)],
    ['its negative', 'echo', (member, _, change) => changeOf(member, scaled(-1.3, change))],
    [
      'a copy with some noise',
      'echo',
      (member, round, change) => {
        const size = Math.hypot(...change);
        const noise = randomVector(D, stream(5, 'blur', round));
        return changeOf(member, plusScaled(change, 0.15 * size, noise));
      },
    ],
    ['random vectors of plausible norm', 'noise', noisePretence],
  ];

  test.each(PRETENCES)('%s are seen as %s, and nobody else is', (_, kind, pretend) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const found = suspects(play(seed, 12, [pretend]));
      expect(found.map(({ member }) => member)).toEqual([100]);
      expect(found[0].suspicions).toContain(kind);
    }
  });

  test('all kinds at once, each for what it is', () => {
    const found = suspects(play(6, 15, [PRETENCES[0][2], PRETENCES[2][2], noisePretence]));
    expect(found.map(({ member }) => member)).toEqual([100, 101, 102]);
    for (const [i, kind] of ['idle', 'echo', 'noise'].entries()) expect(found[i].suspicions).toContain(kind);
  });

  test('nobody is suspected on a few rounds', () => {
    expect(suspects(play(7, 4, [noisePretence, PRETENCES[0][2], PRETENCES[2][2]]))).toEqual([]);
  });

  test('honest participants are not suspected, also where their own part is the larger one', () => {
    for (const own of [0, 0.7, 1.5])
      for (let seed = 10; seed < 20; seed++) expect(suspects(play(seed, 25, [], own))).toEqual([]);
  });

  test('where nobody agrees with anybody, nobody is suspected of noise', () => {
    const crowd = Array.from({ length: 30 }, () => noisePretence);
    const found = suspects(play(8, 15, crowd));
    expect(found.filter(({ suspicions }) => suspicions.includes('noise')).length).toBe(0);
  });

  test('one who turns is seen in the end', () => {
    const turncoat: Pretence = (member, round, change) =>
      round < 15 ? honestChange(9, round, member, D, 0.7) : noisePretence(member, round, change);
    expect(suspects(play(9, 15, [turncoat]))).toEqual([]);
    expect(suspects(play(9, 90, [turncoat])).map(({ member }) => member)).toEqual([100]);
  });
});

/**
 * Real training, with a random sender of plausible norm looking on: who is suspected? Its vectors are scored but not
 * trained with, so the honest side is what it would be without it.
 */
function suspectedInTraining(rule: 'answers' | 'safe', seed: number): number[] {
  const shape = { seed, participants: 8, d: 30, mostRows: 40, c1: 1, c2: 1, epsilon: 0.1 } as const;
  const objective = seed % 2 === 0 ? 'classification' : 'regression';
  const shards = shardsOf(makeProblem({ ...shape, objective, trouble: 'none' }));
  const training = rule === 'answers' ? byAnswers(shards) : bySteps(shards);
  let state: Contributions = new Map();
  let before: Float64Array | undefined;
  let contributions = shards.map(() => new Float64Array(30) as Float64Array);
  for (let r = 0; r < 12; r++) {
    const { sent, now } = training();
    const honest = now.map((u, k) => changeOf(k, plusScaled(u, -1, contributions[k])));
    contributions = now;
    const pretended = changeOf(100, scaled(norm(honest[3].du), randomVector(30, stream(seed, 'sender', r))));
    state = recordRound(state, scoreRound([...honest, pretended], before && plusScaled(sent, -1, before)));
    before = sent;
  }
  return suspects(state).map(({ member }) => member);
}

/** A round: what was sent to everybody, and everybody's contribution after it. */
type Training = () => { readonly sent: Float64Array; readonly now: Float64Array[] };

function bySteps(shards: ReturnType<typeof shardsOf>): Training {
  const rounds = new Rounds('safe', shards);
  return () => {
    const sent = rounds.aggregator.w.slice();
    rounds.step(10);
    return { sent, now: rounds.members.map(({ u }) => u) };
  };
}

function byAnswers(shards: ReturnType<typeof shardsOf>): Training {
  const rounds = new AnswerRounds(shards, { sees: 'single answers' });
  return () => {
    const sent = rounds.inquiry.query.slice();
    rounds.step({ passes: 10 });
    return { sent, now: shards.map((_, k) => rounds.accepted.get(k)!.u) };
  };
}

describe.each([
  ['safe', 0.05, 0.75],
  ['answers', 0.05, 0.75],
] as const)('%s, 40 trainings', (rule, mostFalse, leastFound) => {
  const suspected = Array.from({ length: 40 }, (_, seed) => suspectedInTraining(rule, seed)).flat();

  test(`at most ${100 * mostFalse}% of the honest are suspected, at least ${100 * leastFound}% of the random senders`, () => {
    expect(suspected.filter((member) => member < 100).length / (40 * 8)).toBeLessThanOrEqual(mostFalse);
    expect(suspected.filter((member) => member === 100).length / 40).toBeGreaterThanOrEqual(leastFound);
  });
});
