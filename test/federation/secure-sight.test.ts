/**
 * What the coordinator of secret sums gets to see: everything that went into its machine, everything it held after every step and
 * everything it stored is searched for what is private to one participant. The same search finds all of it without protection.
 */

import { expect, test } from 'vitest';
import { inquiryOf } from '../../src/coordinator/training.ts';
import type { Stored } from '../../src/participant/state.ts';
import { momentsVector } from '../../src/protocol/secure-sums.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { boundsOf } from '../../src/solver/answer.ts';
import type { InquiryMemory } from '../../src/solver/inquiry-types.ts';
import { plusScaled } from '../../src/solver/vector.ts';
import { planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar } from '../helpers/tables.ts';

const TABLE = smallHar(3, 6, 20);
const OPTIONS = { rounds: 8, gap: 1e-9, passes: 8, c2: 0.5 } as const;
/** Two devices that are late every now and then, so that sums are over different sets. */
const CHANGES = {
  hardware: (k: number) => (k < 2 ? 1 : 5),
  options: { waiting: { kind: 'fixed', ms: 11.5 }, straggler: 'restart', maxWaitMs: 300 } as const,
};

/** All numbers in a value, bytes also as the fixed-point numbers that they might be. */
function numbersIn(value: unknown, found: Set<number>, seen = new Set<unknown>()): void {
  if (typeof value === 'number') found.add(value);
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  if (value instanceof Uint8Array) {
    const whole = value.slice(0, value.length & ~7);
    for (const entry of new BigInt64Array(whole.buffer)) found.add(Number(entry) / 2 ** 30);
  } else if (value instanceof Float64Array || value instanceof Uint32Array) {
    for (const entry of value) found.add(entry);
  } else if (value instanceof Map || value instanceof Set) {
    for (const entry of value) numbersIn(entry, found, seen);
  } else for (const entry of Object.values(value)) numbersIn(entry, found, seen);
}

interface Sight {
  /** Whatever the coordinator saw or held. */
  readonly seen: Set<number>;
  /** Vectors it has seen as numbers, for what may be had by subtraction: every query, and every sum. */
  readonly vectors: Float64Array[];
  /** Whatever is one participant's own: by what it is. */
  readonly own: Map<string, Set<number>>;
}

function watch(simulation: Simulation): Sight {
  const sight: Sight = { seen: new Set(), vectors: [], own: new Map() };
  const keep = (what: string, values: Iterable<number>) => {
    const known = sight.own.get(what) ?? new Set<number>();
    // Zeros and ones, and what a small whole number may be by chance, say nothing.
    for (const value of values) if (Math.abs(value % 1) > 1e-7) known.add(value);
    sight.own.set(what, known);
  };
  const { coordinator } = simulation;
  const gate = gateOf(coordinator);
  const take = gate.take.bind(gate);
  gate.take = (input) => {
    numbersIn(input, sight.seen);
    take(input);
    numbersIn(coordinator.state, sight.seen);
    numbersIn(coordinator.disk, sight.seen);
    const inquiry = coordinator.state && inquiryOf(coordinator.state);
    for (const vector of inquiry ? [inquiry.query, inquiry.u] : []) {
      if (!sight.vectors.includes(vector)) sight.vectors.push(vector);
    }
  };
  for (const node of simulation.participants.values()) {
    keep('moments', momentsVector({ ...node.data.profile.moments, target: undefined }));
    keep('moments', node.data.profile.moments.mean);
    const takeToo = node.take.bind(node);
    node.take = (input) => {
      takeToo(input);
      keepOwn(node.disk, keep);
    };
  }
  simulation.run();
  return sight;
}

function keepOwn(disk: Stored | undefined, keep: (what: string, values: Iterable<number>) => void): void {
  if (!disk?.pending) return;
  const { u, scalars } = disk.pending.message;
  keep('u', u);
  keep(
    'v',
    u.map((value) => value / OPTIONS.c2),
  );
  if (disk.committed) keep('change of u', plusScaled(u, -1, disk.committed.u));
  // What is known of a sum is on its grid.
  const onGrid = (value: number) => Math.round(value * 2 ** 30) / 2 ** 30;
  const { value, constant } = boundsOf(scalars, OPTIONS.c2);
  const numbers = [...Object.values(scalars), value, value + scalars.wDotU, constant];
  keep('scalars', [...numbers, ...numbers.map(onGrid)]);
}

/** Which of what is private was seen. */
function leaks({ seen, own }: Sight): string[] {
  return [...own].flatMap(([what, values]) => [...values].filter((value) => seen.has(value)).map(() => what));
}

const plain = watch(new Simulation(planFor(TABLE, OPTIONS, CHANGES)));
const simulation = new Simulation(securePlan(TABLE, OPTIONS, CHANGES));
const secret = watch(simulation);

test('the search finds everything where there is no protection', () => {
  const found = new Set(leaks(plain));
  for (const what of ['u', 'scalars', 'moments']) expect(found).toContain(what);
});

test('and nothing of anybody where sums are secret', () => {
  expect(simulation.coordinator.state!.aggregated).toBe(8);
  // Not always the same people: that is where subtraction would help.
  expect(new Set(simulation.rows.map((row) => row.responders.join())).size).toBeGreaterThan(1);
  for (const values of secret.own.values()) expect(values.size).toBeGreaterThan(30);
  expect(leaks(secret)).toEqual([]);
});

test('nor does the difference of any two vectors that it has seen, at any step, belong to one alone', () => {
  const own = new Set([...secret.own.get('change of u')!, ...secret.own.get('u')!, ...secret.own.get('v')!]);
  const found: number[] = [];
  for (const a of secret.vectors) {
    for (const b of secret.vectors) {
      for (let j = 0; j < a.length; j++) {
        const difference = a[j] - b[j];
        if (difference !== 0 && own.has(difference)) found.push(difference);
      }
    }
  }
  expect(found).toEqual([]);
});

test('the sums that it keeps do not give the cut or the value of one who was not counted in', () => {
  const nodes = [...simulation.participants.values()];
  for (const what of ['value', 'constant'] as const) {
    const all = (simulation.coordinator.disk.run!.inquiry as InquiryMemory)[what];
    for (const node of nodes) {
      // It knows the sum over all; that over all but one is nowhere, so there is nothing to subtract.
      const others = nodes.filter((other) => other !== node).map((other) => other.disk!.summed![0][what]);
      const sum = others.reduce((total, s) => total + s, 0);
      expect(node.disk!.summed![0][what]).toBeCloseTo(all - sum, 6);
      expect([...secret.seen].filter((value) => Math.abs(value - sum) < 1e-7)).toEqual([]);
    }
  }
});

test('[SECURE-1] the number of rows is not said either', () => {
  for (const { rows } of simulation.coordinator.disk.members.values()) expect(rows).toBe(1);
});
