import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KindredError } from '../../src/base/errors.ts';
import { parseScenario, type ScenarioInput, scenarioFromText } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable, planFrom } from '../../src/sim/scenario-plan.ts';

function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    expect(error).toBeInstanceOf(KindredError);
    expect((error as KindredError).code).toBe('BAD_SCENARIO');
    return (error as KindredError).message;
  }
  throw new Error('expected a refusal');
}

const tiny = { generator: 'har', participants: 3, rows: 12, features: 5 } as const;

function plan(given: ScenarioInput) {
  const scenario = parseScenario('s.json', { data: tiny, ...given });
  return planFrom(
    scenario,
    { source: 's.json', table: generatedTable(scenario)!, compute: computeModel(scenario) },
    1,
  );
}

describe('a scenario', () => {
  test('may be empty: every field has a default', () => {
    const scenario = parseScenario('s.json', {});
    expect(scenario.data).toEqual({
      generator: 'har',
      participants: 20,
      rows: 345,
      features: 561,
      seed: 1,
    });
    expect(scenario).toMatchObject({
      straggler: 'anytime',
      aggregation: 'answers',
      repeats: 1,
      hardware: 'equal',
    });
  });

  test.each<[object, string]>([
    [{ c1: 0 }, 's.json: c1: expected a number above 0, got 0'],
    [{ c2: 'x' }, 's.json: c2: expected a number above 0, got "x"'],
    [{ rounds: 2.5 }, 's.json: rounds: expected a whole number of at least 1, got 2.5'],
    [{ straggler: 'wait' }, 's.json: straggler: expected one of restart, resume, anytime, got "wait"'],
    [{ colour: 1 }, 's.json: colour: there is no such field'],
    [{ link: { lag: 3 } }, 's.json: link.lag: there is no such field'],
    [{ link: { loss: 1 } }, 's.json: link.loss: expected a number of at least 0 and at most 0.9, got 1'],
    [
      { hardware: 'fast' },
      's.json: hardware: expected one of equal, rising, or a list of factors above 0, got "fast"',
    ],
    [{ hardware: [1, -2] }, 's.json: hardware[1]: expected a number above 0 and at most 1000000, got -2'],
    [{ waiting: 'some' }, 's.json: waiting.kind: expected one of all, fixed, share, benchmarks, got "some"'],
    [
      { waiting: { kind: 'some' } },
      's.json: waiting.kind: expected one of all, fixed, share, benchmarks, got "some"',
    ],
    [{ waiting: { kind: 'all', ms: 1 } }, 's.json: waiting.ms: there is no such field'],
    [
      { waiting: { kind: 'fixed' } },
      's.json: waiting.ms: expected a number of milliseconds above 0 and at most 2147483647, got nothing',
    ],
    [
      { waiting: 'all', responders: 0.5 },
      's.json: waiting: expected no waiting together with responders, which determine it, got {"kind":"all"}',
    ],
    [{ responders: 0 }, 's.json: responders: expected a number above 0 and at most 1, got 0'],
    [{ responders: 25 }, 's.json: responders: expected a number above 0 and at most 1, got 25'],
    [
      { data: { generator: 'mnist' } },
      's.json: data.generator: expected one of har, regression, rings, file, got "mnist"',
    ],
    [{ data: { heterogeneity: 'same' } }, 's.json: data.heterogeneity: there is no such field'],
    [
      { compute: { spread: 3 } },
      's.json: compute.spread: expected a number of at least 0 and at most 2, got 3',
    ],
    [
      { partitions: [{ fromMs: 5, toMs: 5, participants: ['1'] }] },
      's.json: partitions[0]: expected toMs after fromMs, got {"fromMs":5,"toMs":5,"participants":["1"]}',
    ],
    [
      { crashes: [{ step: 1 }] },
      's.json: crashes[0].node: expected coordinator, or the name of a participant, got nothing',
    ],
    [
      { deeds: [{ atMs: 1, kind: 'leave' }] },
      's.json: deeds[0]: expected a participant with leave, rejoin or forget, and none with pause, resume or finish, got {"atMs":1,"kind":"leave"}',
    ],
    [
      { secure: true, aggregation: 'safe' },
      's.json: aggregation: expected answers with secure (safe or sum with dp), got "safe"',
    ],
    [
      { secure: true, precision: 'f32' },
      's.json: precision: expected f64 with secure, which has its own number format, got "f32"',
    ],
    [
      { secure: true, mask: { kind: 'bernoulli', keep: 0.5 } },
      's.json: mask: expected none with secure, which hides updates, got "bernoulli"',
    ],
    [{ secure: true, method: 'mocha' }, 's.json: method: expected mtl with secure, got "mocha"'],
    [{ secure: {}, method: 'local' }, 's.json: method: expected mtl with secure, got "local"'],
    [{ secure: { scaleBits: 60 } }, 's.json: secure.scaleBits: expected a whole number from 0 to 52, got 60'],
    [{ secure: { stepBits: 20 } }, 's.json: secure.stepBits: there is no such field'],
    [
      { startMs: { 1: -1 } },
      's.json: startMs.1: expected a number of at least 0 and at most 1000000000, got -1',
    ],
    [{ dp: { clip: 1 } }, 's.json: dp: expected a noiseMultiplier, an epsilon, or both, got {"clip":1}'],
    [{ dp: { clip: 0, epsilon: 1 } }, 's.json: dp.clip: expected a number above 0, got 0'],
    [
      { dp: { clip: 1, epsilon: 1, delta: 1 } },
      's.json: dp.delta: expected a number above 0 and below 1, got 1',
    ],
    [
      { dp: { clip: 1, epsilon: 1 }, aggregation: 'answers' },
      's.json: aggregation: expected safe or sum with dp (answers would reveal private scalars), got "answers"',
    ],
    [
      { dp: { clip: 1, epsilon: 1, noiseMultiplier: 1 } },
      's.json: dp.epsilon: expected at least 4.729, the cost of one round, got 1',
    ],
    [
      { dp: { clip: 1, epsilon: 1 }, stall: 5 },
      's.json: stall: expected none with dp, where the gap is unknown, got 5',
    ],
    [{ dp: { clip: 1, epsilon: 1 }, method: 'mocha' }, 's.json: method: expected mtl with dp, got "mocha"'],
    [
      { dp: { clip: 1, epsilon: 1 }, defence: { normBound: 1 } },
      's.json: defence: expected none with dp, whose clip bounds every update, got {"normBound":1}',
    ],
    [{ defence: { scores: true } }, 's.json: defence.scores: expected "on", got true'],
    [
      { misbehaving: [{ participant: '1', kind: 'rude' }] },
      's.json: misbehaving[0].kind: expected one of free-rider, noise, echo, poison, got "rude"',
    ],
  ])('is refused: %j', (given, sentence) => {
    expect(refusal(() => parseScenario('s.json', given))).toBe(sentence);
  });

  test.each<[ScenarioInput, string]>([
    [
      { crashes: [{ node: 'x', step: 1 }] },
      's.json: crashes[0].node: expected one of the participants 1, 2, 3, got "x"',
    ],
    [
      { deeds: [{ atMs: 0, kind: 'leave', participant: '9' }] },
      's.json: deeds[0].participant: expected one of the participants 1, 2, 3, got "9"',
    ],
    [{ startMs: { z: 1 } }, 's.json: startMs: expected one of the participants 1, 2, 3, got "z"'],
    [
      { misbehaving: [{ participant: '9', kind: 'echo' }] },
      's.json: misbehaving[0].participant: expected one of the participants 1, 2, 3, got "9"',
    ],
    [
      { method: 'local', misbehaving: [{ participant: '1', kind: 'echo' }] },
      's.json: misbehaving: expected none with the local method, where each participant is alone, got 1',
    ],
    [
      { method: 'global', defence: { scores: 'on' } },
      's.json: defence: expected none with the global method, which has one node, got {"scores":"on"}',
    ],
    [
      { secure: { limit: 2 ** 33 } },
      's.json: secure.limit: expected a limit that allows sums of 3 participants (this one: 0), got 8589934592',
    ],
    [
      { minParticipants: 4 },
      's.json: minParticipants: expected at most 3, the number of participants, got 4',
    ],
  ])('names only who is there: %j', (given, sentence) => {
    expect(refusal(() => plan(given))).toBe(sentence);
  });

  test('that is no JSON is refused', () => {
    expect(refusal(() => scenarioFromText('s.json', '{'))).toMatch(/^s\.json: expected JSON/);
    expect(refusal(() => parseScenario('s.json', [1]))).toBe('s.json: expected an object, got [1]');
  });

  test('cannot sum in secret where too few would be left to hide anybody', () => {
    expect(refusal(() => plan({ secure: { dropout: 0.7 } }))).toMatch(
      /^s\.json: secure\.dropout: expected less than 0\.5, which is/,
    );
  });

  test('sums answers in secret, with thresholds for as many as there are', () => {
    const { options } = plan({ secure: { limit: 1000 } });
    expect(options.aggregation).toBe('answers');
    expect(options.secure).toMatchObject({ scaleBits: 30, limit: 1000, dropout: 1 / 3 });
    expect(plan({ secure: true, scale: 'none', dp: { clip: 1, epsilon: 8 } }).options.aggregation).toBe(
      'safe',
    );
    expect(plan({}).options.secure).toBeUndefined();
  });

  test('says nothing twice where nothing gets lost, and repeats itself where something does', () => {
    expect(plan({}).options.retryMs).toBe(1e9);
    const lossy = plan({ link: { loss: 0.1 } }).options;
    expect(lossy.retryMs).toBeLessThan(1000);
    expect(lossy.maxWaitMs).toBeGreaterThan(10 * lossy.retryMs);
  });

  test('with dp finds what is not given: the rule, the noise for an epsilon, the epsilon of a noise', () => {
    const wanted = plan({ rounds: 10, scale: 'none', dp: { clip: 0.5, epsilon: 2 } }).options;
    expect(wanted).toMatchObject({ aggregation: 'safe', dp: { clip: 0.5, epsilon: 2, delta: 1e-5 } });
    const noiseMultiplier = wanted.dp!.noiseMultiplier;
    const priced = plan({ rounds: 10, scale: 'none', dp: { clip: 0.5, noiseMultiplier } }).options;
    expect(priced.dp!.epsilon).toBeCloseTo(2, 5);
    expect(plan({ aggregation: 'sum', scale: 'none', dp: { clip: 1, epsilon: 1 } }).options.aggregation).toBe(
      'sum',
    );
    expect(plan({}).options).toMatchObject({ aggregation: 'answers', dp: undefined, defence: undefined });
  });

  test('gives a list of hardware factors in turn, and counts latecomers out at the start', () => {
    const { participants, options } = plan({ hardware: [1, 4], startMs: { 3: 50 } });
    expect(participants.map(({ hardware }) => hardware)).toEqual([1, 4, 1]);
    expect(options.minParticipants).toBe(2);
  });

  const folder = new URL('../../examples/scenarios/', import.meta.url);
  test.each(readdirSync(folder))('examples/scenarios/%s is one', (name) => {
    const scenario = scenarioFromText(name, readFileSync(new URL(name, folder), 'utf8'));
    expect(scenario.about).not.toBe('');
  });
});
