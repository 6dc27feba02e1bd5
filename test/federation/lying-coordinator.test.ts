/**
 * A coordinator that lies to participants who follow the protocol: it shows one of them something else than the others, and reads the
 * difference out of the sums. Everything that an answer depends on is part of what members attest to each other, so nothing is uncovered.
 */
import { describe, expect, test } from 'vitest';
import { type Lie, RowHunt, tellLies } from '../../src/audit/lying-coordinator.ts';
import { inquiryOf } from '../../src/coordinator/training.ts';
import { scaleRow } from '../../src/math/scaling.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar } from '../helpers/tables.ts';

const VICTIM = '1';
const TABLE = smallHar(3, 3, 8);

function federation(rounds: number): Simulation {
  const stop = { gap: 0, rounds, timeMs: 1e7, stall: 1e9 };
  const options = { maxWaitMs: 300, retryMs: 50, secure: { phaseMs: 100 }, stop };
  return new Simulation(securePlan(TABLE, { passes: 2000, testFraction: 0 }, { options, untilMs: 100_000 }));
}

function sums({ rows }: Simulation): number {
  return rows.filter(({ outcome }) => outcome === 'aggregated').length;
}

/** How far the nearest row of the victim is from what was found, up to its sign. */
function error({ participants, coordinator }: Simulation, found: Float64Array): number {
  const { data } = participants.get(VICTIM)!;
  const scaling = { mode: 'standard', ...coordinator.state!.scaling! } as const;
  const errors = Array.from(data.y, (_, i) => {
    const row = new Float32Array(found.length).fill(1);
    scaleRow(data.x, i, scaling, row, 0);
    const off = (sign: number) => Math.max(...found.map((value, j) => Math.abs(value - sign * row[j])));
    return Math.min(off(1), off(-1));
  });
  return Math.min(...errors);
}

test('[SECURE-17] whoever shows the victim queries of its own learns none of its rows', () => {
  const simulation = federation(80);
  const hunt = new RowHunt(simulation, VICTIM);
  simulation.run();
  // Before the question was attested to: 80 sums, four rows to 5e-10.
  const errors = hunt.rows.map((row) => error(simulation, row));
  expect({ sums: sums(simulation), rows: hunt.rows.length, errors }).toEqual({
    sums: 0,
    rows: 0,
    errors: [],
  });
  const { state } = simulation.participants.get(VICTIM)!;
  expect(state!.refusal).toMatchObject({ code: 'CONTRADICTED' });
  expect(simulation.coordinator.state!.declines.get('STATEMENT')).toBeGreaterThan(0);
});

describe('nothing is uncovered where the victim alone is shown', () => {
  const lies: Record<string, Lie> = {
    'another query': (message) =>
      message.kind === 'round' ? { ...message, w: message.w.map((value) => value + 1e-9) } : message,
    'another allowance': (message) =>
      message.kind === 'round' ? { ...message, sigma: message.sigma + 1 } : message,
    'another tolerance': (message) =>
      message.kind === 'round' ? { ...message, tolerance: message.tolerance / 2 } : message,
    'another purpose': (message) => (message.kind === 'round' ? { ...message, purpose: 'certify' } : message),
    'another weight of losses': (message) =>
      message.kind === 'welcome' ? { ...message, settings: { ...message.settings, c1: 2 } } : message,
    'another scaling': (message) =>
      message.kind === 'welcome' && message.scaling
        ? { ...message, scaling: { ...message.scaling, factor: message.scaling.factor.map((f) => 2 * f) } }
        : message,
    'other accepted answers': (message) =>
      message.kind === 'plan' ? { ...message, bases: message.bases.map((base) => base + 1) } : message,
  };
  test.each(Object.entries(lies))('%s', (_, lie) => {
    const simulation = federation(6);
    tellLies(simulation, (message, to) => (to === VICTIM ? lie(message, to) : message));
    simulation.run();
    expect(sums(simulation)).toBe(0);
    expect(inquiryOf(simulation.coordinator.state!)?.u.some((value) => value !== 0) ?? false).toBe(false);
  });

  test('[SECURE-18] nothing else: the same federation without a lie trains', () => {
    const simulation = federation(6);
    tellLies(simulation, (message) => message);
    expect(sums(simulation.run())).toBe(6);
  });
});
