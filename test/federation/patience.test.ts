/** Patience is regained by answering: neither a peer that joins again and again nor one that is merely silent holds up the others. */
import { describe, expect, test } from 'vitest';
import type { CoordinatorEffect } from '../../src/coordinator/effects.ts';
import { Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { USUAL_CLASSES } from '../helpers/moments.ts';

const MAX_WAIT_MS = 1000;
const CENTRES = { a: [1, 0.2], b: [-0.4, 0.9] } as const;
const persists = (effects: readonly CoordinatorEffect[]) =>
  effects.filter(({ type }) => type === 'persist').length;

/** Two honest participants and what a third does in every round; gives the rounds and the time it took. */
function trained(peer: 'nobody' | 'silent' | 'joins again' | 'new sessions' | 'reconnects'): Bench {
  const bench = new Bench({ stop: { gap: 1e-4, rounds: 60, timeMs: Infinity, stall: Infinity } });
  bench.gather('a', 'b', ...(peer === 'nobody' ? [] : ['c']));
  for (let turn = 0, session = 1; turn < 400 && bench.state.phase !== 'finished'; turn++) {
    const { members } = bench.state;
    for (const [id, centre] of Object.entries(CENTRES))
      if (bench.state.phase === 'open' && !members.get(id)!.answered)
        bench.say(id, bench.answerOf(id, centre));
    for (let n = 0; n < 3 && bench.state.phase === 'open'; n++) {
      bench.now += 1;
      if (peer === 'reconnects') bench.away('c');
      if (peer === 'joins again') bench.join('c', { session });
      if (peer === 'new sessions' || peer === 'reconnects') bench.join('c', { session: ++session });
    }
    if (bench.state.phase === 'open') {
      bench.now = bench.state.openedMs + MAX_WAIT_MS;
      bench.tell({ type: 'timer' });
    }
    if (bench.state.phase === 'summing') bench.tell({ type: 'summed' });
  }
  return bench;
}

describe('[JOIN-9] whoever never answers', () => {
  const control = trained('nobody');

  test.each(['silent', 'joins again', 'new sessions', 'reconnects'] as const)(
    '%s: rounds and time stay near those without it, and it is named as missing',
    (peer) => {
      const { state, now, options } = trained(peer);
      expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: ['c'] });
      expect(state.round).toBeLessThanOrEqual(control.state.round + 2 * options.patience + 2);
      // Patience, one more round, and the next not before eight rounds later.
      expect(now).toBeLessThanOrEqual(control.now + (options.patience + 3) * (MAX_WAIT_MS + 10));
    },
  );

  test('one that comes back is waited for in one more round, and again as ever once it has answered', () => {
    const stop = { gap: 0, rounds: 100, timeMs: Infinity, stall: Infinity };
    const bench = new Bench({ patience: 2, stop });
    bench.gather('a', 'b');
    const held = () => {
      bench.answer('a');
      const isHeld = bench.state.phase === 'open';
      if (isHeld) {
        bench.now = bench.state.openedMs + MAX_WAIT_MS;
        bench.tell({ type: 'timer' });
      }
      bench.tell({ type: 'summed' });
      return isHeld;
    };
    bench.away('b');
    bench.join('b', { session: 2 });
    expect([held(), held()]).toEqual([true, false]);
    bench.away('b');
    bench.join('b', { session: 3 });
    expect(held()).toBe(false);
    // It was asked all the same.
    bench.answer('b');
    bench.answer('a');
    bench.tell({ type: 'summed' });
    expect([held(), held(), held()]).toEqual([true, true, false]);
  });

  test('[REST-5] it wakes a federation that rests as often as patience allows, not for ever', () => {
    const bench = trained('silent');
    let woken = 0;
    for (let session = 2; session < 20; session++) {
      bench.now += 60_000;
      bench.join('c', { session });
      if (bench.state.phase === 'finished') continue;
      woken++;
      for (let turn = 0; turn < 40 && !bench.isResting; turn++) {
        for (const [id, centre] of Object.entries(CENTRES)) bench.say(id, bench.answerOf(id, centre));
        bench.now = bench.state.openedMs + MAX_WAIT_MS;
        bench.tell({ type: 'timer' });
        if (bench.state.phase === 'summing') bench.tell({ type: 'summed' });
      }
    }
    expect(woken).toBe(bench.options.patience);
    // It is asked with the others when somebody else wakes it, and then counts as one that answers.
    bench.now += 60_000;
    bench.join('d');
    expect(bench.state.phase).toBe('open');
    bench.answer('c');
    expect(bench.state.members.get('c')!.idleWakes).toBe(0);
  });

  test('it does not put off the start by joining again', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(bench.state.phase).toBe('open');
    const late = new Bench();
    late.join('c');
    late.gather('a', 'b');
    for (let session = 2; late.now < MAX_WAIT_MS; session++) {
      late.now += 100;
      late.join('c', { session });
    }
    late.tell({ type: 'timer' });
    expect(late.state.phase).toBe('open');
  });

  test('where rounds wait for a time, those whose connection is gone are not waited for', () => {
    const bench = new Bench({ waiting: { kind: 'fixed', ms: 500 } });
    bench.gather('a', 'b');
    bench.answer('a');
    expect(bench.state.phase).toBe('open');
    bench.away('b');
    expect(bench.state.phase).toBe('summing');
  });
});

describe('[JOIN-8] joining again', () => {
  test('is not worth a write, and is saved with the next change; after a crash the participant joins once more', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    for (let session = 2; session < 10; session++) expect(persists(bench.join('a', { session }))).toBe(0);
    expect(bench.disk.members.get('a')!.session).toBe(1);
    bench.crashAndRestart();
    expect(sentTo(bench.say('a', { ...bench.answerOf('a'), session: 9 }), 'a')).toMatchObject([
      { kind: 'reject', code: 'NOT_JOINED' },
    ]);
    bench.join('a', { session: 9 });
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    expect(bench.disk.members.get('a')!.session).toBe(9);
  });

  test('more often than its burst is dropped, and works again after a while', () => {
    const bench = new Bench({ retryMs: 1000 });
    bench.gather('a', 'b');
    const answered = () => {
      let count = 0;
      for (let n = 0; n < 1000; n++) count += bench.join('a').length > 0 ? 1 : 0;
      return count;
    };
    expect(answered()).toBeLessThanOrEqual(16);
    expect(answered()).toBe(0);
    bench.now += 1000;
    expect(answered()).toBe(4);
  });

  test('leaving and coming back as fast as one can takes no more writes than joins are answered', () => {
    const bench = new Bench({ retryMs: 1000 });
    bench.gather('a', 'b');
    let writes = 0;
    for (let session = 2; session < 1000; session++) {
      writes += persists(bench.join('a', { session }));
      for (let n = 0; n < 3; n++) writes += persists(bench.say('a', { kind: 'leave', session }));
    }
    expect(writes).toBeLessThanOrEqual(2 * 16);
  });
});

test('[SCALE-7] moments that are sent again while others are awaited are answered, with how many', () => {
  const bench = new Bench({ minParticipants: 3 });
  const rows = { count: 3, mean: Float64Array.of(0), m2: Float64Array.of(1) };
  const moments = { kind: 'moments', ...rows, ...USUAL_CLASSES } as const;
  expect(sentTo(bench.join('a'), 'a')).toMatchObject([{ kind: 'welcome', awaited: 2 }]);
  expect(bench.say('a', moments)).toEqual([]);
  expect(sentTo(bench.say('a', moments), 'a')).toMatchObject([{ kind: 'welcome', awaited: 2 }]);
  bench.gather('b');
  expect(sentTo(bench.say('a', moments), 'a')).toMatchObject([{ kind: 'welcome', awaited: 1 }]);
});
