/** Run logs: written as machines run, replayed to the same effects, and refused where they are damaged. */
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { KindredError } from '../../src/base/errors.ts';
import { replay } from '../../src/check/replay.ts';
import { type LogRecord, recordBytes } from '../../src/check/run-log.ts';
import { DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import { RunRecorder, readRunLog } from '../../src/node/run-log.ts';
import type { SimulationPlan } from '../../src/sim/simulation.ts';
import { planFor } from '../helpers/federation.ts';
import { logFolder, recorded } from '../helpers/recorded.ts';
import { securePlan } from '../helpers/secure-federation.ts';
import { smallHar, smallRegression } from '../helpers/tables.ts';

const folder = logFolder();
const HAR = smallHar(5, 4, 12);
const TRAIN = { rounds: 8, passes: 6, gap: 1e-4, testFraction: 0.25, c2: 0.5 } as const;
const LINK = { delayMs: 2, jitterMs: 20, loss: 0.15, duplicate: 0.2 };
const TIMES = { retryMs: 40, maxWaitMs: 150 };
const CRASHES = [
  { node: 'coordinator', step: 15, afterEffects: 1, downMs: 50 },
  { node: 'coordinator', step: 30, afterEffects: 0, downMs: 50 },
  { node: '2', step: 8, afterEffects: 1, downMs: 80 },
];
const DEEDS = [
  { atMs: 90, kind: 'forget', participant: '3' },
  { atMs: 120, kind: 'pause' },
  { atMs: 400, kind: 'resume' },
  // After training has begun: with fewer than minParticipants it would never begin.
  { atMs: 1500, kind: 'leave', participant: '1' },
] as const;
/** Of simulated time: a run that goes on is a failure, not a test without end. */
const untilMs = 100_000;
const DP = { clip: 0.5, noiseMultiplier: 1, epsilon: 100, delta: 1e-5 };

const PLANS: Readonly<Record<string, () => SimulationPlan>> = {
  'crashes, loss, pauses': () =>
    planFor(HAR, TRAIN, {
      untilMs,
      link: LINK,
      crashes: CRASHES,
      deeds: DEEDS,
      options: {
        ...TIMES,
        waiting: { kind: 'fixed', ms: 40 },
        straggler: 'resume',
        defence: { scores: 'on' },
      },
    }),
  'regression in f32': () =>
    planFor(smallRegression(2), { ...TRAIN, objective: 'regression' }, { options: { precision: 'f32' } }),
  mocha: () => planFor(HAR, TRAIN, { options: { method: 'mocha' } }),
  'masks as in the paper': () =>
    planFor(HAR, TRAIN, {
      options: {
        aggregation: 'sum',
        mask: { kind: 'beta', a: 2, b: 0.5, unmasked: 0.1, semantics: 'paper' },
      },
    }),
  'differential privacy': () =>
    planFor(HAR, TRAIN, {
      untilMs,
      crashes: CRASHES,
      options: { ...TIMES, aggregation: 'safe', scale: 'none', dp: DP },
    }),
  // With Node's primitives; the replay has the portable ones.
  'secret sums': () =>
    securePlan(
      HAR,
      { ...TRAIN, gap: 1e-3 },
      {
        untilMs,
        link: LINK,
        crashes: CRASHES,
        deeds: DEEDS.slice(1, 3),
        options: { ...TIMES, secure: { phaseMs: 120 } },
      },
    ),
  'secret sums with noise': () =>
    securePlan(
      HAR,
      { ...TRAIN, aggregation: 'safe', rounds: 4 },
      {
        untilMs,
        crashes: CRASHES,
        options: { ...TIMES, scale: 'none', dp: { ...DP, honest: 2 }, secure: { phaseMs: 120 } },
      },
    ),
};

describe('a replay comes to the same effects', () => {
  test.each(Object.keys(PLANS))(
    '%s',
    (name) => {
      const plan = PLANS[name]();
      const { simulation, logs } = recorded(folder, name.replaceAll(/\W/g, '-'), plan);
      expect(simulation.over).toBe(true);
      expect(logs.size).toBe(1 + plan.participants.length);
      for (const [node, path] of logs) {
        const result = replay(readRunLog(path));
        expect(result).toEqual({
          lives: 1 + plan.crashes.filter((crash) => crash.node === node).length,
          inputs: expect.any(Number),
          effects: expect.any(Number),
          torn: false,
        });
        expect(Math.min(result.inputs, result.effects)).toBeGreaterThan(8);
      }
    },
    120_000,
  );
});

describe('a log', () => {
  let records: LogRecord[];
  let logs: ReadonlyMap<string, string>;
  let bytes: Buffer;
  const path = join(folder, 'changed.log');

  beforeAll(() => {
    logs = recorded(folder, 'small', planFor(HAR, { ...TRAIN, rounds: 3 })).logs;
    records = [...readRunLog(logs.get('coordinator')!)];
    bytes = readFileSync(logs.get('coordinator')!);
  });

  const write = (changed: readonly LogRecord[]) =>
    writeFileSync(path, Buffer.concat(changed.map((record) => recordBytes(record as never))));
  const read = () => [...readRunLog(path)];
  const refusal = (act: () => unknown) => {
    try {
      act();
    } catch (error) {
      return error as KindredError;
    }
    throw new Error('expected a refusal');
  };

  test('can be read by its owner only', () => {
    for (const log of logs.values()) expect(statSync(log).mode & 0o777).toBe(0o600);
  });

  test('is the bytes of its records', () => {
    write(records);
    expect(readFileSync(path)).toEqual(bytes);
  });

  test('with a bit of an answer changed differs where the coordinator takes it', () => {
    const changed = structuredClone(records);
    const at = changed.findIndex(
      (record) =>
        record.type === 'step' && record.input.type === 'message' && record.input.message.kind === 'answer',
    );
    const { input } = changed[at] as unknown as { input: { message: { u: Float64Array } } };
    new Uint8Array(input.message.u.buffer)[6] ^= 1;
    write(changed);
    const before = replay(records).inputs;
    const { firstDifference, inputs } = replay(read());
    // One record is how the machine began.
    expect(firstDifference).toMatchObject({ life: 1, step: at, input: 'message' });
    expect(firstDifference!.expected).toMatch(/^[0-9a-f]{64}$/);
    expect(firstDifference!.got).toMatch(/^[0-9a-f]{64}$/);
    expect(inputs).toBe(at);
    expect(before).toBeGreaterThan(at);
  });

  test('with a bit of a solution changed differs where the participant takes it', () => {
    const changed = [...readRunLog(logs.get('2')!)];
    const at = changed.findIndex((record) => record.type === 'step' && record.input.type === 'solved');
    const { input } = changed[at] as unknown as { input: { result: { solution: { u: Float64Array } } } };
    new Uint8Array(input.result.solution.u.buffer)[0] ^= 1;
    write(changed);
    expect(replay(read()).firstDifference).toMatchObject({ life: 1, step: at, input: 'solved' });
  });

  test('with an input that no machine gets differs there, too', () => {
    const changed = structuredClone(records);
    const at = changed.findIndex((record) => record.type === 'step' && record.input.type === 'summed');
    const summed = changed[at] as Extract<LogRecord, { type: 'step' }>;
    changed[at] = { ...summed, input: { type: 'message', from: '1', message: null, now: 1 } as never };
    expect(replay(changed).firstDifference).toMatchObject({
      step: at,
      got: expect.stringContaining('an error: '),
    });
  });

  test('cut short anywhere in its last record ends with the one before it', () => {
    const last = recordBytes(records.at(-1) as never).length;
    for (let cut = 1; cut < last; cut++) {
      writeFileSync(path, bytes.subarray(0, bytes.length - cut));
      const found = read();
      expect(found.at(-1)).toEqual({ type: 'torn' });
      expect(found.length).toBe(records.length);
    }
    expect(replay(read())).toMatchObject({ torn: true, inputs: records.length - 2 });
    writeFileSync(path, bytes.subarray(0, bytes.length - last));
    expect(replay(read())).toMatchObject({ torn: false, inputs: records.length - 2 });
  });

  test('that was cut short can be gone on with', () => {
    writeFileSync(path, bytes.subarray(0, bytes.length - 3));
    const recorder = new RunRecorder(path);
    recorder.started({ machine: 'coordinator', options: DEFAULT_OPTIONS });
    recorder.close();
    const found = read();
    expect(found.length).toBe(records.length);
    expect(found.slice(0, -1)).toEqual(records.slice(0, -1));
    expect(replay(found)).toMatchObject({ lives: 2, torn: false });
  });

  test('damaged anywhere else is refused, by its name and the place; and nothing is written behind the damage', () => {
    const [first, second] = records.slice(0, 2).map((record) => recordBytes(record as never).length);
    const places = [
      0,
      1,
      2,
      3,
      4,
      9,
      40,
      first - 1,
      first,
      first + 1,
      first + 3,
      first + 5,
      first + second - 1,
    ];
    for (const at of places) {
      const damaged = Buffer.from(bytes);
      damaged[at] ^= 0x10;
      writeFileSync(path, damaged);
      const { code, message } = refusal(read);
      expect(code).toBe('CORRUPT');
      expect(message).toContain(`${path}: byte ${at < first ? 0 : first}: expected`);
      expect(message).not.toContain('\n');
    }
    // A length that goes beyond the end.
    const damaged = Buffer.from(bytes);
    damaged[first + 3] = 0x7f;
    writeFileSync(path, damaged);
    expect(refusal(() => new RunRecorder(path)).code).toBe('CORRUPT');
    expect(readFileSync(path)).toEqual(damaged);
  });

  test('that is none is refused, and so is one without a beginning', () => {
    writeFileSync(path, 'round,gap\n1,0.5\n');
    expect(refusal(read).code).toBe('CORRUPT');
    write(records.slice(1));
    expect(refusal(read)).toMatchObject({
      code: 'CORRUPT',
      message: `${path}: byte 0: expected how the machine began, got a step`,
    });
    expect(refusal(() => [...readRunLog(join(folder, 'nowhere.log'))]).code).toBe('FILE_NOT_FOUND');
    expect(refusal(() => new RunRecorder(join(folder, 'no/where.log'))).code).toBe('FILE_NOT_FOUND');
  });

  test('that is empty has no starts', () => {
    writeFileSync(path, '');
    expect(replay(read())).toEqual({ lives: 0, inputs: 0, effects: 0, torn: false });
    appendFileSync(path, Buffer.of(7));
    expect(replay(read()).torn).toBe(true);
  });
});
