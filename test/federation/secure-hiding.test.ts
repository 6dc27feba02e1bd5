/** Sums are subtracted from each other: a participant takes part in none in which somebody would stand out by that. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inquiryOf } from '../../src/coordinator/training.ts';
import { type PastSum, standsOut } from '../../src/participant/hiding.ts';
import { encode } from '../../src/protocol/codec.ts';
import type { ToCoordinator } from '../../src/protocol/messages.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { runSecurely, securePlan, wrongEntries } from '../helpers/secure-federation.ts';
import { smallHar } from '../helpers/tables.ts';
import { decode } from '../protocol/frames.ts';

const VICTIM = '1';
const ALL = ['a', 'b', 'c', 'd', 'e'];
const at = (...w: number[]) => Float64Array.from(w);
const past = (round: number, w: Float64Array, from: Float64Array | undefined, members = ALL): PastSum => ({
  round,
  purpose: 'train',
  w,
  from,
  members,
});
const bases = (of: Record<string, number>) => new Map(Object.entries(of));

describe('[SECURE-19] a sum is refused', () => {
  const known = [past(1, at(0, 0), undefined), past(2, at(1, 0), at(0, 0))];

  test('in which one was absent before, and the others are asked the same again', () => {
    const sum = { purpose: 'train', w: at(1.001, 0), from: at(1, 0) } as const;
    expect(standsOut(known, { ...sum, bases: bases({ a: 2, b: 2, c: 2, d: 2, e: 1 }) }, 2)).toMatch(
      /too few other participants/,
    );
    expect(standsOut(known, { ...sum, bases: bases({ a: 2, b: 2, c: 2, d: 1, e: 1 }) }, 2)).toBeUndefined();
    // Further on it is one of many changes.
    const later = { ...sum, w: at(1.5, 0) };
    expect(standsOut(known, { ...later, bases: bases({ a: 2, b: 2, c: 2, d: 2, e: 1 }) }, 2)).toBeUndefined();
  });

  test('in which one is told that nothing of it was ever accepted', () => {
    const sum = { purpose: 'train', w: at(1.01, 0), from: at(1, 0) } as const;
    expect(standsOut(known, { ...sum, bases: bases({ a: 2, b: 2, c: 2, d: 2, e: 0 }) }, 2)).toMatch(
      /too few other participants/,
    );
  });

  test('that goes the same way as one before, with one less', () => {
    const back = [...known, past(3, at(0, 0), at(1, 0))];
    const sum = { purpose: 'train', w: at(1, 1e-3), from: at(0, 0) } as const;
    expect(standsOut(back, { ...sum, bases: bases({ a: 3, b: 3, c: 3, d: 3 }) }, 2)).toMatch(
      /already answered/,
    );
    expect(standsOut(back, { ...sum, bases: bases({ a: 3, b: 3, c: 3 }) }, 2)).toBeUndefined();
    expect(standsOut(back, { ...sum, bases: bases({ a: 3, b: 3, c: 3, d: 3, e: 3 }) }, 2)).toBeUndefined();
  });

  test('of whole answers to a query like one before, with one less than have contributed', () => {
    const trained = [...known, past(3, at(1, 2), at(1, 0))];
    const sum = { purpose: 'train', w: at(1, 2.001), from: undefined } as const;
    const zero = (ids: string[]) => new Map(ids.map((id) => [id, 0]));
    expect(standsOut(trained, { ...sum, bases: zero(ALL.slice(1)) }, 2)).toMatch(/complete answers/);
    expect(standsOut(trained, { ...sum, bases: zero(ALL) }, 2)).toBeUndefined();
    expect(standsOut(trained, { ...sum, w: at(0.7, 1.4), bases: zero(ALL.slice(1)) }, 2)).toBeUndefined();
  });

  test('of moments, with one more or less than before', () => {
    const measured = [{ ...past(1, at(), undefined), purpose: 'measure' as const }];
    const sum = { purpose: 'measure', w: at(), from: undefined } as const;
    const zero = (ids: string[]) => new Map(ids.map((id) => [id, 0]));
    expect(standsOut(measured, { ...sum, bases: zero(ALL.slice(1)) }, 2)).toMatch(/moments/);
    expect(standsOut(measured, { ...sum, bases: zero(ALL) }, 2)).toBeUndefined();
  });
});

test('nothing is refused where everybody always answers, whatever is asked', () => {
  const w = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 });
  fc.assert(
    fc.property(fc.array(w, { maxLength: 12 }), (asked) => {
      const sums: PastSum[] = [];
      for (const [i, query] of asked.entries()) {
        const before = sums.at(-1);
        const sum = { purpose: 'train', w: at(...query), from: before?.w } as const;
        expect(standsOut(sums, { ...sum, bases: new Map(ALL.map((id) => [id, i])) }, 2)).toBeUndefined();
        sums.push({ ...sum, round: i + 1, members: ALL });
      }
    }),
  );
});

describe('a coordinator that', () => {
  const options = { maxWaitMs: 300, retryMs: 50, patience: 1e9, secure: { phaseMs: 100 } };
  const stop = { gap: 0, rounds: 12, timeMs: 1e7, stall: 1e9 };
  const make = () =>
    new Simulation(
      securePlan(smallHar(3, 6, 10), { passes: 500 }, { options: { ...options, stop }, untilMs: 60_000 }),
    );

  /** Everybody is asked about queries of the coordinator's choice, and the victim is kept away from some. */
  function asking(query: (round: number, d: number) => Float64Array, absent: (round: number) => boolean) {
    const simulation = make();
    const node = simulation.coordinator;
    const receive = node.receive.bind(node);
    let chooses = false;
    node.receive = (from, frame) => {
      const inquiry = inquiryOf(node.state!);
      if (inquiry && !chooses) {
        chooses = true;
        const d = inquiry.query.length;
        Object.defineProperty(inquiry, 'query', { get: () => query(node.state!.round, d), set: () => {} });
      }
      const message = decode(frame) as ToCoordinator;
      if (from === VICTIM && message.kind === 'masked' && absent(message.round)) return;
      receive(from, frame);
    };
    return simulation.run();
  }
  const everywhere = (value: number) => (_: number, d: number) => new Float64Array(d).fill(value);

  test('keeps one away, and asks all the same again when it comes, is declined', () => {
    const simulation = asking(everywhere(0.3), (round) => round > 2 && round < 6);
    const { declines } = simulation.coordinator.state!;
    expect(declines.get('HIDING')).toBeGreaterThan(0);
    // Its answer to that query was never uncovered.
    expect(simulation.participants.get(VICTIM)!.disk!.base).toBeLessThanOrEqual(2);
  });

  test('goes back and forth, with and without one, is declined', () => {
    const turns = (round: number, d: number) => new Float64Array(d).fill(round % 2 === 0 ? 0.3 : -0.3);
    const simulation = asking(turns, (round) => round === 6 || round === 7);
    expect(simulation.coordinator.state!.declines.get('HIDING')).toBeGreaterThan(0);
  });

  test('asks the same for ever of the same: nothing is declined', () => {
    const simulation = asking(everywhere(0.3), () => false);
    expect(simulation.coordinator.state!.declines.size).toBe(0);
    expect(simulation.participants.get(VICTIM)!.disk!.base).toBeGreaterThan(2);
  });
});

describe('a federation that follows the protocol goes on', () => {
  test('with a newcomer to one that rests: all are asked elsewhere', () => {
    const simulation = runSecurely(
      smallHar(4, 5, 30),
      { rounds: 60, gap: 1e-3 },
      {
        startMs: (id) => (id === '5' ? 4000 : 0),
        options: { minParticipants: 4, maxWaitMs: 1000, retryMs: 100, secure: { phaseMs: 300 } },
        untilMs: 60_000,
      },
    );
    const last = simulation.rows.at(-1)!;
    expect(last.responders.length).toBe(5);
    expect(simulation.participants.get('5')!.disk!.base).toBeGreaterThan(0);
    expect(wrongEntries(simulation)).toBe(0);
  });

  test('with somebody who misses every other round', () => {
    const simulation = new Simulation(
      securePlan(
        smallHar(4, 5, 30),
        { rounds: 40, gap: 1e-3 },
        { options: { maxWaitMs: 200, retryMs: 50, patience: 1e9, secure: { phaseMs: 100 } } },
      ),
    );
    const node = simulation.coordinator;
    const receive = node.receive.bind(node);
    node.receive = (from, frame) => {
      const message = decode(frame);
      if (from === '1' && message.kind === 'masked' && message.round % 2 === 0) return;
      receive(from, encode(message, 'f64'));
    };
    simulation.run();
    expect(node.state!.finish).toMatch(/gap|stall/);
    expect(simulation.rows.length).toBeLessThan(40);
    expect(wrongEntries(simulation)).toBe(0);
  });
});
