/** Options of a training. Values are judged by `resolveOptions`, the same check that the library has. */
import type { Command } from 'commander';
import { type ResolvedOptions, resolveOptions, type TrainOptions } from '../methods/options.ts';
import { numberOrText } from './option-values.ts';

const DEFAULTS = resolveOptions({});
const NAMES = [
  ...Object.keys(DEFAULTS),
  'positive',
  'participants',
  'trainRows',
] as readonly (keyof TrainOptions)[];

/** Commander's values, by option. */
export type TrainFlags = Readonly<Partial<Record<keyof TrainOptions, unknown>>>;

export function addTrainOptions(command: Command): Command {
  const text = (flags: string, name: keyof ResolvedOptions, about: string) =>
    command.option(flags, about, DEFAULTS[name] as string | undefined);
  const number = (flags: string, name: keyof ResolvedOptions, about: string) =>
    command.option(flags, about, numberOrText, DEFAULTS[name] as number | undefined);

  command.optionsGroup('Problem:');
  text('--objective <kind>', 'objective', 'classification or regression');
  text('--positive <value>', 'positive', 'target value that becomes +1, needed with more than two');
  text('--method <name>', 'method', 'mtl, local, global, mocha or fedavg');
  number('--c1 <number>', 'c1', 'weight of the loss');
  number('--c2 <number>', 'c2', 'how much personal parts cost: large for one model, small for many');
  number('--epsilon <number>', 'epsilon', 'regression errors up to this are free');
  number('--lambda <number>', 'lambda', "mocha's regularisation");
  text('--class-weight <kind>', 'classWeight', 'none or balanced');
  text('--scale <kind>', 'scale', 'standard, center or none');
  command.option('--bias', 'append a constant feature', DEFAULTS.bias);
  command.option('--no-bias', 'append none');

  command.optionsGroup('Run:');
  number('--test-fraction <number>', 'testFraction', "share of every participant's rows to test on");
  number('--train-rows <number>', 'trainRows', 'train on so many rows of every participant at the most');
  number('--seed <number>', 'seed', 'of the split and of the order of steps');
  number('--participants <number>', 'participants', 'use the first so many only');
  text('--aggregation <rule>', 'aggregation', 'answers, safe or sum');
  number('--passes <number>', 'passes', 'local passes in a round, up to');
  number('--rounds <number>', 'rounds', 'rounds, up to');
  number('--gap <number>', 'gap', 'stop at this relative duality gap');
  return command.optionsGroup('Options:');
}

/** Complete and checked; throws with the option's name. */
export function trainOptionsFrom(flags: TrainFlags): ResolvedOptions {
  const given: Record<string, unknown> = {};
  for (const name of NAMES) if (flags[name] !== undefined) given[name] = flags[name];
  return resolveOptions(given as TrainOptions);
}
