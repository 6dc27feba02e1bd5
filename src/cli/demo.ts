/** kindred demo: a whole federation on this machine, in seconds and without any data at hand. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { makeHarLike } from '../data/generate-har.ts';
import type { Table } from '../data/table.ts';
import { train } from '../methods/train.ts';
import { whole } from '../settings/kinds.ts';
import { commandLine } from './command-line.ts';
import { type Federated, federate } from './demo-federation.ts';
import { finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { joinWords } from './join-command.ts';
import { type Layout, writeResult } from './layout.ts';
import { count, decimals, duration, percent, scientific, sizeOf } from './number-text.ts';
import { Progress } from './progress.ts';

interface Flags {
  readonly seed: number;
  readonly participants: number;
  readonly json?: true;
}

/** The slowest device takes this many times as long as the fastest. */
const SLOWEST = 10;
const TEST_FRACTION = 0.3;
const MEANING = {
  mtl: 'shared part + personal part',
  local: 'one model per person',
  global: 'one model for all',
};

export function addDemo(program: Command, io: Io): void {
  const command = program
    .command('demo')
    .description(
      'Run a coordinator and 20 participants as separate processes on built-in activity data, and compare with training alone and with one model for all.',
    )
    .addOption(valued('--seed <number>', 'random seed of the generated people', whole(0), 1))
    .addOption(valued('--participants <number>', 'number of people', whole(2), 20))
    .action((flags: Flags) => runDemo(io, flags));
  finish(command, 'kindred demo');
}

async function runDemo(io: Io, flags: Flags): Promise<void> {
  const { seed, participants } = flags;
  const table = makeHarLike({ participants, seed });
  const folder = mkdtempSync(join(tmpdir(), 'kindred-demo-'));
  const progress = new Progress(io);
  const setting = { folder, seed, testFraction: TEST_FRACTION, slowest: SLOWEST };
  const federated = await progress.during(() => federate(table, setting, (text) => progress.show(text)));
  const { people, rounds, relativeGap, ...federation } = federated;
  const tested = people.map(({ participant, test }) => ({ id: participant, ...test }));
  const methods = [
    { method: 'mtl' as const, ...averaged(tested), rounds, relativeGap },
    ...(['local', 'global'] as const).map((method) => {
      const result = train(table, { method, seed, testFraction: TEST_FRACTION });
      const gap = result.certificate?.relativeGap;
      return { method, ...averaged(result.participants), rounds: result.rounds, relativeGap: gap };
    }),
  ];
  const { store, states, trainingMs, conservation, verified } = federation;
  const document = {
    data: sizeOf(table),
    seed,
    methods,
    federation: { folder, store, states, rounds, trainingMs, slowest: SLOWEST, conservation, verified },
  };
  await writeResult(io, flags, document, (layout) => report(io.program, table, methods, federated, layout));
}

interface Tested {
  readonly id: string;
  readonly errorRate?: number | undefined;
  readonly balancedAccuracy?: number | undefined;
}

/** The mean over people, and who is served worst. */
function averaged(people: readonly Tested[]) {
  const mean = (of: (one: Tested) => number | undefined) => {
    const values = people.map(of).filter((value) => value !== undefined);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  let worst = { id: '', balancedAccuracy: Number.POSITIVE_INFINITY };
  for (const { id, balancedAccuracy = Number.POSITIVE_INFINITY } of people) {
    if (balancedAccuracy < worst.balancedAccuracy) worst = { id, balancedAccuracy };
  }
  const [errorRate, balancedAccuracy] = [mean((one) => one.errorRate), mean((one) => one.balancedAccuracy)];
  return { mean: { errorRate, balancedAccuracy }, worst };
}

interface Compared extends ReturnType<typeof averaged> {
  readonly method: keyof typeof MEANING;
  readonly rounds: number;
  readonly relativeGap: number | undefined;
}

function report(
  program: string,
  table: Table,
  compared: readonly Compared[],
  { folder, store, states, rounds, trainingMs, conservation, verified }: Federated,
  layout: Layout,
): string[] {
  const { bold, dim } = layout;
  const people = table.participants.length;
  const size = `${people} people, ${count(table.n)} rows, ${count(table.features.length)} features`;
  const rows = compared.map(({ method, mean, worst, rounds, relativeGap }) => [
    method,
    MEANING[method],
    percent(mean.errorRate),
    decimals(mean.balancedAccuracy),
    decimals(worst.balancedAccuracy),
    String(rounds),
    scientific(relativeGap),
  ]);
  return [
    bold('Is this person sitting? Generated phone sensor data that never leave their owners.'),
    `${size}; 30% of the rows of each person are kept for testing.`,
    `One coordinator and ${people} participants, each in a separate process; the slowest is ${SLOWEST} times slower than the fastest.`,
    `Training took ${rounds} rounds and ${duration(trainingMs)} over the network of this machine.`,
    '',
    ...layout.table(['<method', '<', 'mean error', 'mean BA', 'worst BA', 'rounds', 'gap'], rows),
    '',
    dim('  BA: balanced accuracy; worst: of the person with the lowest; gap: relative duality gap'),
    dim(
      '  mtl was trained by the participants over the network, local and global in this process on the same rows',
    ),
    '',
    ...lesson(compared),
    '',
    `${verified ? 'Verified' : 'VERIFICATION FAILED'}: the contributions of all ${people} participants add up to the sum of the coordinator, relative error ${scientific(conservation)} (kindred verify).`,
    '',
    `All files are in ${folder}. To inspect them:`,
    `  ${commandLine(program, 'predict', '--model', states[0], join(folder, `${table.participants[0]}.csv`))}`,
    // The shell finds the states: what it is to expand stays outside the quotes.
    `  ${commandLine(program, 'verify', store, join(folder, 'state'))}/*`,
    bold('Next, with your own data:'),
    `  ${commandLine(program, 'serve')}`,
    `  ${commandLine(program, ...joinWords('http://127.0.0.1:7070', 'ada'))}`,
  ];
}

/** From the numbers, so that it stays true for every seed. */
function lesson(compared: readonly Compared[]): string[] {
  const [mtl, local, globally] = compared.map(({ mean }) => mean.errorRate);
  return [
    `People differ, but have much in common: a shared model with personal parts errs on ${percent(mtl)} of`,
    `new rows, compared with ${percent(local)} for training alone and ${percent(globally)} for one model for all.`,
  ];
}
