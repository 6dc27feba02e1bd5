/** What `kindred demo` says of a training. */
import { join } from 'node:path';
import type { Verification } from '../check/verify.ts';
import { commandLine } from './command-line.ts';
import type { DemoData } from './demo-data.ts';
import type { Trained } from './demo-federation.ts';
import type { TestedPerson } from './demo-process.ts';
import { joinWords } from './join-command.ts';
import type { Layout } from './layout.ts';
import { count, decimals, duration, percent, scientific } from './number-text.ts';

/** The slowest device takes this many times as long as the fastest. */
export const SLOWEST = 10;

const MEANING = {
  mtl: 'shared part + personal part',
  local: 'one model per person',
  global: 'one model for all',
};

export interface Compared extends ReturnType<typeof averaged> {
  readonly method: keyof typeof MEANING;
  readonly rounds: number;
  readonly relativeGap: number | undefined;
}

/** The mean over people, and who is served worst. */
export function averaged(people: readonly TestedPerson[]) {
  const mean = (of: (one: TestedPerson) => number | undefined) => {
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

export function comparison(
  { table, title }: Pick<DemoData, 'table' | 'title'>,
  { rounds, trainingMs }: Pick<Trained, 'rounds' | 'trainingMs'>,
  compared: readonly Compared[],
  { bold, dim, ...layout }: Layout,
): string[] {
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
    bold(title),
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

export function verdict({ conservation, ok }: Verification, people: number): string {
  return `${ok ? 'Verified' : 'VERIFICATION FAILED'}: the contributions of all ${people} participants add up to the sum of the coordinator, relative error ${scientific(conservation.relativeError)} (kindred verify).`;
}

interface DemoFiles {
  readonly folder: string;
  readonly store: string;
  readonly states: readonly string[];
}

/** How to inspect what is left of a federation, and how to begin one's own. */
export function nextSteps(program: string, id: string, files: DemoFiles, { bold }: Layout): string[] {
  const { folder, store, states } = files;
  return [
    '',
    `All files are in ${folder}. To inspect them:`,
    `  ${commandLine(program, 'predict', '--model', states[0], join(folder, `${id}.csv`))}`,
    // The shell finds the states: what it is to expand stays outside the quotes.
    `  ${commandLine(program, 'verify', store, join(folder, 'state'))}/*`,
    bold('Next, with your own data:'),
    `  ${commandLine(program, 'serve')}`,
    `  ${commandLine(program, ...joinWords('http://127.0.0.1:7070', 'ada'))}`,
  ];
}
