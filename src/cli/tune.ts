/** kindred tune: C1, C2, scaling, epsilon and class weight by cross-validation inside the participants. */
import type { Command } from 'commander';
import { parseDecimal } from '../data/number.ts';
import type { Chain, TuneWork } from '../methods/tune/chain.ts';
import { TUNE_METRICS, type TuneMetric } from '../methods/tune/metric.ts';
import { SEARCHES, type SearchKind } from '../methods/tune/search.ts';
import { cacheFolder } from '../node/files/cache-folder.ts';
import type { CachePlace } from '../node/threads/chain-cache.ts';
import { choice, whole } from '../settings/kinds.ts';
import { LEARNING, RUNNING, type TrainOptions } from '../settings/training.ts';
import {
  addColumnOptions,
  addDataOptions,
  columnsFrom,
  DATA_ARGUMENT,
  type DataFlags,
  dataWords,
  readData,
} from './data-options.ts';
import {
  addSettings,
  addThreadsOption,
  finish,
  kindValue,
  nameList,
  refuse,
  settingsGiven,
  valued,
} from './flags.ts';
import { type Io, warn } from './io.ts';
import { writeResult } from './layout.ts';
import { warnOfLeaks } from './leak-warning.ts';
import { addNatsOption, addReplicasOption } from './nats-options.ts';
import { WORKERS_OPTION, withWorkers } from './nats-runner.ts';
import { tuneWithProgress } from './tune-progress.ts';
import { edgeWarning, nextCommand, tuneReport } from './tune-report.ts';

/** What is not searched for: given to every training as it is. */
const { c1: _, c2: __, lambda: ___, scale, features: _____, epsilon: ____, classWeight, ...FIXED } = LEARNING;
const RUN = {
  ...RUNNING,
  gap: RUNNING.gap.optional('0.003').about('relative duality gap of every training'),
  rounds: RUNNING.rounds.optional('50').about('maximum number of rounds of every training'),
  testFraction: RUNNING.testFraction.about('share of the rows held out and not used'),
};

type Flags = DataFlags & {
  readonly c1?: readonly number[];
  readonly c2?: readonly number[];
  readonly lambda?: readonly number[];
  readonly scale?: readonly string[];
  readonly features?: readonly string[];
  readonly epsilon?: readonly number[];
  readonly classWeight?: readonly string[];
  readonly folds?: number;
  readonly metric?: TuneMetric;
  readonly search?: SearchKind;
  readonly threads?: number;
  readonly nats?: string;
  readonly replicas?: number;
  /** False: --no-cache. */
  readonly cache?: string | boolean;
  readonly json?: true;
};

export function addTune(program: Command, io: Io): void {
  const command = program
    .command('tune')
    .description(
      'Find C1, C2 (or lambda), the scaling, epsilon and class weights by cross-validation on training rows.',
    )
    .argument('<data>', DATA_ARGUMENT)
    .action((data: string, flags: Flags) => runTune(io, data, flags));
  addSearchOptions(addColumnOptions(addDataOptions(command)).optionsGroup('Search:'));
  addSettings(command.optionsGroup('Problem:'), FIXED);
  addSettings(command.optionsGroup('Run:'), RUN);
  command
    .optionsGroup('Options:')
    .option(
      '--cache <folder>',
      "folder for finished trainings, to resume from (default: in this user's cache, until tune has ended)",
    )
    .option('--no-cache', 'store nothing: an interrupted tune starts over');
  addThreadsOption(command, 'number of threads (default: one per core where that is faster)');
  addNatsOption(command, WORKERS_OPTION);
  addReplicasOption(command);
  finish(
    command,
    'kindred tune har.csv',
    'kindred tune har.csv --method local --c1 1,10,100 --scale standard',
  );
}

function addSearchOptions(command: Command): void {
  const metrics = choice(...TUNE_METRICS);
  command
    .option(
      '--c1 <a,b,...>',
      'values of C1 to try',
      numberList('--c1', 'above 0', (value) => value > 0),
    )
    .option(
      '--c2 <a,b,...>',
      'values of C2 to try',
      numberList('--c2', 'above 0', (value) => value > 0),
    )
    .option(
      '--lambda <a,b,...>',
      "values of mocha's lambda to try",
      numberList('--lambda', 'above 0', (value) => value > 0),
    )
    .option('--scale <a,b>', 'scalings to try (default: standard,center)', nameList)
    .option(
      '--features <a,b>',
      'features to try: none, or random Fourier features such as rff:128 or rff:512:0.25 (default: none)',
      nameList,
    )
    .option(
      '--epsilon <a,b,...>',
      'values of epsilon to try, for regression: the search uses the first, the others are tried at its winner (default: 0.1, and some derived from the spread of the target)',
      numberList('--epsilon', 'of at least 0', (value) => value >= 0),
    )
    .option(
      '--class-weight <a,b>',
      'class weights to try, in the same way: none, balanced (default: none; balanced,none if the metric is balanced accuracy)',
      nameList,
    )
    .addOption(
      valued('--folds <number>', 'number of folds (default: 5; 3 for a quick search)', whole(2, 100)),
    )
    .addOption(
      valued(
        '--metric <name>',
        `metric to optimise: ${TUNE_METRICS.join(', ')} (default: rmse for regression, pinball for --loss quantile; balancedAccuracy with balanced class weights or uneven classes, errorRate otherwise)`,
        metrics,
      ),
    )
    .addOption(
      valued(
        '--search <kind>',
        'halving: drop poor candidates early and extend the grid at its edges; grid: all candidates on all folds; quick: a coarse grid, then its neighbourhood (default: halving)',
        choice(...SEARCHES),
      ),
    );
}

async function runTune(io: Io, data: string, flags: Flags): Promise<void> {
  const given = settingsGiven(flags, { ...FIXED, ...RUN });
  const { c1, c2, lambda, features, epsilon, folds, metric, search } = flags;
  const grid = defined({
    ...{ c1, c2, lambda, features, epsilon },
    scale: flags.scale?.map(kindValue('--scale', scale)),
    classWeight: flags.classWeight?.map(kindValue('--class-weight', classWeight)),
  });
  const columns = columnsFrom(flags);
  const table = await readData(io, data, flags);
  const options = { ...(given as TrainOptions), grid, ...defined({ folds, metric, search }) };
  const { threads } = flags;
  const cache = cacheFrom(io, flags);
  const result = await withWorkers(io, flags, (runner) => {
    const runnerFor = runner && ((work: TuneWork) => runner<Chain, Float64Array[]>('chain', work));
    return tuneWithProgress(io, table, options, { threads, cache, runnerFor });
  });
  const next = nextCommand(io.program, data, dataWords(flags), result.chosen);
  const document = { ...result, options: { ...result.options, ...columns }, next };
  await writeResult(io, flags, document, (layout) => tuneReport(result, next, layout));
  await warnOfLeaks(io, result.leaks);
  for (const edge of result.edges) await warn(io, edgeWarning(edge));
}

function cacheFrom({ env }: Io, { cache }: Flags): CachePlace | undefined {
  if (typeof cache === 'string') return { folder: cache, afterwards: 'kept' };
  const folder = cache === false ? undefined : cacheFolder(env);
  return folder === undefined ? undefined : { folder, afterwards: 'removed' };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function numberList(option: string, range: string, holds: (value: number) => boolean) {
  return (text: string): readonly number[] =>
    text.split(',').map((part) => {
      const value = parseDecimal(part.trim());
      if (holds(value) && Number.isFinite(value)) return value;
      return refuse(option, `numbers ${range} separated by commas`, text);
    });
}
