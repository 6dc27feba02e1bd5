/** A liar in secret sums may claim what it likes of its loss and its dual: when training ends is in the vectors, which honest members make. */
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../src/sim/simulation.ts';
import type { AnswerScalars } from '../../src/solver/answer.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

type Lie = (scalars: AnswerScalars) => AnswerScalars;

const honest: Lie = (scalars) => scalars;
const lies = (size: number): readonly (readonly [string, Lie])[] => [
  [
    `loss and dual higher by ${size}`,
    ({ loss, dualSum, ...rest }) => ({ ...rest, loss: loss + size, dualSum: dualSum + size }),
  ],
  [
    `loss and dual lower by ${size}`,
    ({ loss, dualSum, ...rest }) => ({ ...rest, loss: loss - size, dualSum: dualSum - size }),
  ],
  [`loss lower by ${size}`, ({ loss, ...rest }) => ({ ...rest, loss: loss - size })],
  [`dual higher by ${size}`, ({ dualSum, ...rest }) => ({ ...rest, dualSum: dualSum + size })],
  [`loss higher by ${size}`, ({ loss, ...rest }) => ({ ...rest, loss: loss + size })],
  [`dual lower by ${size}`, ({ dualSum, ...rest }) => ({ ...rest, dualSum: dualSum - size })],
];

describe.each([
  ['classification', smallHar(4, 5, 30), { c2: 0.5 }],
  ['regression', smallRegression(2), { objective: 'regression', c2: 0.5 }],
] as const)('%s', (_, table, options) => {
  function run(lie: Lie): Simulation {
    const simulation = new Simulation(securePlan(table, { gap: 1e-3, rounds: 60, ...options }));
    const [node] = simulation.participants.values();
    const take = node.take.bind(node);
    node.take = (input) =>
      take(
        input.type === 'solved'
          ? { ...input, result: { ...input.result, scalars: lie(input.result.scalars) } }
          : input,
      );
    return simulation.run();
  }
  const control = run(honest);

  test('an honest federation ends by its gap', () => {
    expect(control.coordinator.state!.finish).toBe('gap');
    expect(control.rows.length).toBeLessThanOrEqual(6);
  });

  test.each([1e3, 1e5, 4e6].flatMap(lies))('%s: as many rounds as without the lie, but for one', (_, lie) => {
    const { rows, coordinator } = run(lie);
    expect(Math.abs(rows.length - control.rows.length)).toBeLessThanOrEqual(1);
    expect(['gap', 'stall']).toContain(coordinator.state!.finish);
  });

  test.each(lies(1))('%s, which could be true: a few rounds more at the most', (_, lie) => {
    const { rows, coordinator } = run(lie);
    expect(rows.length).toBeGreaterThanOrEqual(control.rows.length - 1);
    expect(rows.length).toBeLessThanOrEqual(control.rows.length + 6);
    expect(['gap', 'stall']).toContain(coordinator.state!.finish);
  });
});
