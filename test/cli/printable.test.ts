/** Names come from others: no character of theirs may command a terminal or a spreadsheet. */
import { describe, expect, test } from 'vitest';
import { printable, printableJson, printableStyled } from '../../src/cli/printable.ts';
import { newLog } from '../../src/cli/serve/log.ts';
import { csvOf, run, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();

/** Clears the screen, sets the title, 8-bit CSI, turns the reading order, hides. */
const NASTY = 'a\x1b[2J\x1b]0;title\x07\x9b31m\u202egnp.exe\u2066\u200b\u2028\ufeff\x00z';
const UNSAFE = /[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u;

describe('printable', () => {
  test('what a terminal would obey is written out, white space is a space, all else stays', () => {
    expect(printable(NASTY)).not.toMatch(UNSAFE);
    expect(printable(NASTY)).toContain('\\u001b[2J');
    expect(printable('two\r\n\tlines, \u00fcml\u00e4ut, \u65e5\u672c, \ud83d\ude00')).toBe(
      'two lines, \u00fcml\u00e4ut, \u65e5\u672c, \ud83d\ude00',
    );
    expect(printable('half \ud800 of a character')).toBe('half \\ud800 of a character');
  });

  test('bold and dim of the program stay', () => {
    expect(printableStyled('\x1b[1mData\x1b[22m a\x1b[31mb')).toBe('\x1b[1mData\x1b[22m a\\u001b[31mb');
  });

  test('JSON means the same afterwards', () => {
    const document = { [NASTY]: [NASTY, 1] };
    const text = printableJson(JSON.stringify(document, null, 2));
    expect(text).not.toMatch(UNSAFE);
    expect(JSON.parse(text)).toEqual(document);
  });
});

/** A file whose participants, classes, columns and name are nasty. */
const quotedName = `"${NASTY.replace('\x00', '')}"`;
const file = sandbox.write(
  'nasty \u202e.csv',
  csvOf(smallHar())
    .replace('x1,', `${quotedName},`)
    .replace(/^1,/gm, `${quotedName},`)
    .replace(/^([^,]*|".*"),-1,/gm, `$1,${quotedName},`),
);

test.each([
  ['train'],
  ['train', '--json'],
  ['data', 'describe'],
  ['data', 'describe', '--json'],
  ['train', '--task', 'nobody'],
  ['train', '--label', 'nothing'],
  ['train', '--positive', NASTY],
  ['train', '--drop', NASTY],
  ['train', `--${NASTY}`],
  ['evaluate', '--model', 'MODEL'],
  ['predict', '--json', '--model', 'MODEL'],
])('%j prints nothing that a terminal would obey', async (...argv) => {
  const model = sandbox.path('model.json');
  expect((await run(['train', file, '--no-auto', '--model', model])).code).toBe(0);
  const words = argv.map((word) => (word === 'MODEL' ? model : word));
  const { stdout, stderr } = await run([...words, file]);
  expect(stdout + stderr).not.toBe('');
  expect(stdout).not.toMatch(UNSAFE);
  expect(stderr).not.toMatch(UNSAFE);
});

test.each(['pretty', 'json'] as const)('a %s log neither', (format) => {
  let written = '';
  const stderr = { isTerminal: false, write: (text: string) => void (written += text) };
  const io = {
    program: 'kindred',
    stdout: stderr,
    stderr,
    stdin: async () => new Uint8Array(),
    env: {},
    now: () => 0,
  };
  const log = newLog(io, 'info', format);
  log.info({ federation: NASTY, participant: NASTY, err: new Error(NASTY) }, NASTY);
  expect(written).not.toMatch(UNSAFE);
  expect(written).toContain('gnp.exe');
  if (format === 'json') expect(JSON.parse(written).participant).toBe(NASTY);
});

describe('predictions', () => {
  const formulas = [
    '=1+1',
    '+2',
    '-5',
    '@SUM(A1)',
    '-1e3',
    '=HYPERLINK("http://x","y")',
    "'=1",
    '1',
    '\uff1d1',
  ];
  const rows = formulas.flatMap((id, i) => [1, -1].map((y) => `"${id.replaceAll('"', '""')}",${y},${i * y}`));
  const data = sandbox.write('formulas.csv', `task,y,x1\n${rows.join('\n')}\n`);

  test('a text that a spreadsheet would run gets an apostrophe, a number does not', async () => {
    const model = sandbox.path('formulas.json');
    expect((await run(['train', data, '--no-auto', '--model', model, '--test-fraction', '0'])).code).toBe(0);
    const out = sandbox.path('predictions.csv');
    expect((await run(['predict', '--model', model, data, '--out', out])).code).toBe(0);
    const ids = sandbox
      .read('predictions.csv')
      .split('\n')
      .slice(1)
      .filter((_, i) => i % 2 === 0)
      .map((line) => line.replace(/^\d+,/, '').replace(/,-?1,[^,]*$/, ''));
    expect(ids.slice(0, -1)).toEqual([
      ...[
        "'=1+1",
        '+2',
        '-5',
        "'@SUM(A1)",
        '-1e3',
        `"'=HYPERLINK(""http://x"",""y"")"`,
        "'=1",
        '1',
        "'\uff1d1",
      ],
    ]);
  });

  test('a class that is a formula likewise, and on a terminal nothing else either', async () => {
    const classes = sandbox.write('classes.csv', 'task,y,x1\na,=cmd|x,1\na,ok,-1\nb,=cmd|x,2\nb,ok,-2\n');
    const model = sandbox.path('classes.json');
    expect((await run(['train', classes, '--no-auto', '--model', model, '--test-fraction', '0'])).code).toBe(
      0,
    );
    let shown = '';
    const stdout = { isTerminal: true, write: (text: string) => void (shown += text) };
    expect((await run(['predict', '--model', model, classes], { stdout })).code).toBe(0);
    expect(shown).toContain("1,a,'=cmd|x,");
    const nasty = sandbox.write('nasty.csv', `task,y,x1\n${quotedName},ok,1\n`);
    expect((await run(['predict', '--model', model, nasty], { stdout })).code).toBe(0);
    expect(shown).not.toMatch(UNSAFE);
  });
});
