/** The coordinator's machine by itself: corners that random schedules reach too seldom. */

import { describe, expect, test } from 'vitest';
import { step } from '../../src/coordinator/machine.ts';
import { restoreCoordinator } from '../../src/coordinator/stored.ts';
import { inquiryOf } from '../../src/coordinator/training.ts';
import type { RoundMessage } from '../../src/protocol/messages.ts';
import { answer, Bench, sentTo } from '../helpers/coordinator-bench.ts';

describe('an answer during the summation', () => {
  test('[ANSWER-2] is answered as missed, and stays missed when the coordinator crashes and opens the round again', () => {
    const bench = new Bench({ waiting: { kind: 'fixed', ms: 10 }, summationMs: 50 });
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.now = 10;
    bench.take(step(bench.state, { type: 'timer', now: 10 }));
    expect(bench.state.phase).toBe('summing');
    expect(sentTo(bench.say('b', answer(1, 0)), 'b')).toMatchObject([
      { kind: 'outcome', accepted: { round: 0 } },
    ]);
    bench.crashAndRestart();
    expect(bench.state).toMatchObject({ phase: 'open', round: 1 });
    // A copy of the answer that was late on its way: b has rolled it back.
    expect(sentTo(bench.say('b', answer(1, 0)), 'b')).toMatchObject([
      { kind: 'outcome', accepted: { round: 0 } },
    ]);
    expect(bench.state.members.get('b')!.answered).toBe(false);
    // a, which was not told anything, may say it again.
    bench.say('a', answer(1, 0));
    expect(bench.state.members.get('a')!.answered).toBe(true);
  });
});

describe('persist before send', () => {
  test('[ROUND-3] what a round has become is stored before anybody is told', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.say('b', answer(1, 0));
    const effects = step(bench.state, { type: 'summed', now: 5 });
    const firstSend = effects.findIndex((effect) => effect.type === 'send');
    const stored = effects.findIndex((effect) => effect.type === 'persist');
    expect(stored).toBeGreaterThanOrEqual(0);
    expect(stored).toBeLessThan(firstSend);
  });
});

const SCALARS = answer(1, 0).scalars;

describe('what cannot be taken is refused, counted and otherwise without effect', () => {
  test.each([
    ['of a round that is not open yet', answer(2, 0), 'FUTURE_ROUND'],
    ['of a wrong length', answer(1, 0, { u: Float64Array.of(1) }), 'WRONG_SHAPE'],
    ['with a former one of a wrong length', answer(1, 0, { previous: Float64Array.of(1) }), 'WRONG_SHAPE'],
    ['on a state that is not ours', answer(1, 7), 'STATE_MISMATCH'],
    ['whose norm is a lie', answer(1, 0, { scalars: { ...SCALARS, uNorm2: 99 } }), 'INFEASIBLE'],
    ['in a session that has not joined', answer(1, 0, { session: 2 }), 'NOT_JOINED'],
  ])('[ANSWER-3] [ANSWER-4] [ANSWER-5] [ANSWER-6] [REJECT-1] an answer %s', (_, message, code) => {
    const bench = new Bench();
    bench.gather('a', 'b');
    const effects = bench.say('a', message);
    expect(sentTo(effects, 'a')).toMatchObject([{ kind: 'reject', code }]);
    expect(bench.state.rejections.get(code as 'NOT_JOINED')).toBe(1);
    expect(bench.state.members.get('a')!.answered).toBe(false);
  });

  test('[JOIN-2] [JOIN-3] anything of somebody who has not joined, and other features than the rest has', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(sentTo(bench.say('x', answer(1, 0)), 'x')).toMatchObject([{ code: 'NOT_JOINED' }]);
    const join = {
      kind: 'join',
      id: 'y',
      rows: 3,
      features: 9,
      benchmarkMs: 1,
      session: 1,
      base: 0,
      pending: 0,
      edition: 0,
    } as const;
    expect(sentTo(bench.say('y', join), 'y')).toMatchObject([{ code: 'WRONG_FEATURES' }]);
  });
});

test('[ANSWER-1] [RETRY-2] a duplicate of an answer is taken once', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  bench.say('a', answer(1, 0));
  expect(bench.say('a', answer(1, 0))).toEqual([]);
  bench.say('b', answer(1, 0));
  const effects = bench.take(step(bench.state, { type: 'summed', now: 5 }));
  const [round] = sentTo(effects, 'a') as RoundMessage[];
  expect(round.round).toBe(2);
  expect([...inquiryOf(bench.state)!.u]).toEqual([2, 0.4]);
});

test('[ROUND-4] a round with too few answers is abandoned: the shared part is as before, nothing is lost', () => {
  const bench = new Bench({ minResponses: 2, waiting: { kind: 'fixed', ms: 10 } });
  bench.gather('a', 'b');
  bench.say('a', answer(1, 0));
  bench.now = 1000;
  bench.take(step(bench.state, { type: 'timer', now: 1000 }));
  const effects = bench.take(step(bench.state, { type: 'summed', now: 1000 }));
  expect(effects).toContainEqual(
    expect.objectContaining({ type: 'row', row: expect.objectContaining({ outcome: 'abandoned' }) }),
  );
  expect([...inquiryOf(bench.state)!.w]).toEqual([0, 0]);
  expect([...inquiryOf(bench.state)!.u]).toEqual([0, 0]);
  expect(sentTo(effects, 'a')).toMatchObject([{ kind: 'round', round: 2, accepted: { round: 0 } }]);
});

test('[ROUND-8] a leaver never leaves a round waiting', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  bench.say('a', answer(1, 0));
  expect(bench.state.phase).toBe('open');
  bench.say('b', { kind: 'leave', session: 1 });
  expect(bench.state.phase).toBe('summing');
});

test('a restored coordinator answers the same inputs with the same effects', () => {
  const bench = new Bench();
  bench.gather('a', 'b');
  bench.answer('a', 'b');
  bench.tell({ type: 'summed' });
  const twin = structuredClone({ run: bench.disk.run, members: [...bench.disk.members.values()] });
  const previous = Float64Array.of(1, 0.2);
  const replies = ['a', 'b'].map((id) => ({ ...bench.answerOf(id), previous }));
  const states = [bench.disk, twin].map((disk) =>
    restoreCoordinator(bench.options, disk.run!, [...disk.members.values()]),
  );
  const outputs = states.map((state) => [
    step(state, { type: 'start', now: 9 }),
    step(state, { type: 'message', from: 'a', message: replies[0], now: 10 }),
    step(state, { type: 'message', from: 'b', message: replies[1], now: 11 }),
    step(state, { type: 'summed', now: 12 }),
  ]);
  expect(outputs[1]).toEqual(outputs[0]);
  expect(outputs[0][3]).toContainEqual(expect.objectContaining({ type: 'row' }));
});

test('[ROUND-8] [ANSWER-2] forgetting somebody in an open round opens the next one: nobody is asked, or counted, about a w that is no longer', () => {
  const bench = new Bench();
  bench.gather('a', 'b', 'c');
  bench.say('a', answer(1, 0));
  const effects = bench.take(step(bench.state, { type: 'forget', id: 'c', now: 3 }));
  expect(bench.state.round).toBe(2);
  expect(sentTo(effects, 'b')).toMatchObject([{ kind: 'round', round: 2 }]);
  // The answer that a had given to round 1 is missed.
  expect(sentTo(bench.say('a', answer(1, 0)), 'a')).toMatchObject([
    { kind: 'outcome', round: 1, accepted: { round: 0 } },
  ]);
  bench.answer('a', 'b');
  const rows = step(bench.state, { type: 'summed', now: 9 }).flatMap((effect) =>
    effect.type === 'row' ? [effect.row] : [],
  );
  expect(rows).toMatchObject([{ round: 2, outcome: 'aggregated', certified: true }]);
});
