/** What is known of a model ends with that model; an ended training is opened again; who was missed is learnt from when it comes back. */
import { describe, expect, test } from 'vitest';
import { modelOf } from '../../src/coordinator/training.ts';
import { costOfRound } from '../../src/privacy/dp/accountant.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';

const CENTRES = { a: [1, 0.2], b: [-0.4, 0.9], c: [0.3, -1] } as const;

/** Those named answer until training rests. */
function train(bench: Bench, ...ids: (keyof typeof CENTRES)[]): void {
  for (let turn = 0; turn < 100 && bench.state.phase !== 'finished'; turn++) {
    for (const id of ids) bench.say(id, bench.answerOf(id, CENTRES[id]));
    if (bench.state.phase === 'summing') bench.tell({ type: 'summed' });
  }
  expect(bench.state.phase).toBe('finished');
}

const NOTHING_KNOWN = {
  certificate: { primal: Number.POSITIVE_INFINITY },
  bestGap: Number.POSITIVE_INFINITY,
  best: undefined,
  missing: [],
};

describe('a gap belongs to a w', () => {
  test('after forgetting the only contributor nothing is known, and nothing of its w is left', () => {
    const bench = new Bench({ minParticipants: 1 });
    bench.gather('a');
    train(bench, 'a');
    expect(bench.state.bestGap).toBeLessThan(1e-3);
    bench.forget('a');
    expect(bench.state).toMatchObject(NOTHING_KNOWN);
    expect(bench.disk.run).toMatchObject(NOTHING_KNOWN);
    expect(modelOf(bench.state)!.w).toEqual(new Float64Array(2));
    expect(modelOf(bench.state)!.certified).toBe(false);
    // And the federation goes on with whoever comes.
    bench.join('b');
    train(bench, 'b');
    expect(bench.state).toMatchObject({ finish: 'gap', missing: [] });
  });

  test.each(['forget', 'recount', 'other rows'] as const)('%s clears it', (what) => {
    const bench = new Bench();
    bench.gather('a', 'b');
    train(bench, 'a', 'b');
    if (what === 'forget') bench.forget('b');
    else if (what === 'recount') bench.tell({ type: 'recount' });
    else bench.join('b', { session: 2, edition: 1 });
    expect(bench.state).toMatchObject(NOTHING_KNOWN);
    train(bench, 'a', ...(what === 'forget' ? [] : ['b' as const]));
    expect(bench.state.bestGap).toBeLessThan(1e-3);
  });

  test('a newcomer is not covered before it has answered', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    bench.join('c');
    expect(bench.state.missing).toEqual(['c']);
  });
});

describe('[REST-3] a training that has ended goes on when it is opened again', () => {
  test.each(['operator', 'rounds'] as const)('ended by %s', (reason) => {
    const stop = { gap: 1e-4, rounds: reason === 'rounds' ? 1 : 200, timeMs: Infinity, stall: Infinity };
    const bench = new Bench({ stop });
    bench.gather('a', 'b');
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    if (reason === 'operator') bench.tell({ type: 'finish' });
    expect(bench.state).toMatchObject({ phase: 'finished', finish: reason });
    const effects = bench.tell({ type: 'reopen' });
    expect(bench.state).toMatchObject({ phase: 'open', finish: undefined, aggregated: 0 });
    expect(effects[0].type).toBe('persist');
    expect(sentTo(effects, 'a')).toMatchObject([{ kind: 'round' }]);
    train(bench, 'a', 'b');
  });

  test('before it ever began: participants gather again', () => {
    const bench = new Bench({ minParticipants: 3 });
    bench.gather('a', 'b');
    bench.tell({ type: 'finish' });
    expect(sentTo(bench.tell({ type: 'reopen' }), 'a')).toMatchObject([{ kind: 'welcome', awaited: 1 }]);
    bench.gather('c');
    expect(bench.state.phase).toBe('open');
    expect(bench.state.trainer).toBeDefined();
  });

  test('not where the privacy budget is spent; and one that runs is left alone', () => {
    const bench = new Bench({
      aggregation: 'safe',
      scale: 'none',
      dp: { clip: 1, noiseMultiplier: 5, epsilon: 1, delta: 1e-5 },
    });
    const { state } = bench;
    const cost = costOfRound({ noiseMultiplier: 5, samplingRate: 1 });
    while (!state.budget!.wouldExceed(cost)) state.budget = state.budget!.spend(cost);
    bench.tell({ type: 'finish' });
    const [refusal] = bench.tell({ type: 'reopen' });
    expect(refusal).toMatchObject({ type: 'refusal', message: expect.stringContaining('privacy budget') });
    expect(state.phase).toBe('finished');
    const running = new Bench();
    running.gather('a', 'b');
    expect(running.tell({ type: 'reopen' })).toEqual([]);
  });
});

test('[REST-3] who was gone while others trained is asked again when it comes back, and then everybody counts', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  train(bench, 'a', 'b');
  bench.away('a');
  bench.away('b');
  bench.now += 1000;
  bench.join('c');
  const { now } = bench;
  train(bench, 'c');
  // Nobody waited for those who are gone.
  expect(bench.now).toBe(now);
  expect(bench.state).toMatchObject({ finish: 'gap', missing: ['a', 'b'] });
  for (let visit = 2; visit < 12; visit++) {
    for (const id of ['a', 'b', 'c'] as const) {
      for (const other of ['a', 'b', 'c']) bench.away(other);
      bench.now += 1e7;
      bench.join(id, { session: visit, base: bench.state.members.get(id)!.accepted.round });
      expect(bench.state.phase).toBe('open');
      train(bench, id);
    }
  }
  // C2 = 1 and quadratics C2/2 |w - centre|^2: the optimum is the sum of the centres, by one more than there are.
  const { w } = modelOf(bench.state)!;
  const all = Object.values(CENTRES);
  for (const j of [0, 1]) {
    const optimum = all.reduce((sum, centre) => sum + centre[j], 0) / (1 + all.length);
    expect(Math.abs(w[j] - optimum)).toBeLessThan(0.05);
  }
});

test('[REST-3] whoever came back and could not answer before the rest is not sent home: its answer wakes training', () => {
  const bench = new Bench({ patience: 1 });
  bench.gather('a', 'b');
  bench.away('b');
  for (const session of [2, 3]) {
    bench.join('b', { session });
    bench.away('b');
  }
  bench.join('b', { session: 4 });
  let told: readonly { readonly kind: string }[] = [];
  for (let turn = 0; turn < 50 && !bench.isResting; turn++) {
    bench.say('a', bench.answerOf('a', CENTRES.a));
    if (bench.state.phase === 'summing') told = sentTo(bench.tell({ type: 'summed' }), 'b');
  }
  expect(bench.state).toMatchObject({ phase: 'finished', finish: 'gap', missing: ['b'] });
  expect(told).toEqual([]);
  bench.say('b', { ...bench.answerOf('b', CENTRES.b), session: 4 });
  expect(bench.state.phase).toBe('open');
  train(bench, 'a', 'b');
  expect(bench.state.missing).toEqual([]);
});
