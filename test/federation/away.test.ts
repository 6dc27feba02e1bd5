/** A participant whose connection is gone is not waited for; nothing of it is lost, and it is waited for again once it speaks. */
import { describe, expect, test } from 'vitest';
import { step } from '../../src/coordinator/index.ts';
import { Bench, update } from '../helpers/coordinator-bench.ts';

function goesAway(bench: Bench, id: string): void {
  bench.take(step(bench.state, { type: 'away', id, now: bench.now }));
}

describe('whoever is away', () => {
  test('is not waited for: the round closes with the answers of the others', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('a', update(1, 0));
    expect(bench.state.phase).toBe('open');
    goesAway(bench, 'b');
    expect(bench.state.phase).toBe('summing');
  });

  test('does not end a round that nobody has answered', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    goesAway(bench, 'a');
    goesAway(bench, 'b');
    expect(bench.state.phase).toBe('open');
    bench.say('a', update(1, 0));
    expect(bench.state.phase).toBe('summing');
  });

  test('is waited for again when it comes back', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    goesAway(bench, 'b');
    bench.join('b');
    bench.say('a', update(1, 0));
    expect(bench.state.phase).toBe('open');
    bench.say('b', update(1, 0));
    expect(bench.state.phase).toBe('summing');
  });

  test('is waited for again when it says anything at all, be it an answer that is too late', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    goesAway(bench, 'b');
    bench.say('a', update(1, 0));
    bench.tell({ type: 'summed' });
    bench.say('b', update(1, 0));
    bench.say('a', update(2, 1, { uDotDu: 0.26, scalars: { loss: 2, dualSum: 1, uNorm2: 0.26 } }));
    expect(bench.state.rejections).toEqual(new Map());
    expect(bench.state.phase).toBe('open');
    bench.say('b', update(2, 0));
    expect(bench.state.phase).toBe('summing');
  });

  test('keeps its answer, its place and its contribution', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('b', update(1, 0));
    goesAway(bench, 'b');
    bench.say('a', update(1, 0));
    bench.tell({ type: 'summed' });
    expect(bench.state.members.get('b')).toMatchObject({ presence: 'here', accepted: { round: 1 } });
  });

  test('is waited for where patience has no end, and somebody unknown changes nothing', () => {
    const bench = new Bench({ patience: Number.POSITIVE_INFINITY });
    bench.gather('a', 'b');
    bench.say('a', update(1, 0));
    goesAway(bench, 'b');
    goesAway(bench, 'x');
    expect(bench.state.phase).toBe('open');
  });
});
