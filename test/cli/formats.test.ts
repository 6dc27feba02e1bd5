/** Files as spreadsheets of all countries save them, from training to prediction. */
import { describe, expect, test } from 'vitest';
import { csvOf, run, runJson, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();
const plain = csvOf(smallHar());
const [header, ...rows] = plain.trimEnd().split('\n');
const plainFile = sandbox.write('plain.csv', plain);

/** The same rows written otherwise. */
const european = plain.replaceAll(',', ';').replaceAll('.', ',').replaceAll('\n', '\r\n');

const WRITTEN = {
  semicolons: [plain.replaceAll(',', ';'), []],
  tabs: [plain.replaceAll(',', '\t'), []],
  bars: [plain.replaceAll(',', '|'), ['--separator', '|']],
  'decimal commas, CRLF and a byte order mark': [`\ufeff${european}`, ['--decimal', 'comma']],
  'no header': [`${rows.join('\n')}\n`, ['--no-header', '--task', 'c1', '--label', 'c2']],
} as const;

describe.each(Object.entries(WRITTEN))('%s', (name, [text, flags]) => {
  const file = sandbox.write(`${name}.txt`, text);
  const model = sandbox.path(`${name}.json`);

  test('trains to the same result as commas', async () => {
    const expected = await runJson('train', plainFile, '--no-auto');
    const got = await runJson('train', file, '--no-auto', ...flags, '--model', model);
    expect(got.participants).toEqual(expected.participants);
    expect(got.certificate).toEqual(expected.certificate);
  });

  test('the model remembers how its files are written', async () => {
    const predicted = await run(['predict', '--model', model, file]);
    expect([predicted.code, predicted.stderr]).toEqual([0, '']);
    const evaluated = await runJson('evaluate', '--model', model, file);
    expect(evaluated.participants).toHaveLength(4);
    expect((await run(['data', 'describe', file, ...flags])).code).toBe(0);
  });
});

test('a flag at prediction goes before what the model remembers', async () => {
  const model = sandbox.path('no header.json');
  const named = `${header
    .split(',')
    .map((_, c) => `c${c + 1}`)
    .join(';')}\n${rows.join('\n').replaceAll(',', ';')}\n`;
  const file = sandbox.write('named.csv', named);
  const outcome = await run(['predict', '--model', model, file, '--header']);
  expect([outcome.code, outcome.stderr]).toEqual([0, '']);
  const expected = await run(['predict', '--model', model, sandbox.path('no header.txt')]);
  expect(outcome.stdout).toBe(expected.stdout);
});

test('a scenario reads such a file, too', async () => {
  const data = { file: 'decimal commas, CRLF and a byte order mark.txt', decimal: 'comma' };
  const scenario = sandbox.write('s.json', JSON.stringify({ data, rounds: 3 }));
  expect((await run(['simulate', scenario])).code).toBe(0);
});
