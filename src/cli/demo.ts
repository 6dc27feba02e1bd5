/** kindred demo: what the method is good for, in a few seconds and without any data at hand. */
import type { Command } from 'commander';
import { makeHarLike, type Table } from '../data/index.ts';
import { type MethodName, type TrainResult, train } from '../methods/index.ts';
import { type Io, writeJson, writeLines } from './io.ts';
import { count, decimals, duration, percent, roundMs, scientific } from './number-text.ts';
import { addJsonOption, example, wholeNumber } from './option-values.ts';
import { Progress, showRounds } from './progress.ts';
import { styleOf } from './style.ts';
import { type Column, textTable } from './text-table.ts';

const PARTICIPANTS = 20;

/** What each method stands for, in the words of the table. */
const METHODS: readonly (readonly [MethodName, string])[] = [
  ['mtl', 'shared part + personal part'],
  ['local', 'one model per person'],
  ['global', 'one model for everybody'],
];

export function addDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description('Train three ways on built-in activity data and compare: seconds, no files.')
    .option('--seed <number>', 'another seed makes other people', wholeNumber('--seed', 0), 1)
    .action((flags: { readonly seed: number; readonly json?: true }) => runDemo(io, flags));
  addJsonOption(command);
  example(command, 'kindred demo');
}

async function runDemo(
  io: Io,
  { seed, json }: { readonly seed: number; readonly json?: true },
): Promise<void> {
  const progress = new Progress(io);
  const table = makeHarLike({ participants: PARTICIPANTS, seed });
  const results = METHODS.map(([method]) => {
    const onRound = showRounds(progress, method);
    return progress.during(() => train(table, { method, seed }, { now: io.now, onRound }));
  });
  if (json) await writeJson(io, documentOf(table, seed, results));
  else await writeLines(io, demoLines(table, results, io));
}

function documentOf(table: Table, seed: number, results: readonly TrainResult[]) {
  return {
    data: { participants: table.participants.length, rows: table.n, features: table.features.length },
    seed,
    methods: results.map((result) => ({
      method: result.method,
      mean: result.mean,
      worst: worstOf(result),
      rounds: result.rounds,
      certificate: result.certificate,
      timing: { loadMs: roundMs(result.timing.loadMs), solveMs: roundMs(result.timing.solveMs) },
    })),
  };
}

function worstOf({ participants }: TrainResult): { id: string; balancedAccuracy: number } {
  let worst = { id: '', balancedAccuracy: Number.POSITIVE_INFINITY };
  for (const { id, balancedAccuracy = Number.POSITIVE_INFINITY } of participants) {
    if (balancedAccuracy < worst.balancedAccuracy) worst = { id, balancedAccuracy };
  }
  return worst;
}

function demoLines(table: Table, results: readonly TrainResult[], io: Io): string[] {
  const style = styleOf(io);
  const size = `${table.participants.length} people, ${count(table.n)} rows, ${count(table.features.length)} features`;
  const titles = ['mean error', 'mean BA', 'worst BA', 'rounds', 'gap', 'time'];
  const columns: Column[] = [
    { title: 'method', align: 'left' },
    { title: '', align: 'left' },
    ...titles.map((title): Column => ({ title, align: 'right' })),
  ];
  const rows = results.map((result, m) => [
    result.method,
    METHODS[m][1],
    percent(result.mean.errorRate),
    decimals(result.mean.balancedAccuracy),
    decimals(worstOf(result).balancedAccuracy),
    String(result.rounds),
    scientific(result.certificate?.relativeGap),
    duration(result.timing.loadMs + result.timing.solveMs),
  ]);
  return [
    style.bold('Is this person sitting? Made-up phone sensor data that never leave their owners.'),
    `${size}; 30% of the rows of each are kept for testing.`,
    '',
    ...textTable(columns, rows, style),
    '',
    style.dim('  BA: balanced accuracy, worst: of the person served worst, gap: distance to the optimum'),
    '',
    ...lesson(results),
    '',
    style.bold('Next, the same with files:'),
    `  ${io.program} data make har --out har.csv`,
    `  ${io.program} train har.csv --model model.json`,
  ];
}

/** Said from the numbers, so that it stays true for every seed. */
function lesson(results: readonly TrainResult[]): string[] {
  const [mtl, local, globally] = results.map(({ mean }) => mean.errorRate ?? Number.NaN);
  const best = mtl <= Math.min(local, globally);
  return [
    `People differ, yet have much in common: a personal model on top of a shared one errs on ${percent(mtl)} of`,
    `new rows, ${best ? 'against' : 'beside'} ${percent(local)} for everybody on their own and ${percent(globally)} for one model that serves all.`,
  ];
}
