/** What `kindred train` finds by itself before it trains: everything that is searched for and not given. */
import type { Command } from 'commander';
import type { Table } from '../data/table.ts';
import { type Auto, autoOf, autoSearch, isSought, soughtBy, tooFewRows } from '../methods/auto.ts';
import { type ResolvedOptions, resolveOptions } from '../methods/options.ts';
import { LEARNING, TRAINING, type TrainOptions } from '../settings/training.ts';
import { settingWords } from './command-line.ts';
import type { Io } from './io.ts';
import { count } from './number-text.ts';
import { tuneWithProgress } from './tune-progress.ts';

export interface AutoFlags {
  readonly auto?: boolean;
  readonly threads?: number;
}

const FOUND = 'found by --auto';

/** The settings of a training as its help describes them. */
export const SOUGHT_LEARNING = {
  ...LEARNING,
  c1: LEARNING.c1.optional(`${FOUND}, otherwise 1`),
  c2: LEARNING.c2.optional(`${FOUND}, otherwise 1`),
  lambda: LEARNING.lambda.optional(`${FOUND}, otherwise 0.001`),
  epsilon: LEARNING.epsilon.optional(`${FOUND}, otherwise 0.1`),
  classWeight: LEARNING.classWeight.optional(`${FOUND}, otherwise none`),
  scale: LEARNING.scale.optional(`${FOUND}, otherwise standard`),
};

export function addAutoOption(command: Command): Command {
  return command
    .option(
      '--auto',
      'find what is not given of C1, C2 (lambda), scaling, epsilon and class weight by a quick search on training rows (default: if neither C1, C2 nor lambda is given)',
    )
    .option('--no-auto', 'use C1 = 1, C2 = 1, standard scaling and the like where nothing is given');
}

export interface Found {
  readonly options: TrainOptions;
  /** Absent: there was nothing to find. */
  readonly auto?: Auto;
  readonly searchMs: number;
}

export async function foundOptions(
  io: Io,
  table: Table,
  given: TrainOptions,
  { auto = isSought(given), threads }: AutoFlags,
): Promise<Found> {
  if (!auto) return { options: given, searchMs: 0 };
  const skipped = tooFewRows(table, resolveOptions(given, table));
  if (skipped !== undefined) return { options: given, auto: { skipped }, searchMs: 0 };
  const started = io.now();
  const result = await tuneWithProgress(io, table, autoSearch(given), { threads });
  return { options: { ...given, ...result.chosen }, auto: autoOf(result), searchMs: io.now() - started };
}

/** One line: what was done, and the options that repeat the training without a search. */
export function autoText(auto: Auto, options: ResolvedOptions): string {
  if ('skipped' in auto) return `${auto.skipped}; defaults are used`;
  const always = [...soughtBy(options.method), 'scale'] as const;
  const names = [...always, 'epsilon', 'classWeight'] as const;
  const found = Object.fromEntries(names.map((name) => [name, options[name]]));
  const words = settingWords(TRAINING, found, always).join(' ');
  return `${count(auto.candidates)} candidates compared by ${auto.metric} in ${count(auto.trainings)} trainings; to repeat without them: ${words}`;
}
