/** --config: options from a file, for every command. */
import { describe, expect, test } from 'vitest';
import { csvOf, run, runJson, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();
const data = sandbox.write('har.csv', csvOf(smallHar()));
const config = (json: unknown) => sandbox.write('kindred.json', JSON.stringify(json));

describe('a config file', () => {
  test('gives options by name, as on the command line or in camel case', async () => {
    const file = config({
      c1: 3,
      'test-fraction': 0.2,
      classWeight: 'balanced',
      drop: ['x1', 'x2'],
      bias: false,
    });
    const { options } = await runJson('train', data, '--no-auto', '--config', file);
    expect(options).toMatchObject({ c1: 3, testFraction: 0.2, classWeight: 'balanced', bias: false });
    expect(options.drop).toEqual(['x1', 'x2']);
  });

  test('the command line goes before it, also where values add up', async () => {
    const file = config({ c1: 3, c2: 5, drop: ['x1'], bias: false });
    const argv = ['--c1', '7', '--drop', 'x3', '--bias'];
    const { options } = await runJson('train', data, '--no-auto', ...argv, '--config', file);
    expect(options).toMatchObject({ c1: 7, c2: 5, drop: ['x3'], bias: true });
  });

  test('sections are for one command, and go before what is for all', async () => {
    const model = sandbox.path('m.json');
    const file = config({
      seed: 4,
      train: { c1: 3, seed: 5, model },
      tune: { c1: [1, 10], c2: [1], scale: ['standard'], classWeight: ['none'], folds: 2 },
      data: { make: { participants: 3, rows: 10, features: 4 } },
      serve: { dp: { clip: 1 } },
    });
    expect((await runJson('train', data, '--no-auto', '--config', file)).options).toMatchObject({
      c1: 3,
      seed: 5,
    });
    const tuned = await runJson<{ table: object[]; folds: number }>('tune', data, '--config', file);
    expect([tuned.table.length, tuned.folds]).toEqual([2, 2]);
    const made = await run(['data', 'make', 'har', '--config', file]);
    expect(
      new Set(
        made.stdout
          .trimEnd()
          .split('\n')
          .slice(1)
          .map((line) => line.split(',')[0]),
      ).size,
    ).toBe(3);
  });

  test('it may hold what a command needs', async () => {
    const file = config({ model: sandbox.path('m.json') });
    expect((await run(['predict', data, '--config', file])).code).toBe(0);
  });

  test.each([
    [{ c11: 1 }, ['c11', 'kindred train has no option of this name', 'did you mean c1?']],
    [{ train: { colour: 1 } }, ['train.colour', '--help lists them']],
    [{ config: 'other.json' }, ['config']],
    [{ trian: { c1: 1 } }, ['trian.c1']],
    [{ c1: true }, ['c1', 'expected text, a number or a list of them, got true']],
    [{ c1: null }, ['c1', 'got null']],
    [{ bias: 1 }, ['bias', 'expected true or false']],
    [{ json: 'yes' }, ['json', 'expected true or false']],
    [{ task: ['a', 'b'] }, ['task', 'expected one value, got 2']],
    [[1], ['expected an object']],
  ])('%j is refused', async (json, words) => {
    const { code, stdout, stderr } = await run(['train', data, '--no-auto', '--config', config(json)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^kindred: [^\n]*kindred\.json: [^\n]+ \[BAD_CONFIG\]\n$/);
    for (const word of words) expect(stderr).toContain(word);
  });

  test('a value that an option refuses is refused with the file and the key', async () => {
    const { stderr } = await run(['train', data, '--no-auto', '--config', config({ train: { threads: 0 } })]);
    expect(stderr).toContain('kindred.json: train.threads: option --threads: expected a whole number');
  });

  test('what is no file and what is no JSON is refused', async () => {
    expect((await run(['train', data, '--no-auto', '--config', 'none.json'])).stderr).toContain(
      '[FILE_NOT_FOUND]',
    );
    const broken = sandbox.write('broken.json', '{');
    expect((await run(['train', data, '--no-auto', '--config', broken])).stderr).toMatch(
      /broken\.json.*\[BAD_CONFIG\]/,
    );
  });
});

test('every command has it', async () => {
  let commands = 0;
  const visit = async (...argv: string[]) => {
    const { stdout } = await run([...argv, '--help']);
    const [, inner] = stdout.split('\nCommands:\n');
    if (inner === undefined) {
      commands++;
      expect(stdout, argv.join(' ')).toContain('--config <file>');
      return;
    }
    for (const [, name] of inner.matchAll(/^ {2}([a-z-]+)(?= )/gm))
      if (name !== 'help') await visit(...argv, name);
  };
  await visit();
  expect(commands).toBeGreaterThan(20);
});
