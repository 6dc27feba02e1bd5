/**
 * Peers that lie with numbers: consistent lies, of any size. Whatever they say, the coordinator's machine does not throw, all that it
 * says can be said, and what it holds stays finite: by the word of a peer nobody falls.
 */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seal } from '../../src/base/packed.ts';
import type { CoordinatorEffect, CoordinatorInput } from '../../src/coordinator/effects.ts';
import { step } from '../../src/coordinator/machine.ts';
import { type CoordinatorOptions, DEFAULT_OPTIONS, DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import { newCoordinator } from '../../src/coordinator/stored.ts';
import { combinerOf, inquiryOf, sharedPart } from '../../src/coordinator/training.ts';
import { decodeFrom, encode } from '../../src/protocol/codec.ts';
import type { ToCoordinator } from '../../src/protocol/messages.ts';
import { AGGREGATIONS } from '../../src/settings/training.ts';
import { dot } from '../../src/solver/vector.ts';
import { USUAL_CLASSES } from '../helpers/moments.ts';

const IDS = ['a', 'b', 'c'];
const FEATURES = 2;

const SIZES = [
  0, 5e-324, 1e-160, 1e-30, 1, 1e9, 1e29, 1e30, 1e31, 1e50, 1e99, 1e100, 1e101, 1e154, 1e200, 1.7e308,
];
const size = fc.constantFrom(...SIZES);
const number = fc.tuple(size, fc.boolean()).map(([value, isNegative]) => (isNegative ? -value : value));
const vector = (n: number) =>
  fc.array(number, { minLength: n, maxLength: n }).map((v) => Float64Array.from(v));
const count = fc.constantFrom(0, 1, 10, 0xffff_ffff);

const answer = fc.record({
  u: vector(FEATURES + 1),
  loss: number,
  s: number,
  /** Whether its numbers fit each other, and its vector the query: only so does it get any further. */
  fits: fc.boolean(),
  previous: fc.option(vector(FEATURES + 1), { nil: undefined }),
});
const peer = fc.record({
  rows: count,
  benchmarkMs: number,
  count,
  mean: vector(FEATURES),
  m2: vector(FEATURES),
  answers: fc.array(answer, { minLength: 4, maxLength: 4 }),
});

const options = fc.record({
  method: fc.constantFrom('mtl' as const, 'mtl' as const, 'mtl' as const, 'mocha' as const),
  aggregation: fc.constantFrom(...AGGREGATIONS),
  objective: fc.constantFrom('classification' as const, 'regression' as const),
  scale: fc.constantFrom('standard' as const, 'center' as const, 'none' as const),
  waiting: fc.constantFrom<CoordinatorOptions['waiting'][]>(
    { kind: 'all' },
    { kind: 'share', share: 0.5 },
    { kind: 'benchmarks', quantile: 0.5, factor: 2 },
  ),
  defence: fc.constantFrom(
    undefined,
    { normBound: 1, scores: 'on' as const },
    { robust: { quantile: 0.5, factor: 2 } },
  ),
});

/** A coordinator whose every word is put into a frame, and whose every state into a cell. */
class Listener {
  readonly state;
  now = 0;

  constructor(given: Partial<CoordinatorOptions>) {
    this.state = newCoordinator({
      ...DEFAULT_OPTIONS,
      minParticipants: IDS.length,
      maxWaitMs: 100,
      ...given,
    });
    this.take({ type: 'start', now: 0 });
  }

  /** As it comes over the wire: what cannot be encoded cannot be said. */
  hear(from: string, message: ToCoordinator): void {
    const arrived = decodeFrom('participant', encode(message, 'f64'));
    this.take({ type: 'message', from, message: arrived, now: ++this.now });
  }

  take(input: CoordinatorInput): void {
    for (const effect of step(this.state, input)) this.carryOut(effect);
  }

  private carryOut(effect: CoordinatorEffect): void {
    if (effect.type === 'send') encode(effect.message, this.state.options.precision);
    if (effect.type === 'persist') seal({ kind: 'test', version: 1 }, effect.changes);
    if (effect.type === 'summation') this.take({ type: 'summed', now: ++this.now });
  }
}

type Peer = typeof peer extends fc.Arbitrary<infer P> ? P : never;
/** What it says of itself when it joins. */
type Self = { readonly rows: number; readonly benchmarkMs: number };

function join(listener: Listener, id: string, { rows, benchmarkMs }: Self, features = FEATURES): void {
  listener.hear(id, {
    kind: 'join',
    id,
    rows,
    features,
    benchmarkMs,
    session: 1,
    base: 0,
    pending: 0,
    edition: 0,
  });
}

const bounded = (value: number) => Math.max(-1.7e308, Math.min(1.7e308, value || 0));

/** With numbers that fit it is an exact answer of somebody whose loss is as it says. */
function lie(listener: Listener, id: string, { u, loss, s, fits, previous }: Peer['answers'][number]): void {
  const { state } = listener;
  const member = state.members.get(id)!;
  const { c2 } = state.options;
  const w = inquiryOf(state)?.query ?? sharedPart(state) ?? new Float64Array(u.length);
  // With steps the scalars are about what was accepted before.
  const about = inquiryOf(state) ? u : (combinerOf(state)?.members.get(member.index)?.u ?? u);
  const uNorm2 = bounded(dot(about, about));
  const wDotU = bounded(dot(w, about));
  const dualSum = fits ? bounded(Math.abs(loss) + uNorm2 / c2 + wDotU) : s;
  const scalars = { loss: Math.abs(loss), dualSum, uNorm2, wDotU };
  const { round } = state;
  const said = { session: 1, round, base: member.accepted.round, passes: 1, computeMs: 1 };
  listener.hear(id, { kind: 'answer', ...said, u, scalars, previous });
}

test('numbers of any size', () => {
  fc.assert(
    fc.property(options, fc.tuple(peer, peer, peer), (given, peers) => {
      const { defence, ...rest } = given;
      const objective = given.method === 'mocha' ? 'classification' : given.objective;
      const listener = new Listener({ ...rest, objective, ...(defence && { defence }) });
      for (const [k, id] of IDS.entries()) join(listener, id, peers[k]);
      for (const [k, id] of IDS.entries()) {
        const { count: rows, mean, m2 } = peers[k];
        const target = objective === 'regression' ? { mean: mean[0], m2: Math.abs(m2[0]) } : undefined;
        const brought = objective === 'regression' ? { ...USUAL_CLASSES, labels: [], target } : USUAL_CLASSES;
        listener.hear(id, { kind: 'moments', count: rows, mean, m2: m2.map(Math.abs), ...brought });
      }
      listener.take({ type: 'timer', now: (listener.now += 200) });
      for (let turn = 0; turn < 4 && listener.state.round > 0; turn++) {
        for (const [k, id] of IDS.entries()) lie(listener, id, peers[k].answers[turn]);
        listener.take({ type: 'timer', now: (listener.now += 200) });
      }
      const { state } = listener;
      const [w, u] = [sharedPart(state), inquiryOf(state)?.u];
      for (const held of [w, u]) if (held) expect(held.every(Number.isFinite)).toBe(true);
      for (const known of combinerOf(state)?.members.values() ?? [])
        expect(known.u.every(Number.isFinite)).toBe(true);
      const { primal, dual } = state.certificate;
      expect(Number.isNaN(primal) || Number.isNaN(dual)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test('[SCALE-4] moments that are none: they are refused, and the others are waited for', () => {
  fc.assert(
    fc.property(fc.tuple(peer, peer, peer), (peers) => {
      const listener = new Listener({});
      for (const [k, id] of IDS.entries()) {
        join(listener, id, peers[k]);
        const { count: rows, mean, m2 } = peers[k];
        listener.hear(id, { kind: 'moments', count: rows, mean, m2, ...USUAL_CLASSES });
      }
      listener.take({ type: 'timer', now: (listener.now += 200) });
      const { scaling } = listener.state;
      for (const values of [scaling?.shift ?? [], scaling?.factor ?? []])
        for (const value of values) expect(Number.isFinite(value)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test.each([{}, { secure: DEFAULT_SECURE }])(
  'a number of features that no message could hold is refused: %j',
  (given) => {
    fc.assert(
      fc.property(fc.constantFrom(0, 1, 2, 1_000_000, 1_000_001, 0xffff_ffff), peer, (features, one) => {
        const listener = new Listener(given);
        join(listener, 'a', { ...one, rows: 10 }, features);
        const isTaken = features >= 1 && features <= 1_000_000;
        expect(listener.state.members.size).toBe(isTaken ? 1 : 0);
        expect(listener.state.rejections.get('WRONG_FEATURES') ?? 0).toBe(isTaken ? 0 : 1);
      }),
    );
  },
);

test('as long as nobody is there the number of features may be chosen anew', () => {
  const listener = new Listener({});
  const one = { rows: 3, benchmarkMs: 1 };
  join(listener, 'a', one, 7);
  listener.hear('a', { kind: 'leave', session: 1 });
  join(listener, 'b', one, 2);
  join(listener, 'c', one, 7);
  expect([...listener.state.members.keys()]).toEqual(['b']);
  expect(listener.state.rejections).toEqual(new Map([['WRONG_FEATURES', 1]]));
});
