/** kindred reproduce: the experiments of the paper, run again, and a verdict on every claim. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { classificationTargets } from '../data/labels.ts';
import { firstParticipants } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { onFile } from '../node/files/file-error.ts';
import { JobPool } from '../node/threads/job-pool.ts';
import { EXPERIMENT_IDS, type ExperimentId } from '../reproduce/experiments/all.ts';
import {
  type ClassificationData,
  embeddedData,
  PARTICIPANTS,
  type Profile,
  profileFor,
} from '../reproduce/profile.ts';
import { expectedJobs, type Reproduction, reproduce } from '../reproduce/reproduce.ts';
import { addDataOptions, type DataFlags, readData } from './data-options.ts';
import { addJsonOption, addThreadsOption, example, wholeNumber } from './flags.ts';
import { type Io, writeJson, writeLines } from './io.ts';
import { duration } from './number-text.ts';
import { Progress } from './progress.ts';
import { Remaining } from './remaining.ts';
import { reproduceSummary } from './reproduce-summary.ts';
import { styleOf } from './style.ts';

interface Flags extends DataFlags {
  readonly data?: string;
  readonly positive?: string;
  readonly out: string;
  readonly quick?: true;
  readonly repeats?: number;
  readonly threads?: number;
  readonly json?: true;
}

export function addReproduce(program: Command, io: Io): void {
  const command = program
    .command('reproduce')
    .description("Run the paper's experiments again and decide its claims; writes a report.")
    .argument('[id...]', `experiments, or all: ${EXPERIMENT_IDS.join(', ')}`, ['all'])
    .option('--data <file>', 'classification data instead of the embedded ones (as <data> of train)')
    .option('--positive <value>', 'target value that becomes +1, needed with more than two')
    .option(
      '--out <folder>',
      'where to write; results in its cache folder are not computed again',
      'reproduction',
    )
    .option('--quick', 'smaller data and fewer repeats: about two minutes')
    .option(
      '--repeats <number>',
      'repeats of everything (default: 5, or 4 with --quick)',
      wholeNumber('--repeats', 1, 100),
    )
    .action((ids: string[], flags: Flags) => runReproduce(io, ids, flags));
  addDataOptions(command);
  addThreadsOption(command, 'threads that jobs are spread over (default: one for each core)');
  addJsonOption(command);
  example(
    command,
    'kindred reproduce all --quick',
    'kindred reproduce cls-all timing --data uci-har.csv.gz --drop activity --out har',
  );
}

async function runReproduce(io: Io, given: readonly string[], flags: Flags): Promise<void> {
  const ids = experimentIds(given);
  const table = flags.data === undefined ? undefined : await readData(io, flags.data, flags);
  const profile = profileOf(flags, table);
  await onFile(flags.out, () => mkdir(flags.out, { recursive: true }));
  const started = io.now();
  const reproduction = await compute(io, ids, profile, flags, table);
  const command = commandOf(io, given, flags);
  const context = { command, profile, folder: flags.out, tookMs: io.now() - started };
  const { writeReproduction } = await import('./reproduce-files.ts');
  await writeReproduction(reproduction, context);
  const { verdicts, sections } = reproduction;
  if (flags.json) {
    const { name, seeds, classification } = profile;
    const data = { name: classification.name, rows: classification.rows, features: classification.features };
    await writeJson(io, {
      command,
      profile: name,
      seeds,
      data,
      folder: flags.out,
      verdicts,
      sections: sections.map(({ id, files }) => ({ id, files })),
    });
  } else await writeLines(io, reproduceSummary(reproduction, context, styleOf(io)));
}

function experimentIds(given: readonly string[]): readonly ExperimentId[] {
  if (given.includes('all')) return EXPERIMENT_IDS;
  for (const id of given) {
    if ((EXPERIMENT_IDS as readonly string[]).includes(id)) continue;
    throw inputError(
      'BAD_OPTION',
      `experiment: expected all, or some of ${EXPERIMENT_IDS.join(', ')}, got ${id}`,
    );
  }
  // In the order of the report, each once.
  return EXPERIMENT_IDS.filter((id) => given.includes(id));
}

function profileOf({ quick, repeats, positive }: Flags, table: Table | undefined): Profile {
  const mode = quick ? 'quick' : 'full';
  return profileFor(mode, table ? givenData(table, positive) : embeddedData(mode), repeats);
}

/** The user's own data: the first participants, as many as the paper has. */
function givenData(whole: Table, positive: string | undefined): ClassificationData {
  const participants = Math.min(PARTICIPANTS, whole.participants.length);
  const table = firstParticipants(whole, participants);
  // Refuses what is not two classes, before anything is computed.
  classificationTargets(table, { positive });
  return {
    spec: { kind: 'given', fingerprint: fingerprint(whole), participants },
    rows: table.n / participants,
    features: table.features.length,
    positive,
    name: `${basename(whole.source)} (${participants} participants)`,
  };
}

function fingerprint({ x, participants, participantOf, targets, features }: Table): string {
  const hash = createHash('sha256');
  for (const part of [x, participantOf])
    hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  hash.update(JSON.stringify([participants, targets, features]));
  return hash.digest('hex').slice(0, 32);
}

async function compute(
  io: Io,
  ids: readonly ExperimentId[],
  profile: Profile,
  flags: Flags,
  given: Table | undefined,
): Promise<Reproduction> {
  const threads = flags.threads ?? availableParallelism();
  const remaining = new Remaining(expectedJobs(ids, profile), threads);
  const progress = new Progress(io);
  const pool = new JobPool({
    cache: join(flags.out, 'cache'),
    threads,
    given,
    onDone: (job) => {
      remaining.done(job);
      const { finished, total, leftMs } = remaining.standing;
      const left = leftMs === undefined ? '' : `, about ${duration(leftMs)} left`;
      progress.show(`reproduce: ${finished} of ${total} jobs${left}`);
    },
  });
  try {
    return await reproduce(ids, profile, (jobs) => pool.run(jobs));
  } finally {
    progress.clear();
  }
}

/** What to type to get the same again. */
function commandOf(io: Io, ids: readonly string[], flags: Flags): string {
  const { data, task, label, drop, positive, quick, repeats } = flags;
  const options: readonly (readonly [string, string | undefined])[] = [
    ['--data', data && basename(data)],
    ['--task', task],
    ['--label', label],
    ['--drop', drop?.join(',')],
    ['--positive', positive],
    ['--repeats', repeats?.toString()],
  ];
  const given = options.flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
  return [io.program, 'reproduce', ...ids, ...given, ...(quick ? ['--quick'] : [])].join(' ');
}
