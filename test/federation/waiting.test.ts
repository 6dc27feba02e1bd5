/** How long rounds stay open, and how long participants compute for them, where messages take their time. */
import { describe, expect, test } from 'vitest';
import { wayMs } from '../../src/coordinator/ways.ts';
import { type RunRecord, simulate } from '../../src/public/sim.ts';
import type { ScenarioInput } from '../../src/sim/scenario.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';

const EVERYBODY = 8;
const FAR: ScenarioInput = {
  data: { generator: 'har', participants: EVERYBODY, rows: 100, features: 50 },
  link: { delayMs: 100 },
  rounds: 60,
  gap: 1e-3,
};

const answersOf = ({ rows }: RunRecord) =>
  rows.filter(({ purpose }) => purpose === 'train').map(({ responders }) => responders);

describe('links of 100 ms each way', () => {
  const all = simulate(FAR);

  test.each([
    { waiting: { kind: 'share', share: 0.9 } },
    { waiting: { kind: 'benchmarks', quantile: 0.9 } },
    { waiting: { kind: 'fixed', ms: 280 } },
  ] satisfies ScenarioInput[])('everybody answers in time, as if all were waited for: $waiting', (given) => {
    const run = simulate({ ...FAR, ...given });
    expect(answersOf(run)).toEqual(answersOf(run).map(() => EVERYBODY));
    expect(run.summary.stopped).toBe('gap');
    expect(run.rows.length).toBeLessThanOrEqual(all.rows.length + 1);
    expect(run.summary.virtualMs).toBeLessThanOrEqual(1.2 * all.summary.virtualMs);
  });

  test('the same where sums are secret', () => {
    const { summary } = simulate({ ...FAR, waiting: { kind: 'share', share: 0.9 }, secure: true });
    expect(summary.stopped).toBe('gap');
    expect(summary.responders.observed).toBe(1);
  });

  test.each(['restart', 'resume', 'anytime'] as const)(
    'no round closes on less than the share, also with jitter and unequal devices: %s',
    (straggler) => {
      const run = simulate({
        ...FAR,
        straggler,
        waiting: { kind: 'share', share: 0.5 },
        hardware: 'rising',
        link: { delayMs: 100, jitterMs: 50 },
        rounds: 20,
      });
      expect(Math.min(...answersOf(run))).toBeGreaterThanOrEqual(EVERYBODY / 2);
      // Who sends nothing before it is done is not waited for beyond the share.
      if (straggler === 'restart') expect(Math.max(...answersOf(run))).toBe(EVERYBODY / 2);
    },
  );
});

/** Rounds without end. */
const stop = { gap: 0, rounds: 100, timeMs: Infinity, stall: Infinity };

describe('a share of participants', () => {
  const waiting = { kind: 'share', share: 0.75 } as const;
  const SHARE = { waiting, minParticipants: 4, maxWaitMs: 1000, stop };
  const LATE = { ...SHARE, patience: 2 };

  function gathered(options: ConstructorParameters<typeof Bench>[0]) {
    const bench = new Bench(options);
    bench.gather('a', 'b', 'c', 'd');
    return bench;
  }

  test('[ROUND-8] the deadline waits for those who are missing from the share', () => {
    const bench = gathered(SHARE);
    bench.answer('a', 'b');
    bench.now = bench.state.deadlineMs;
    expect(bench.tell({ type: 'timer' })).not.toContainEqual(expect.objectContaining({ type: 'summation' }));
    bench.now += 500;
    expect(bench.answer('c')).toContainEqual(expect.objectContaining({ type: 'summation' }));
  });

  test('[ROUND-8] no longer than the longest wait, nor for those who have not answered in several such rounds', () => {
    const bench = gathered({ ...LATE, straggler: 'restart' });
    for (let round = 1; round <= LATE.patience; round++) {
      expect(bench.state.round).toBe(round);
      bench.answer('a', 'b');
      expect(bench.state.phase).toBe('open');
      bench.now += SHARE.maxWaitMs;
      bench.tell({ type: 'timer' });
      bench.tell({ type: 'summed' });
    }
    bench.answer('a', 'b');
    expect(bench.state.phase).toBe('summing');
  });

  test('whoever is late while the share is there is not given up', () => {
    const bench = gathered({ ...LATE, straggler: 'restart' });
    for (let round = 0; round < 5; round++) {
      bench.answer('a', 'b', 'c');
      bench.tell({ type: 'summed' });
    }
    bench.answer('a', 'b');
    expect(bench.state.phase).toBe('open');
    bench.answer('d');
    expect(bench.state.phase).toBe('summing');
  });
});

describe('the way to a participant and back', () => {
  const FIXED = { waiting: { kind: 'fixed', ms: 1000 } as const, maxWaitMs: 5000, stop };

  /** Rounds in which `a` answers after so long and says that it has computed for a part of it. */
  function asked(responseMs: number, computeMs: number, rounds = 3): Bench {
    const bench = new Bench(FIXED);
    bench.gather('a', 'b');
    for (let round = 0; round < rounds; round++) {
      const opened = bench.now;
      bench.answer('b');
      bench.now = opened + responseMs;
      bench.say('a', { ...bench.answerOf('a'), computeMs });
      if (bench.state.phase === 'open') bench.tell({ type: 'timer' });
      bench.tell({ type: 'summed' });
    }
    return bench;
  }

  const waitMsOf = (bench: Bench, id: string) => {
    const [, round] = sentTo(bench.join(id, { session: 2, base: bench.state.round - 1 }), id);
    return round.kind === 'round' ? round.waitMs : undefined;
  };

  test('is not there to be computed in', () => {
    const bench = asked(300, 100);
    expect(wayMs(bench.state.members.get('a')!.ways)).toBeCloseTo(220, 9);
    expect(waitMsOf(bench, 'a')).toBeLessThanOrEqual(780);
    expect(waitMsOf(bench, 'a')).toBeGreaterThan(780 * (15 / 16));
    expect(waitMsOf(bench, 'b')).toBe(1000);
  });

  test('is known from late answers, too', () => {
    const bench = new Bench(FIXED);
    bench.gather('a', 'b');
    const late = bench.answerOf('a');
    bench.answer('b');
    bench.now = 1000;
    bench.tell({ type: 'timer' });
    bench.tell({ type: 'summed' });
    bench.now = 1400;
    bench.say('a', { ...late, computeMs: 900 });
    expect(wayMs(bench.state.members.get('a')!.ways)).toBeCloseTo(550, 9);
  });

  test('whoever says that it has not computed, or for longer than there was, shortens or lengthens its own time alone', () => {
    for (const computeMs of [0, 1e12]) {
      const bench = asked(900, computeMs);
      expect(wayMs(bench.state.members.get('a')!.ways)).toBeCloseTo(computeMs === 0 ? 990 : 0, 9);
      expect(waitMsOf(bench, 'b')).toBe(1000);
      expect(waitMsOf(bench, 'a')).toBeLessThanOrEqual(1000);
    }
  });
});

test('[RETRY-1] a round is sent again less and less often to somebody who does not answer', () => {
  const bench = new Bench({ retryMs: 100, maxWaitMs: 10_000 });
  bench.gather('a', 'b');
  bench.answer('a');
  const times: number[] = [];
  for (let now = 0; now < 5000; now += 10) {
    bench.now = now;
    if (sentTo(bench.tell({ type: 'timer' }), 'b').length > 0) times.push(now);
  }
  expect(times).toEqual([100, 300, 700, 1500, 3100]);
});

describe('jitter', () => {
  test.each([
    { link: { jitterMs: 100 } },
    { link: { delayMs: 20, jitterMs: 100 } },
    { link: { delayMs: 20, jitterMs: 100 }, method: 'local' },
    { link: { delayMs: 100, jitterMs: 400 }, retryMs: 1 },
    { link: { delayMs: 20, jitterMs: 100 }, secure: true },
  ] satisfies ScenarioInput[])('what overtakes the message before it is sent again: %j', (given) => {
    const { summary } = simulate({ ...FAR, ...given });
    expect(summary.stopped).toBe('gap');
    expect(summary.virtualMs).toBeLessThan(60_000);
  });
});
