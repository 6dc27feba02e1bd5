/** How long rounds stay open may change while a federation runs; and a run begins where training wakes. */
import { describe, expect, test } from 'vitest';
import { step } from '../../src/coordinator/machine.ts';
import type { RoundRow } from '../../src/coordinator/round-row.ts';
import type { Timing } from '../../src/coordinator/state.ts';
import { Bench } from '../helpers/coordinator-bench.ts';

const SHORT: Timing = { waiting: { kind: 'fixed', ms: 50 }, maxWaitMs: 400 };

function change(bench: Bench, timing: Timing): void {
  bench.take(step(bench.state, { type: 'timing', timing, now: bench.now }));
}

/** All answer, and the round closes. */
function closeRound(bench: Bench): RoundRow {
  bench.answer('a', 'b');
  const row = bench.tell({ type: 'summed' }).find((effect) => effect.type === 'row');
  if (row?.type !== 'row') throw new Error('no round has closed');
  return row.row;
}

describe('a changed deadline', () => {
  test('leaves the open round as it is, and is in force with the next one', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(bench.state.deadlineMs).toBe(1000);
    change(bench, SHORT);
    expect(bench.state.deadlineMs).toBe(1000);
    expect(bench.state.options.maxWaitMs).toBe(1000);
    closeRound(bench);
    expect(bench.state.options).toMatchObject(SHORT);
    expect(bench.state.deadlineMs).toBe(bench.now + 50);
  });

  test('is durable: after a crash the round is opened again with it', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    change(bench, SHORT);
    expect(bench.disk.run).toMatchObject({ timing: SHORT });
    bench.crashAndRestart();
    expect(bench.state.options).toMatchObject(SHORT);
    expect(bench.state.deadlineMs).toBe(bench.now + 50);
    closeRound(bench);
    bench.crashAndRestart();
    expect(bench.state.options).toMatchObject(SHORT);
  });

  test('may be changed again', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    change(bench, SHORT);
    const endless: Timing = { waiting: { kind: 'all' }, maxWaitMs: Number.POSITIVE_INFINITY };
    change(bench, endless);
    closeRound(bench);
    expect(bench.state.deadlineMs).toBe(Number.POSITIVE_INFINITY);
    expect(bench.disk.run).toMatchObject({ timing: endless });
  });
});

describe('a run', () => {
  test('begins where training wakes: the first round after a rest says so', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(closeRound(bench).woken).toBeUndefined();
    bench.tell({ type: 'finish' });
    bench.tell({ type: 'reopen' });
    expect(closeRound(bench).woken).toBe(true);
    if (bench.state.phase !== 'finished') expect(closeRound(bench).woken).toBeUndefined();
  });
});
