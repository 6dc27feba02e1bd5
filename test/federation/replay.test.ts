/** A run's inputs, given again to new machines, give the same effects; so does a machine copied in the middle of a run. */
import { expect, test } from 'vitest';
import type { CoordinatorInput } from '../../src/coordinator/effects.ts';
import { step as stepCoordinator } from '../../src/coordinator/machine.ts';
import { newCoordinator } from '../../src/coordinator/stored.ts';
import type { ParticipantInput } from '../../src/participant/effects.ts';
import { step as stepParticipant } from '../../src/participant/machine.ts';
import { secureSide } from '../../src/participant/secure.ts';
import { newParticipant, type ParticipantState } from '../../src/participant/state.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { smallHar } from '../helpers/tables.ts';

const SIDE = secureSide();

const plan = () =>
  planFor(
    smallHar(5, 4, 12),
    { rounds: 8, passes: 6, gap: 1e-4, testFraction: 0.25 },
    {
      link: { delayMs: 2, jitterMs: 20, loss: 0.15, duplicate: 0.2 },
      deeds: [{ atMs: 90, kind: 'forget', participant: '3' }],
      options: { retryMs: 40, maxWaitMs: 150, waiting: { kind: 'fixed', ms: 40 }, straggler: 'resume' },
    },
  );

/** Runs the plan and keeps what went into one node's machine. */
function inputsOf<I>(pick: (simulation: Simulation) => { take(input: I): void }): I[] {
  const simulation = new Simulation(plan());
  const node = pick(simulation);
  const inputs: I[] = [];
  const take = node.take.bind(node);
  node.take = (input) => {
    inputs.push(structuredClone(input));
    take(input);
  };
  simulation.run();
  expect(simulation.over).toBe(true);
  expect(inputs.length).toBeGreaterThan(20);
  return inputs;
}

test('the coordinator: the same inputs give the same effects', () => {
  const inputs = inputsOf<CoordinatorInput>((simulation) => gateOf(simulation.coordinator));
  const { options } = plan();
  const [first, second] = [0, 1].map(() => {
    const state = newCoordinator(options);
    return inputs.map((input) => structuredClone(stepCoordinator(state, structuredClone(input))));
  });
  expect(second).toEqual(first);
});

test('a participant: replayed from the beginning, and from a copy in the middle', () => {
  const inputs = inputsOf<ParticipantInput>((simulation) => simulation.participants.get('2')!);
  const { profile } = plan().participants[1];
  const first = newParticipant(profile);
  let copy: ParticipantState | undefined;
  for (const [i, input] of inputs.entries()) {
    if (i === Math.floor(inputs.length / 2)) copy = structuredClone(first);
    const effects = structuredClone(stepParticipant(first, structuredClone(input), SIDE));
    if (copy) expect(stepParticipant(copy, structuredClone(input), SIDE)).toEqual(effects);
  }
  expect(copy).toEqual(first);
});
