/** Routes about rows: what they answer is what the library computes; what they refuse, and that nobody waits for them. */
import { describe, expect, test } from 'vitest';
import { makeHarLike } from '../../../src/data/generate-har.ts';
import type { Table } from '../../../src/data/table.ts';
import { evaluate } from '../../../src/methods/evaluate.ts';
import { modelFromJson, modelToJson } from '../../../src/methods/model.ts';
import { personalise } from '../../../src/methods/personalise.ts';
import { predict } from '../../../src/methods/predict.ts';
import { train } from '../../../src/methods/train.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { operate, QUICK, ServerTest } from '../../helpers/server.ts';
import { Trainer } from '../../helpers/ws-trainer.ts';

const servers = new ServerTest();
const table = makeHarLike({ participants: 4, rowsPerParticipant: 30, features: 5, seed: 3 });
const { model } = train(table, { rounds: 20 });
const file = JSON.parse(modelToJson(model));

/** The same rows as a client sends them. */
function rowsOf({ n, x, features, participants, participantOf }: Table) {
  const d = features.length;
  return {
    rows: Array.from({ length: n }, (_, i) => [...x.subarray(i * d, (i + 1) * d)]),
    participant: Array.from(participantOf, (k) => participants[k]),
  };
}

const sent = { model: file, ...rowsOf(table), targets: table.targets };
const { targets: _, ...unlabelled } = sent;

/** As JSON has it. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('rows and a model', () => {
  test('predictions are those of the library, also with features in another order', async () => {
    const server = await servers.start();
    const expected = plain(predict(model, table));
    const found = goodAnswer('predict', await operate(server, '/v1/predict', { body: unlabelled }));
    expect(found).toEqual({ method: 'mtl', objective: 'classification', predictions: expected });
    const rows = sent.rows.map((row) => row.toReversed());
    const features = model.features.toReversed();
    const body = { ...unlabelled, rows, features };
    expect((await operate(server, '/v1/predict', { body })).json.predictions).toEqual(expected);
    const none = await operate(server, '/v1/predict', { body: { model: file, rows: [] } });
    expect(goodAnswer('predict', none).predictions).toEqual([]);
  });

  test('rows of nobody in particular get the shared part', async () => {
    const server = await servers.start();
    const { predictions } = goodAnswer(
      'predict',
      await operate(server, '/v1/predict', { body: { model: file, rows: sent.rows.slice(0, 3) } }),
    );
    const shared = predict({ ...model, personal: new Map() }, table).slice(0, 3);
    expect(predictions.map((one: { decision: number }) => one.decision)).toEqual(
      shared.map(({ decision }) => decision),
    );
  });

  test('tests are those of the library', async () => {
    const server = await servers.start();
    const found = goodAnswer('evaluate', await operate(server, '/v1/evaluate', { body: sent }));
    const { method, objective } = model;
    expect(found).toEqual(plain({ method, objective, ...evaluate(model, table) }));
  });

  test('personal parts are those of the library, and the model in the answer is a model file', async () => {
    const server = await servers.start();
    const options = { c2: 2, gap: 1e-4 };
    const body = { ...sent, participant: 'newcomer', options };
    const found = goodAnswer('personalise', await operate(server, '/v1/personalise', { body }));
    const newcomer = { ...table, participants: ['newcomer'], participantOf: new Uint32Array(table.n) };
    const { model: fitted, ...expected } = personalise(model, newcomer, options);
    const { model: document, method: __, objective: ___, ...rest } = found;
    expect(rest).toEqual(plain(expected));
    const read = modelFromJson(JSON.stringify(document), 'answer');
    expect(read.personal.get('newcomer')).toEqual(fitted.personal.get('newcomer'));
    expect(read.personal.size).toBe(5);
  });

  test.each([
    ['BAD_REQUEST', 'predict', {}],
    ['BAD_REQUEST', 'predict', { ...unlabelled, colour: 'red' }],
    ['BAD_REQUEST', 'predict', { ...unlabelled, rows: 'all' }],
    ['BAD_REQUEST', 'predict', { ...unlabelled, model: { format: 'other' } }],
    ['BAD_REQUEST', 'predict', sent],
    ['BAD_REQUEST', 'evaluate', unlabelled],
    ['BAD_MODEL', 'predict', { ...unlabelled, model: { format: 'kindred-model', version: 1 } }],
    ['BAD_MODEL', 'predict', { ...unlabelled, model: { ...file, version: 99 } }],
    ['BAD_MODEL', 'personalise', { ...sent, model: { ...file, w: [1] } }],
    ['BAD_ROWS', 'predict', { model: file, rows: [[1, 2]] }],
    ['BAD_ROWS', 'predict', { model: file, rows: [[1, 2, 3, 4, 'five']] }],
    ['BAD_ROWS', 'predict', { model: file, rows: [[1, 2, 3, 4, null]] }],
    ['BAD_ROWS', 'predict', { ...unlabelled, features: ['a', 'b', 'c', 'd', 'e'] }],
    ['BAD_ROWS', 'predict', { ...unlabelled, participant: ['1'] }],
    ['BAD_ROWS', 'evaluate', { ...sent, targets: ['1'] }],
    ['BAD_ROWS', 'evaluate', { ...sent, targets: sent.targets!.map(() => 'green') }],
    ['BAD_ROWS', 'personalise', { ...sent, rows: [], participant: 'a', targets: [] }],
    ['BAD_ROWS', 'personalise', { ...sent, options: { c1: -1 } }],
    ['BAD_ROWS', 'personalise', { ...sent, model: { ...file, method: 'mocha' } }],
  ] as const)('%s: %s %#', async (code, id, body) => {
    const server = await servers.start();
    expectRefusal(await operate(server, `/v1/${id}`, { body }), code, id);
  });

  test('what is not JSON, or nothing, is refused', async () => {
    const server = await servers.start();
    const headers = { 'content-type': 'application/json' };
    for (const body of ['', '{', '[1]', '"x"', '{"rows":[[1e999]]}']) {
      const found = await fetch(`${server.url}/v1/predict`, { method: 'POST', headers, body });
      expect(found.status, body).toBe(400);
      expect((await found.json()).error.code).toBe('BAD_REQUEST');
    }
  });
});

describe('rows and a federation', () => {
  test('its shared part predicts, once there is one', async () => {
    const server = await servers.start({}, QUICK);
    const path = '/v1/federations/default/predict';
    const body = { rows: [[1, 2]], participant: 'ada' };
    expectRefusal(await operate(server, path, { body }), 'NO_MODEL', 'predictShared');
    const trainers = [new Trainer('ada'), new Trainer('ben', 20)];
    for (const trainer of trainers) await trainer.join(server.url);
    for (const trainer of trainers) await trainer.finished;
    const found = goodAnswer('predictShared', await operate(server, path, { body }));
    const { text } = await operate(server, '/v1/federations/default/model');
    expect(found.predictions).toEqual(plain(predict(modelFromJson(text, 'model'), [[1, 2]], 'ada')));
    expectRefusal(await operate(server, path, { body: sent }), 'BAD_REQUEST', 'predictShared');
    expectRefusal(await operate(server, path, { body: { rows: [[1]] } }), 'BAD_ROWS', 'predictShared');
    const other = await operate(server, '/v1/federations/none/predict', { body });
    expectRefusal(other, 'NO_SUCH_FEDERATION', 'predictShared');
  });
});

describe('who may ask, and for how much', () => {
  test('a token is needed where the server is not for this machine alone; the audit log has no predictions', async () => {
    const server = await servers.start({ loopback: false });
    const body = unlabelled;
    expectRefusal(await ask(`${server.url}/v1/predict`, { body }), 'TOKEN_NEEDED', 'predict');
    const wrong = await ask(`${server.url}/v1/predict`, { body, token: 'wrong' });
    expectRefusal(wrong, 'WRONG_TOKEN', 'predict');
    goodAnswer('predict', await operate(server, '/v1/predict', { body }));
    const { text } = await operate(server, '/v1/audit-log');
    expect(text.split('\n').filter((line) => /"predict"/.test(line) && /"done"/.test(line))).toEqual([]);
  });

  test('a page of another origin may not', async () => {
    const server = await servers.start();
    const headers = { origin: 'https://elsewhere.example' };
    expectRefusal(
      await operate(server, '/v1/predict', { body: unlabelled, headers }),
      'WRONG_ORIGIN',
      'predict',
    );
  });

  test('too many bytes, too many at once and too long are refused; others are answered meanwhile', async () => {
    const limits = { maxRowsBytes: 100_000, rowRequests: 2, rowRequestMs: 1500 };
    const server = await servers.start({ limits });
    const large = { ...sent, targets: [...sent.targets!, 'x'.repeat(100_000)] };
    expectRefusal(await operate(server, '/v1/evaluate', { body: large }), 'TOO_LARGE', 'evaluate');
    // Hard enough to take for ever: a gap of 0 is never reached.
    const hard = { ...sent, participant: 'a', options: { gap: 1e-300, passes: 1e9, c1: 1e9 } };
    const slow = operate(server, '/v1/personalise', { body: hard });
    const next = operate(server, '/v1/personalise', { body: hard });
    const third = await operate(server, '/v1/predict', { body: unlabelled });
    expectRefusal(third, 'TOO_MANY', 'predict');
    const startedMs = performance.now();
    expect((await operate(server, '/healthz')).status).toBe(200);
    expect(performance.now() - startedMs).toBeLessThan(1000);
    expectRefusal(await slow, 'TOO_LONG', 'personalise');
    expectRefusal(await next, 'TOO_LONG', 'personalise');
    goodAnswer('predict', await operate(server, '/v1/predict', { body: unlabelled }));
  });
});
