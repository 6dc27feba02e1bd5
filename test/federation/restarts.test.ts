/** A coordinator that crashes, in every phase and between any two effects: single answers are known to their participants alone then. */

import { describe, expect, test } from 'vitest';
import { restoreCoordinator } from '../../src/coordinator/stored.ts';
import { inquiryOf } from '../../src/coordinator/training.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { plusScaled } from '../../src/solver/vector.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { conservationError, planFor } from '../helpers/federation.ts';
import { smallHar } from '../helpers/tables.ts';

const TABLE = smallHar(6, 3, 20);
const TRAIN = { gap: 1e-3, rounds: 100, passes: 50, c2: 0.5, testFraction: 0 } as const;

function run(step: number, afterEffects: number): Simulation {
  const crashes = [{ node: 'coordinator', step, afterEffects, downMs: 30 }];
  const options = { retryMs: 200, maxWaitMs: 2000, summationMs: 3, patience: 3 };
  return new Simulation(planFor(TABLE, TRAIN, { crashes, options })).run();
}

test('[ACCEPT-7] after a crash in any step and after any effect training ends by its gap, and nothing is lost', () => {
  const quiet = run(1e9, 0);
  const optimum = quiet.rows.at(-1)!;
  let steps = 0;
  for (; ; steps++) {
    let crashed = false;
    for (const afterEffects of [0, 1, 2, 4]) {
      const simulation = run(steps + 1, afterEffects);
      const { state } = simulation.coordinator;
      const name = `step ${steps + 1}, effect ${afterEffects}`;
      expect(state, name).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
      expect(simulation.over, name).toBe(true);
      expect(conservationError(simulation), name).toBeLessThanOrEqual(1e-9);
      const { primal, dual, relativeGap } = simulation.rows.at(-1)!;
      expect(relativeGap, name).toBeLessThanOrEqual(1e-3);
      expect(primal, name).toBeGreaterThanOrEqual(optimum.dual - 1e-9);
      expect(dual, name).toBeLessThanOrEqual(optimum.primal + 1e-9);
      crashed ||= simulation.queue.now > quiet.queue.now;
    }
    if (!crashed && steps > 20) break;
  }
  expect(steps).toBeGreaterThan(25);
});

describe('after a restart', () => {
  function restarted(): Bench {
    const bench = new Bench({ stop: { gap: 0, rounds: 99, timeMs: 1e9, stall: 99 } });
    bench.gather('a', 'b');
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    bench.crashAndRestart();
    return bench;
  }
  /** What both have answered to round 1. */
  const FIRST = Float64Array.of(1, 0.2);

  test('[ANSWER-9] [ANSWER-10] an answer that does not bring along what it replaces is asked for again, and not counted', () => {
    const bench = restarted();
    const [round] = sentTo(bench.answer('a'), 'a');
    expect(round).toMatchObject({ kind: 'round', round: 2, sendPrevious: true, accepted: { round: 1 } });
    expect(bench.state.members.get('a')!.answered).toBe(false);
    bench.say('a', { ...bench.answerOf('a'), previous: FIRST });
    expect(bench.state.members.get('a')!.answered).toBe(true);
  });

  test('[ANSWER-9] the sum is that of the last answers: what is replaced is taken out of it', () => {
    const bench = restarted();
    expect([...inquiryOf(bench.state)!.u]).toEqual([2, 0.4]);
    const given = { ...bench.answerOf('a', [0.3, 0.7]), previous: FIRST };
    bench.say('a', given);
    bench.away('b');
    bench.tell({ type: 'summed' });
    const expected = plusScaled(FIRST, 1, given.u);
    for (const [j, value] of inquiryOf(bench.state)!.u.entries()) expect(value).toBeCloseTo(expected[j], 12);
    // From now on a is known singly again, and b is not.
    const rounds = ['a', 'b'].map((id) => sentTo(bench.join(id), id).find(({ kind }) => kind === 'round'));
    expect(rounds).toMatchObject([{ sendPrevious: false }, { sendPrevious: true }]);
  });

  test('[ACCEPT-4] forgetting somebody whose part of the sum nobody knows asks everybody again', () => {
    const bench = restarted();
    const effects = bench.forget('b');
    expect(sentTo(effects, 'a')).toMatchObject([
      { kind: 'round', round: 3, accepted: { round: 0 }, sendPrevious: false },
    ]);
    expect([...inquiryOf(bench.state)!.u]).toEqual([0, 0]);
    // Durable: another restart knows of it, too.
    const again = restoreCoordinator(bench.options, bench.disk.run!, bench.disk.members.values());
    expect([...inquiryOf(again)!.u]).toEqual([0, 0]);
    expect(again.members.get('a')!.accepted).toEqual({ round: 0 });
    bench.answer('a');
    bench.tell({ type: 'summed' });
    expect([...inquiryOf(bench.state)!.u].every((value) => value !== 0)).toBe(true);
  });

  test('while everybody is asked again, and during a rest, it goes on as it was', () => {
    const bench = restarted();
    bench.tell({ type: 'recount' });
    const { round } = bench.state;
    bench.crashAndRestart();
    expect(bench.state).toMatchObject({ phase: 'open', round });
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    bench.tell({ type: 'finish' });
    bench.crashAndRestart();
    expect(bench.state).toMatchObject({ phase: 'finished', finish: 'operator' });
    expect(sentTo(bench.join('a', { session: 2, base: round }), 'a')).toMatchObject([
      { kind: 'welcome' },
      { kind: 'finish', accepted: { round } },
    ]);
  });
});
