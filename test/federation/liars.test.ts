/**
 * One liar among twenty. What contradicts itself, its earlier answers or the box is refused and counted, and training ends as it would without
 * it; who lies about a problem of its own speaks for itself alone, and cannot end the training of the others early.
 */
import { describe, expect, test } from 'vitest';
import { modelOf } from '../../src/coordinator/training.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import type { AnswerMessage, ToCoordinator } from '../../src/protocol/messages.ts';
import { LOSS_NAMES, type LossName } from '../../src/settings/losses.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { LOSSES } from '../../src/solver/losses/losses.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { type PlanChanges, planFor } from '../helpers/federation.ts';
import { gateOf } from '../helpers/gate.ts';
import { primalOf } from '../helpers/optimum.ts';
import { smallHar } from '../helpers/tables.ts';

const TABLES = {
  classification: smallHar(3, 20, 20),
  regression: makeRegression({ seed: 3, tasks: 20, rows: 20, features: 6 }),
} as const;
const LIAR = '7';
const GAP = 1e-3;

type Lie = (answer: AnswerMessage, turn: number) => Partial<AnswerMessage>;

function plan(loss: LossName, changes: PlanChanges = {}) {
  const { task: objective } = LOSSES[loss];
  const train = {
    ...{ objective, loss },
    gap: GAP,
    rounds: 100,
    passes: 300,
    c2: 0.5,
    testFraction: 0,
    scale: 'none',
  } as const;
  const options = { retryMs: 1e4, maxWaitMs: 1e4, patience: 2, ...changes.options };
  return planFor(TABLES[objective], train, { untilMs: 1e6, ...changes, options });
}

/** Runs it with somebody who changes what it sends on its way. */
function run(loss: LossName, change: (message: ToCoordinator) => ToCoordinator): Simulation {
  const simulation = new Simulation(plan(loss));
  const gate = gateOf(simulation.coordinator);
  const take = gate.take.bind(gate);
  gate.take = (input) =>
    take(
      input.type === 'message' && input.from === LIAR ? { ...input, message: change(input.message) } : input,
    );
  return simulation.run();
}

function lying(loss: LossName, lie: Lie): Simulation {
  let turn = 0;
  return run(loss, (message) =>
    message.kind === 'answer' ? { ...message, ...lie(message, ++turn) } : message,
  );
}

/** The federation of the others. */
function without(loss: LossName): Simulation {
  const whole = plan(loss, { options: { minParticipants: 19 } });
  const participants = whole.participants.filter(({ profile }) => profile.id !== LIAR);
  return new Simulation({ ...whole, participants }).run();
}

const scalars = (answer: AnswerMessage, changes: Partial<AnswerMessage['scalars']>) => ({
  scalars: { ...answer.scalars, ...changes },
});
const ofClasses = LOSS_NAMES.filter((loss) => LOSSES[loss].classes);

const LIES: readonly [string, Lie, readonly LossName[]][] = [
  ['claims F = c = 1e9, beyond its box', (a) => scalars(a, { loss: 1e9, dualSum: 1e9 }), ofClasses],
  [
    'claims a value below its own cut',
    (a) => scalars(a, { dualSum: a.scalars.dualSum + a.scalars.loss + 1 }),
    LOSS_NAMES,
  ],
  ['claims a negative loss', (a) => scalars(a, { loss: -1 }), LOSS_NAMES],
  [
    'claims another norm than its vector has',
    (a) => scalars(a, { uNorm2: 2 * a.scalars.uNorm2 + 1 }),
    LOSS_NAMES,
  ],
  ['claims another product with the query', (a) => scalars(a, { wDotU: a.scalars.wDotU + 1 }), LOSS_NAMES],
  ['claims a value that no number holds', (a) => scalars(a, { loss: 1e200 }), LOSS_NAMES],
];

describe.each(LOSS_NAMES)('what cannot be, %s', (loss) => {
  const honest = without(loss);

  test.each(LIES.filter(([, , losses]) => losses.includes(loss)))(
    '%s: it is refused, and training ends as without it',
    (_, lie) => {
      const simulation = lying(loss, lie);
      const { state } = simulation.coordinator;
      expect(state!.rejections.get('INFEASIBLE')).toBeGreaterThan(0);
      expect(state!.members.get(LIAR)!.accepted.round).toBe(0);
      expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [LIAR] });
      const [mine, theirs] = [simulation, honest].map(({ coordinator, rows }) => {
        const { primal, dual } = rows.at(-1)!;
        return { w: modelOf(coordinator.state!)!.w, room: Math.sqrt(2 * (primal - dual)) };
      });
      expect(norm(plusScaled(mine.w, -1, theirs.w))).toBeLessThanOrEqual(mine.room + theirs.room);
    },
  );

  test('[JOIN-6] claims 4e9 rows: it is refused when it joins', () => {
    const simulation = run(loss, (message) =>
      message.kind === 'join' ? { ...message, rows: 4e9 } : message,
    );
    // As many as must be there are not there without it.
    expect(simulation.coordinator.state!.rejections.get('INFEASIBLE')).toBeGreaterThan(0);
    expect(simulation.coordinator.state!.members.has(LIAR)).toBe(false);
  });

  test('[ANSWER-6] raises its value above what its earlier answer allows: it is refused, and counts by that answer', () => {
    const simulation = lying(loss, (answer, turn) =>
      turn === 1
        ? {}
        : scalars(answer, { loss: answer.scalars.loss + 50, dualSum: answer.scalars.dualSum + 50 }),
    );
    const { state } = simulation.coordinator;
    expect(state!.rejections.get('INFEASIBLE')).toBeGreaterThan(0);
    expect(state!.members.get(LIAR)!.accepted.round).toBe(1);
    expect(state).toMatchObject({ phase: 'finished', finish: 'gap' });
  });
});

describe('a function of its own, which nobody can tell from an honest one', () => {
  /** F(w) = height: no gradient, a cut that touches it everywhere. */
  const flat =
    (height: number): Lie =>
    (answer) => ({
      u: new Float64Array(answer.u.length),
      scalars: { loss: height, dualSum: height, uNorm2: 0, wDotU: 0 },
    });

  test.each([1e3, 1e6, 1e9, 1e20, 1e50, 1e99])(
    'a constant of %d does not end the training of the others early',
    (height) => {
      const simulation = lying('epsilon-insensitive', flat(height));
      const { state } = simulation.coordinator;
      expect(state!.rejections.get('INFEASIBLE')).toBeUndefined();
      expect(state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
      expectGapOfOthers(simulation, 'epsilon-insensitive');
    },
  );

  test.each(ofClasses)('nor does one within its box, where classes are told apart: %s', (loss) => {
    const simulation = lying(loss, flat(10));
    expect(simulation.coordinator.state!.rejections.get('INFEASIBLE')).toBeUndefined();
    expect(simulation.coordinator.state).toMatchObject({ phase: 'finished', finish: 'gap', missing: [] });
    expectGapOfOthers(simulation, loss);
  });

  test.each([1e3, 1e6, 1e9, 1e20, 1e99])(
    'nor does one of %d whose cut is a little above it, by less than rounding could explain',
    (height) => {
      const simulation = lying('epsilon-insensitive', (answer, turn) => {
        const { u, scalars: claimed } = flat(height)(answer, turn) as Pick<AnswerMessage, 'u' | 'scalars'>;
        return { u, scalars: { ...claimed, dualSum: height * (1 + 0.9e-5) } };
      });
      expect(simulation.coordinator.state).toMatchObject({ phase: 'finished', finish: 'gap' });
      expectGapOfOthers(simulation, 'epsilon-insensitive');
    },
  );

  test('nor where it claims a hundred million rows, and a loss and a dual sum to go with them', () => {
    const height = 1e8;
    const simulation = run('hinge', (message) => {
      if (message.kind === 'join') return { ...message, rows: 1e8 };
      if (message.kind !== 'answer') return message;
      const claimed = { loss: height * (1 - 1e-6), dualSum: height, uNorm2: 0, wDotU: 0 };
      return { ...message, u: new Float64Array(message.u.length), scalars: claimed };
    });
    expect(simulation.coordinator.state).toMatchObject({ phase: 'finished', finish: 'gap' });
    expectGapOfOthers(simulation, 'hinge');
  });

  /** Whoever is alone with its lie can make the scale of the gap at most as large as 20 typical members together. */
  function expectGapOfOthers(simulation: Simulation, loss: LossName): void {
    const others = [...simulation.participants.values()].filter(({ id }) => id !== LIAR);
    const reached = primalOf(others, modelOf(simulation.coordinator.state!)!.w);
    const { dual } = without(loss).rows.at(-1)!;
    expect((reached - dual) / reached).toBeLessThanOrEqual(3 * GAP);
  }
});

describe('steps: who claims too much pays for itself', () => {
  /** With its own u: loss and dual sum are raised by the same amount, and the dual sum by a little more. */
  const raised =
    (height: number, more: number): Lie =>
    (answer) =>
      scalars(answer, {
        loss: answer.scalars.loss + height,
        dualSum: answer.scalars.dualSum + height * (1 + more),
      });

  const stepping = (method: 'mtl' | 'mocha', aggregation: 'safe' | 'sum', lie: Lie, defence = {}) => {
    const objective = method === 'mocha' ? ('classification' as const) : ('regression' as const);
    const rest = { gap: GAP, rounds: 12, passes: 10, c2: 0.5, testFraction: 0, scale: 'none' } as const;
    const train = { ...rest, objective, aggregation };
    const options = { method, ...{ retryMs: 1e4, maxWaitMs: 1e4, patience: 2 }, ...defence };
    const simulation = new Simulation(planFor(TABLES[objective], train, { untilMs: 1e6, options }));
    const gate = gateOf(simulation.coordinator);
    const take = gate.take.bind(gate);
    let turn = 0;
    gate.take = (input) => {
      if (input.type !== 'message' || input.from !== LIAR) return take(input);
      const { message } = input;
      if (message.kind === 'join') return take({ ...input, message: { ...message, rows: 1e8 } });
      // Without scaling it brings labels alone.
      if (message.kind === 'moments' && message.count > 0)
        return take({ ...input, message: { ...message, count: 1e8 } });
      if (message.kind !== 'answer') return take(input);
      take({ ...input, message: { ...message, ...lie(message, ++turn) } });
    };
    return simulation.run();
  };

  test.each([
    ['mtl', 'safe', {}],
    ['mtl', 'sum', {}],
    ['mocha', 'safe', {}],
    ['mtl', 'safe', { defence: { robust: {}, scores: 'on' } }],
  ] as const)(
    '%s, %s, %j: twelve rounds are not enough, whatever is claimed',
    (method, aggregation, defence) => {
      for (const height of method === 'mocha' ? [1e3, 1e7] : [1e3, 1e9, 1e50])
        for (const more of [0, 0.9e-5]) {
          const { rows } = stepping(method, aggregation, raised(height, more), defence);
          const last = rows.at(-1)!;
          expect(
            last.outcome === 'final' && last.certified && last.relativeGap <= GAP,
            `${height}, ${more}`,
          ).toBe(false);
          // An honest run is far from the end, too.
          expect(last.relativeGap).toBeGreaterThan(GAP);
        }
    },
  );
});
