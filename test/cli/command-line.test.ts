import { Command, Option } from 'commander';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandLine, optionWords, Placeholder, quoted, settingWords } from '../../src/cli/command-line.ts';
import { addDataOptions, dataWords } from '../../src/cli/data-options.ts';
import { addSettings, settingsGiven } from '../../src/cli/flags.ts';
import { TRAINING, type TrainOptions } from '../../src/settings/training.ts';
import { wordsOf } from '../helpers/shell.ts';

test('a shell gives back every word as it was', () => {
  const word = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 4 }), (words) => {
      expect(wordsOf(words.map(quoted).join(' '))).toEqual(words);
    }),
    { numRuns: 40 },
  );
  expect(commandLine('kindred', 'join', 'http://h:1/a', '--invitation', new Placeholder('<token>'))).toBe(
    'kindred join http://h:1/a --invitation <token>',
  );
});

/** Every setting of a training that a flag can say, away from its default. */
const EVERYTHING: Required<Omit<TrainOptions, 'trainRows'>> & { trainRows: number } = {
  method: 'local',
  objective: 'regression',
  positive: "it's high",
  loss: 'epsilon-insensitive',
  c1: 3,
  c2: 0.3,
  epsilon: 0.25,
  quantile: 0.75,
  probabilities: true,
  lambda: 0.01,
  classWeight: 'balanced',
  scale: 'center',
  scaleTarget: 'none',
  rare: 2,
  features: 'rff:64:0.5',
  bias: false,
  testFraction: 0.25,
  seed: 7,
  aggregation: 'safe',
  passes: 11,
  rounds: 12,
  gap: 1e-5,
  participants: 4,
  trainRows: 9,
};

test('every setting that is not its default is in the command, and is read back from it', async () => {
  expect(Object.keys(EVERYTHING).sort()).toEqual(Object.keys(TRAINING).sort());
  const words = settingWords(TRAINING, EVERYTHING);
  const command = addSettings(new Command().exitOverride(), TRAINING).action(() => {});
  await command.parseAsync(words, { from: 'user' });
  expect(settingsGiven(command.opts(), TRAINING)).toEqual(EVERYTHING);
});

test('defaults are left out, unless they are asked for', () => {
  expect(settingWords(TRAINING, { c1: 1, scale: 'standard', bias: true, gap: 1e-3 })).toEqual([]);
  expect(settingWords(TRAINING, { c1: 1, bias: true }, ['c1'])).toEqual(['--c1', '1']);
});

test('every data option that was given is in the command', () => {
  const flags = {
    task: 'who is it',
    label: 'y',
    drop: ['a', 'b'],
    taskFile: 'ids.txt',
    uciTarget: 'activity',
  } as const;
  const known = addDataOptions(new Command()).options.map((option) => option.attributeName());
  for (const name of Object.keys(flags)) expect(known).toContain(name);
  expect(dataWords(flags)).toEqual(
    '--task/who is it/--label/y/--drop/a,b/--task-file/ids.txt/--uci-target/activity'.split('/'),
  );
});

test('switches of commander, set and negated', () => {
  const options = [new Option('--no-header'), new Option('--fast'), new Option('--port <n>').default(7)];
  expect(optionWords(options, { header: false, fast: true, port: 7 })).toEqual(['--no-header', '--fast']);
  expect(optionWords(options, { header: true, port: 8 })).toEqual(['--port', '8']);
});
