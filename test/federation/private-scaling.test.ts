/** Nothing about the rows is sent where epsilon would not cover it: the scaling follows from what is public. */
import { describe, expect, test } from 'vitest';
import type { CoordinatorOptions } from '../../src/coordinator/options.ts';
import { publicScaling } from '../../src/coordinator/private-scaling.ts';
import type { ToCoordinator } from '../../src/protocol/messages.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar } from '../helpers/tables.ts';

const TABLE = smallHar(5, 4, 12);
const TRAIN = { aggregation: 'safe', rounds: 2, passes: 3, gap: 0, testFraction: 0 } as const;
const DP = { clip: 0.3, noiseMultiplier: 3, epsilon: 50, delta: 1e-5 };

function heardIn(simulation: Simulation): ToCoordinator[] {
  const heard: ToCoordinator[] = [];
  const gate = gateOf(simulation.coordinator);
  const take = gate.take.bind(gate);
  gate.take = (input) => {
    if (input.type === 'message') heard.push(input.message);
    take(input);
  };
  simulation.run();
  return heard;
}

describe('[DP-6] [SCALE-6] no moments are sent', () => {
  const cases: [string, () => Simulation][] = [
    [
      'with dp and bounds',
      () => new Simulation(planFor(TABLE, TRAIN, { options: { dp: { ...DP, bounds: [-1, 1] } } })),
    ],
    [
      'with dp and no scaling',
      () => new Simulation(planFor(TABLE, { ...TRAIN, scale: 'none' }, { options: { dp: DP } })),
    ],
    ['without any scaling', () => new Simulation(planFor(TABLE, { ...TRAIN, scale: 'none' }))],
  ];

  test.each(cases)('%s', (_, make) => {
    const simulation = make();
    const heard = heardIn(simulation);
    for (const message of heard) {
      if (message.kind !== 'moments') continue;
      expect([message.count, message.mean.length, message.m2.length]).toEqual([0, 0, 0]);
    }
    expect(simulation.coordinator.state!.aggregated).toBe(2);
  });

  test('with secure aggregation and dp: not even a sum of them', () => {
    const options = { dp: { ...DP, honest: 2, bounds: [-1, 1] } };
    const simulation = new Simulation(securePlan(TABLE, TRAIN, { options }));
    const purposes = new Set<string>();
    const node = gateOf(simulation.coordinator);
    const take = node.take.bind(node);
    node.take = (input) => {
      take(input);
      const { secure, round } = simulation.coordinator.state ?? {};
      if (secure && round! > 0) purposes.add(secure.purpose);
    };
    simulation.run();
    expect([...purposes]).toEqual(['train']);
    expect(simulation.coordinator.state!.aggregated).toBe(2);
  });
});

describe('a scaling from public bounds', () => {
  const options = (scale: CoordinatorOptions['scale'], bounds: readonly (readonly number[])[]) => ({
    objective: 'classification' as const,
    scale,
    scaleTarget: 'standard' as const,
    dp: { ...DP, bounds },
  });

  test.each(['standard', 'center'] as const)('%s: a row within them has norm 1 at the most', (scale) => {
    const bounds = [
      [-1, 1],
      [0, 200],
      [5, 5],
    ];
    const { shift, factor } = publicScaling(options(scale, bounds), 3)!;
    const corner = bounds.map(([, most], j) => (most - shift[j]) * factor[j]);
    expect([...shift]).toEqual([0, 100, 5]);
    expect(Math.hypot(...corner)).toBeLessThanOrEqual(1 + 1e-12);
    // A feature without width says nothing.
    expect(corner[2]).toBe(0);
  });

  test('bounds for each feature are bounds for as many features as there are', () => {
    const dp = {
      ...DP,
      bounds: [
        [-1, 1],
        [-1, 1],
      ],
    };
    const simulation = new Simulation(planFor(TABLE, TRAIN, { options: { dp }, untilMs: 1e4 }));
    simulation.run();
    expect(simulation.coordinator.state!.rejections.get('WRONG_FEATURES')).toBeGreaterThan(0);
    expect(simulation.coordinator.state!.members.size).toBe(0);
  });
});
