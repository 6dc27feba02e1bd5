/** kindred bench: what is claimed about speed, measured side by side on this machine, as ratios. */
import type { Command } from 'commander';
import { makeHarLike } from '../data/generate-har.ts';
import { aggregation } from './bench/aggregation.ts';
import { classes } from './bench/classes.ts';
import { coordinator } from './bench/coordinator.ts';
import { kernel, scaling } from './bench/kernels.ts';
import { liblinear } from './bench/liblinear.ts';
import { methods } from './bench/methods.ts';
import type { Part } from './bench/part.ts';
import { secure } from './bench/secure.ts';
import { start } from './bench/start.ts';
import { addDataOptions, type DataFlags, NUMBERS_ONLY, readData } from './data-options.ts';
import { finish, nameList, oneOf } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { printable } from './printable.ts';
import { AT_ONCE, Progress } from './progress.ts';

const PARTS = {
  ...{ kernel, scaling, liblinear, aggregation, classes, methods, start, coordinator, secure },
  // Loaded when they are needed: a server and its store take longer to load than the rest of the program.
  browser: (async (bench) => (await import('./bench/browser.ts')).browser(bench)) as Part,
  network: (async (bench) => (await import('./bench/network.ts')).network(bench)) as Part,
  dashboard: (async (bench) => (await import('./bench/dashboard.ts')).dashboard(bench)) as Part,
  scale: (async (bench) => (await import('./bench/scale.ts')).scale(bench)) as Part,
};
const NAMES = Object.keys(PARTS) as (keyof typeof PARTS)[];
/** Those that take minutes and thousands of connections: only where they are asked for. */
const LONG: readonly string[] = ['network', 'dashboard', 'scale'];
const USUAL = NAMES.filter((name) => !LONG.includes(name));
type Flags = DataFlags & {
  readonly data?: string;
  readonly only?: readonly string[];
  readonly full?: true;
  readonly json?: true;
};

export function addBench(program: Command, io: Io): void {
  const command = program
    .command('bench')
    .description('Benchmark kernels, solver, aggregation and methods. Prints medians and ratios.')
    .argument('[part...]', `parts to run: ${NAMES.join(', ')} (default: all but ${LONG.join(', ')})`)
    .option('--data <file>', 'data to use (default: generated HAR-like data of 30 people)')
    .option(
      '--full',
      'network and scale: up to the largest numbers of participants (takes minutes); dashboard: ten minutes',
    )
    .option('--only <a,b>', 'same as naming the parts', nameList)
    .action((parts: readonly string[], flags: Flags) => runBench(io, parts, flags));
  addDataOptions(command);
  finish(
    command,
    'kindred bench',
    'kindred bench aggregation --data har.csv.gz --drop activity',
    'kindred bench browser',
    'kindred bench network --full',
    'kindred bench scale',
  );
}

async function runBench(io: Io, named: readonly string[], flags: Flags): Promise<void> {
  const asked = [...named.map(oneOf('part', NAMES)), ...(flags.only ?? []).map(oneOf('--only', NAMES))];
  const wanted = new Set(asked.length > 0 ? asked : USUAL);
  const table =
    flags.data === undefined
      ? makeHarLike({ participants: 30, seed: 1 })
      : await readData(io, flags.data, flags, NUMBERS_ONLY);
  const data = `${table.source}, ${table.participants.length} participants, ${table.n} rows, ${table.features.length} features`;
  const progress = new Progress(io, AT_ONCE);
  // What takes many minutes leaves a trace where nobody watches it, too.
  const isLogged = flags.full && !io.stderr.isTerminal;
  const show = (what: string) =>
    isLogged ? void io.stderr.write(`bench: ${printable(what)}\n`) : progress.show(`bench: ${what}`);
  const measured = new Map<keyof typeof PARTS, Awaited<ReturnType<Part>>>();
  for (const name of wanted) {
    show(name);
    measured.set(
      name,
      await PARTS[name]({ now: io.now, table, show, extent: flags.full ? 'full' : 'usual' }),
    );
  }
  progress.clear();
  const results = [...measured].map(([name, { result }]) => [name, result]);
  await writeResult(io, flags, { data, ...Object.fromEntries(results) }, (layout) => [
    `Data: ${data}`,
    ...NAMES.flatMap((name) => {
      const [title, ...body] = measured.get(name)?.lines(layout) ?? [];
      return title === undefined ? [] : ['', layout.bold(title), ...body];
    }),
  ]);
}
