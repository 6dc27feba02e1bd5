/** A participant whose connection is gone is not waited for; nothing of it is lost, and it is waited for again once it speaks. */
import { describe, expect, test } from 'vitest';
import { answer, Bench } from '../helpers/coordinator-bench.ts';

describe('whoever is away', () => {
  test('is not waited for: the round closes with the answers of the others', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    expect(bench.state.phase).toBe('open');
    bench.away('b');
    expect(bench.state.phase).toBe('summing');
  });

  test('does not end a round that nobody has answered', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.away('a');
    bench.away('b');
    expect(bench.state.phase).toBe('open');
    bench.say('a', answer(1, 0));
    expect(bench.state.phase).toBe('summing');
  });

  test('is waited for again when it comes back', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.away('b');
    bench.join('b');
    bench.say('a', answer(1, 0));
    expect(bench.state.phase).toBe('open');
    bench.say('b', answer(1, 0));
    expect(bench.state.phase).toBe('summing');
  });

  test('is waited for again when it says anything at all, be it an answer that is too late', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.away('b');
    bench.say('a', answer(1, 0));
    bench.tell({ type: 'summed' });
    bench.say('b', answer(1, 0));
    bench.answer('a');
    expect(bench.state.rejections).toEqual(new Map());
    expect(bench.state.phase).toBe('open');
    bench.answer('b');
    expect(bench.state.phase).toBe('summing');
  });

  test('keeps its answer, its place and its contribution', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('b', answer(1, 0));
    bench.away('b');
    bench.say('a', answer(1, 0));
    bench.tell({ type: 'summed' });
    expect(bench.state.members.get('b')).toMatchObject({ presence: 'here', accepted: { round: 1 } });
  });

  test('is waited for where patience has no end, and somebody unknown changes nothing', () => {
    const bench = new Bench({ patience: Number.POSITIVE_INFINITY });
    bench.gather('a', 'b');
    bench.say('a', answer(1, 0));
    bench.away('b');
    bench.away('x');
    expect(bench.state.phase).toBe('open');
  });
});
