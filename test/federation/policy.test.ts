/** What a participant accepts is its own decision, asked before every answer; the coordinator is sent a code and nothing else. */
import { describe, expect, test } from 'vitest';
import { objectionTo } from '../../src/participant/policy.ts';
import { type PolicyInput, parsePolicy } from '../../src/settings/policy.ts';
import type { FederationSettings } from '../../src/settings/wire.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { planFor } from '../helpers/federation.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar } from '../helpers/tables.ts';

const TIMING = { maxWaitMs: 300, retryMs: 50, patience: 3, secure: { phaseMs: 100 } };

function withPolicy(
  participants: number,
  policy: PolicyInput,
  mode: 'secure' | 'plain',
  whose?: string,
): Simulation {
  const table = smallHar(3, participants, 10);
  const { secure, ...timing } = TIMING;
  const options = { gap: 1e-3, rounds: 30, passes: 200 };
  const changes = { untilMs: 60_000 };
  const plan =
    mode === 'secure'
      ? securePlan(table, options, { ...changes, options: { ...timing, secure } })
      : planFor(table, options, { ...changes, options: { ...timing, minParticipants: 2 } });
  const own = parsePolicy('test', policy);
  const members = plan.participants.map((one) =>
    whose === undefined || one.profile.id === whose
      ? { ...one, profile: { ...one.profile, policy: own } }
      : one,
  );
  return new Simulation({ ...plan, participants: members }).run();
}

const refusals = ({ participants }: Simulation) =>
  [...participants.values()].flatMap(({ state }) => state?.refusal ?? []);

describe('requirements', () => {
  const settings = { scale: 'standard', features: 3 } as FederationSettings;
  const dp = { clip: 1, noiseMultiplier: 1, epsilon: 3, delta: 1e-6 };
  test.each<[string, Partial<FederationSettings>, boolean]>([
    ['secure', {}, false],
    ['secure', { secure: { scaleBits: 30, limit: 1, dropout: 0.3, corrupted: 0.2 } }, true],
    ['mask', {}, false],
    ['mask', { mask: { kind: 'bernoulli', keep: 0.5, semantics: 'consistent' } }, true],
    ['dp', {}, false],
    ['dp', { dp }, true],
    ['dp:eps<=4', { dp }, true],
    ['dp:eps<=2.5', { dp }, false],
    ['dp:delta<=1e-5', { dp }, true],
    ['dp:delta<=1e-7', { dp }, false],
    ['scale:none', {}, false],
    ['scale:none', { scale: 'none' }, true],
  ])('%s against %j: %s', (requirement, given, holds) => {
    const policy = parsePolicy('test', { require: [requirement] });
    const objection = objectionTo(policy, { ...settings, ...given });
    expect(objection === undefined).toBe(holds);
    if (objection)
      expect(objection).toMatchObject({
        code: 'REQUIREMENT',
        sentence: expect.stringContaining(requirement),
      });
  });

  test.each(['secur', 'dp:eps<4', 'dp:eps<=x', 'scale:other', ''])('"%s" is no requirement', (text) => {
    expect(() => parsePolicy('test', { require: [text] })).toThrow(
      /^test: require\[0\]: expected secure, mask/,
    );
  });
});

test('[DECLINE-1] [DECLINE-2] whoever requires what is not there declines with a sentence, and the others train', () => {
  const simulation = withPolicy(4, { require: ['dp:eps<=4'] }, 'plain', '2');
  expect(refusals(simulation)).toEqual([
    {
      code: 'DECLINED',
      message: 'participant "2": declined by its policy: expected dp:eps<=4 (--require), got scale:standard',
    },
  ]);
  const { state } = simulation.coordinator;
  expect(state!.declines).toEqual(new Map([['REQUIREMENT', 1]]));
  expect(state!.finish).toBe('gap');
});

describe('in secure sums', () => {
  test('of two nobody takes part by default', () => {
    const simulation = withPolicy(2, {}, 'secure');
    expect(simulation.coordinator.state!.scaling).toBeUndefined();
    expect(simulation.coordinator.state!.declines.get('PEERS')).toBeGreaterThan(0);
  });

  test('of two those take part who say so', () => {
    const simulation = withPolicy(2, { minPeers: 2 }, 'secure');
    expect(simulation.coordinator.state!.finish).toBe('gap');
  });

  test('of fewer than it wants nobody takes part', () => {
    const simulation = withPolicy(5, { minPeers: 6 }, 'secure');
    expect(simulation.coordinator.state!.scaling).toBeUndefined();
  });

  test('[SECURE-21] nobody is summed with others than those it has pinned', () => {
    const simulation = withPolicy(4, { peers: { '2': 'A'.repeat(43) } }, 'secure', '1');
    const { disk } = simulation.participants.get('1')!;
    expect(disk!.secure!.core.seat).toBeUndefined();
    expect(disk!.base).toBe(0);
  });
});

describe('effort', () => {
  test('passes are capped', () => {
    const { rows, participants } = withPolicy(3, { maxPasses: 2 }, 'plain');
    const passes = [...participants.values()].map(({ disk }) => disk!.pending?.message.passes ?? 0);
    expect(Math.max(...passes)).toBeLessThanOrEqual(2);
    expect(rows.length).toBeGreaterThan(0);
  });

  test('rounds are counted, and no more are answered', () => {
    const simulation = withPolicy(3, { maxRounds: 2 }, 'plain');
    expect(simulation.coordinator.state!.declines.get('EFFORT')).toBeGreaterThan(0);
    expect(simulation.rows.filter(({ responders }) => responders.length > 0).length).toBeLessThanOrEqual(2);
  });

  test('more features than it wants are declined', () => {
    const simulation = withPolicy(3, { maxFeatures: 2 }, 'plain');
    expect(refusals(simulation).length).toBe(3);
  });

  test('nothing is sent again sooner than it wants', () => {
    const table = smallHar(3, 3, 10);
    const run = (leastRetryMs: number) => {
      const plan = planFor(table, {}, { untilMs: 1000, options: { retryMs: 1, minParticipants: 9 } });
      const policy = parsePolicy('test', { leastRetryMs });
      const participants = plan.participants.map((one) => ({ ...one, profile: { ...one.profile, policy } }));
      const simulation = new Simulation({ ...plan, participants });
      let frames = 0;
      const receive = simulation.coordinator.receive.bind(simulation.coordinator);
      simulation.coordinator.receive = (from, frame) => {
        frames++;
        receive(from, frame);
      };
      simulation.run();
      return frames;
    };
    expect(run(100)).toBeLessThanOrEqual(45);
    expect(run(1)).toBeGreaterThan(1000);
  });
});
