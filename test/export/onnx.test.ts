/** ONNX files, loaded by ONNX Runtime (its WebAssembly build) and compared with `predict`. */
import * as ort from 'onnxruntime-web';
import { beforeAll, describe, expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { classNames, headsOf } from '../../src/data/labels.ts';
import type { Table } from '../../src/data/table.ts';
import { exportModel } from '../../src/export/export-model.ts';
import type { Whose } from '../../src/export/exported.ts';
import { predict } from '../../src/methods/predict.ts';
import type { Model } from '../../src/solver/model.ts';
import { everyKind, expectClose, KINDS, PARTICIPANTS, randomModel, randomRows, servedAs } from './models.ts';

beforeAll(() => {
  ort.env.wasm.numThreads = 1;
});

interface Outputs {
  readonly [name: string]: { readonly data: ArrayLike<unknown>; readonly dims: readonly number[] };
}

async function run(
  model: Model,
  table: Table,
  whose: Whose,
  participant?: readonly number[],
): Promise<Outputs> {
  const session = await ort.InferenceSession.create(exportModel(model, 'onnx', whose)[0].bytes, {
    // What is refused on purpose is thrown, and need not be logged.
    logSeverityLevel: 4,
  });
  const indices = participant && BigInt64Array.from(participant, BigInt);
  const outputs = await session.run({
    x: new ort.Tensor('float64', table.x, [table.n, table.features.length]),
    ...(indices && { participant: new ort.Tensor('int64', indices, [indices.length]) }),
  });
  await session.release();
  return outputs as unknown as Outputs;
}

/** Decisions and classes of `predict` against a file's outputs. */
function expectEqual(model: Model, outputs: Outputs, table: Table): void {
  const own = predict(model, table);
  if (!model.classes) {
    expect(Object.keys(outputs)).toEqual(['prediction']);
    expect(outputs.prediction.dims).toEqual([table.n]);
    for (const [i, { decision }] of own.entries()) expectClose(Number(outputs.prediction.data[i]), decision);
    return;
  }
  const names = classNames(model.classes);
  const heads = headsOf(model.classes);
  expect(outputs.decision.dims).toEqual([table.n, heads]);
  expect(outputs.label.dims).toEqual([table.n]);
  for (const [i, { decision, decisions = [decision], prediction }] of own.entries()) {
    for (const [h, each] of decisions.entries())
      expectClose(Number(outputs.decision.data[i * heads + h]), each);
    expect(names[Number(outputs.label.data[i])]).toBe(prediction);
  }
  // Several classes occur, or nothing has been compared.
  expect(new Set(own.map(({ prediction }) => prediction)).size).toBeGreaterThanOrEqual(2);
}

describe.each([...everyKind()])('$kind, scaling $scale, bias $bias', (wanted) => {
  const model = randomModel(wanted);
  const table = randomRows(100 + wanted.seed, 60);

  test('one file for everybody gives each row the decision of its participant, newcomers that of the shared part', async () => {
    const indices = Array.from(table.participantOf, (k) => {
      const known = PARTICIPANTS.indexOf(table.participants[k]);
      return known < 0 ? PARTICIPANTS.length : known;
    });
    expectEqual(model, await run(model, table, 'all', indices), table);
    const unknown = indices.map((k) => (k === PARTICIPANTS.length ? -3 : k));
    expectEqual(model, await run(model, table, 'all', unknown), table);
  });

  test('a file of one participant has that model for all rows, a shared one w', async () => {
    expectEqual(model, await run(model, table, { participant: 'Ada' }), servedAs(table, 'Ada'));
    expectEqual(model, await run(model, table, 'shared'), servedAs(table, 'nobody'));
  });
});

test('a model that cannot serve newcomers refuses their index', async () => {
  const model = {
    ...randomModel({ kind: 'regression', scale: 'center', bias: true, seed: 3 }),
    servesNewcomers: false,
  };
  const table = randomRows(3, 5);
  for (const index of [PARTICIPANTS.length, -1])
    await expect(run(model, table, 'all', new Array(table.n).fill(index))).rejects.toThrow(/indices|Gather/);
});

test('the metadata names features, classes and participants in their order', async () => {
  const model = randomModel({ kind: 'two classes', scale: 'standard', bias: true, seed: 5 });
  const [{ bytes }] = exportModel(model, 'onnx');
  const text = new TextDecoder().decode(bytes);
  for (const list of [model.features, ['standing, still', 'sitting'], PARTICIPANTS])
    expect(text).toContain(JSON.stringify(list));
  expect(exportModel(model, 'onnx')[0].bytes).toEqual(bytes);
});

describe.each(KINDS.filter((kind) => kind !== 'regression'))('probabilities, %s', (kind) => {
  const random = stream(9, 'sigmoids');
  const model = randomModel({ kind, scale: 'standard', bias: true, seed: 5 });
  const heads = headsOf(model.classes);
  const sigmoids = () =>
    Array.from({ length: heads }, () => ({ a: 1 + random.uniform(), b: 0.3 * random.normal() }));
  const calibration = { participants: new Map([['Ada', sigmoids()]]), shared: sigmoids() };
  const table = randomRows(77, 50);

  test.each([
    ['calibrated', { ...model, calibration }],
    ['of the logistic loss', { ...model, options: { ...model.options, loss: 'logistic' } }],
  ])('%s, are those of predict, for everybody', async (_, chancy) => {
    for (const [whose, participant] of [
      ['all', undefined],
      ['shared', 'nobody'],
      [{ participant: 'Ada' }, 'Ada'],
    ] as const) {
      const rows = participant === undefined ? table : servedAs(table, participant);
      const indices = Array.from(table.participantOf, (k) => PARTICIPANTS.indexOf(table.participants[k]));
      const outputs = await run(chancy, rows, whose, participant === undefined ? indices : undefined);
      const name = heads === 1 ? 'probability' : 'probabilities';
      expect(outputs[name].dims).toEqual(heads === 1 ? [rows.n] : [rows.n, heads]);
      const own = predict(chancy, rows, '', { probabilities: true });
      const expected = own.flatMap(({ probability, probabilities = [probability!] }) => [...probabilities]);
      for (const [i, value] of expected.entries()) expectClose(Number(outputs[name].data[i]), value);
    }
  });
});
