/** kindred reproduce: the experiments of the paper, run again, and a verdict on every claim. */
import { mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { checkTwoClasses } from '../data/labels.ts';
import { firstParticipants } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { onFile } from '../node/files/file-error.ts';
import { fingerprint } from '../node/files/fingerprint.ts';
import { type DoneJob, JobPool, type JobPoolOptions } from '../node/threads/job-pool.ts';
import { EXPERIMENT_IDS, type ExperimentId } from '../reproduce/experiments/all.ts';
import type { Job } from '../reproduce/jobs.ts';
import {
  type ClassificationData,
  embeddedData,
  PARTICIPANTS,
  type Profile,
  profileFor,
} from '../reproduce/profile.ts';
import { expectedJobs, type Reproduction, reproduce } from '../reproduce/reproduce.ts';
import { whole } from '../settings/kinds.ts';
import { commandLine } from './command-line.ts';
import { addDataOptions, type DataFlags, dataWords, NUMBERS_ONLY, readData } from './data-options.ts';
import { addThreadsOption, finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { addNatsOption, addReplicasOption } from './nats-options.ts';
import { WORKERS_OPTION, withWorkers } from './nats-runner.ts';
import { duration } from './number-text.ts';
import { Progress } from './progress.ts';
import { Remaining } from './remaining.ts';

interface Flags extends DataFlags {
  readonly data?: string;
  readonly positive?: string;
  readonly out: string;
  readonly quick?: true;
  readonly repeats?: number;
  readonly threads?: number;
  readonly nats?: string;
  readonly replicas?: number;
  readonly json?: true;
}

export function addReproduce(program: Command, io: Io): void {
  const command = program
    .command('reproduce')
    .description("Repeat the paper's experiments, decide its claims and write a report.")
    .argument('[id...]', `experiments, or all: ${EXPERIMENT_IDS.join(', ')}`, ['all'])
    .option('--data <file>', 'classification data in place of the embedded data (as <data> of train)')
    .option(
      '--positive <value>',
      'target value of the positive class (+1), required with more than two values',
    )
    .option('--out <folder>', 'output folder; results in its cache folder are reused', 'reproduction')
    .option('--quick', 'smaller data and fewer repeats: about two minutes')
    .addOption(
      valued('--repeats <number>', 'number of repeats (default: 5, or 4 with --quick)', whole(1, 100)),
    )
    .action((ids: string[], flags: Flags) => runReproduce(io, ids, flags));
  addDataOptions(command);
  addThreadsOption(command, 'number of threads (default: one per core)');
  addNatsOption(command, WORKERS_OPTION);
  addReplicasOption(command);
  finish(
    command,
    'kindred reproduce all --quick',
    'kindred reproduce cls-all timing --data uci-har.csv.gz --drop activity --out har',
  );
}

async function runReproduce(io: Io, given: readonly string[], flags: Flags): Promise<void> {
  const ids = experimentIds(given);
  const table = flags.data === undefined ? undefined : await readData(io, flags.data, flags, NUMBERS_ONLY);
  const mode = flags.quick ? 'quick' : 'full';
  const classification = table ? givenData(table, flags.positive) : embeddedData(mode);
  const profile = profileFor(mode, classification, flags.repeats);
  await onFile(flags.out, () => mkdir(flags.out, { recursive: true }));
  const started = io.now();
  const reproduction = await compute(io, ids, profile, flags, table);
  const command = commandOf(io, given, flags);
  const tookMs = io.now() - started;
  const { writeReproduction } = await import('./reproduce-files.ts');
  await writeReproduction(reproduction, command, profile, flags.out);
  const { verdicts, sections } = reproduction;
  const { name, rows, features } = classification;
  const document = {
    command,
    profile: profile.name,
    seeds: profile.seeds,
    data: { name, rows, features },
    folder: flags.out,
    verdicts,
    sections: sections.map(({ id, files }) => ({ id, files })),
  };
  await writeResult(io, flags, document, (layout) =>
    report(reproduction, profile, flags.out, tookMs, layout),
  );
}

function report(
  { verdicts }: Reproduction,
  { classification, seeds }: Profile,
  folder: string,
  tookMs: number,
  { line, table }: Layout,
): string[] {
  const counted = (['holds', 'holds in part', 'does not hold'] as const).map(
    (verdict) => `${verdicts.filter((row) => row.verdict === verdict).length} ${verdict}`,
  );
  const rows = verdicts.map(({ section, id, verdict }) => [section, id, verdict]);
  const decided = rows.length > 0;
  return [
    line('Data', classification.name),
    line('Repeats', String(seeds.length)),
    '',
    ...(decided ? [...table(['<section', '<claim', '<verdict'], rows), ''] : []),
    line('Claims', decided ? counted.join(', ') : 'none: the experiments asked for decide no claim'),
    line('Report', join(folder, 'report.html')),
    line('Time', duration(tookMs)),
  ];
}

function experimentIds(given: readonly string[]): readonly ExperimentId[] {
  if (given.includes('all')) return EXPERIMENT_IDS;
  const unknown = given.find((id) => !(EXPERIMENT_IDS as readonly string[]).includes(id));
  const expected = `expected all, or some of ${EXPERIMENT_IDS.join(', ')}`;
  if (unknown !== undefined) throw inputError('BAD_OPTION', `experiment: ${expected}, got ${unknown}`);
  // In the order of the report, each once.
  return EXPERIMENT_IDS.filter((id) => given.includes(id));
}

/** The user's own data: the first participants, as many as the paper has. */
function givenData(whole: Table, positive: string | undefined): ClassificationData {
  const participants = Math.min(PARTICIPANTS, whole.participants.length);
  const table = firstParticipants(whole, participants);
  // Refuses what is not two classes, before anything is computed.
  checkTwoClasses(table, positive);
  return {
    spec: { kind: 'given', fingerprint: fingerprint(whole), participants },
    rows: table.n / participants,
    features: table.features.length,
    positive,
    name: `${basename(whole.source)} (${participants} participants)`,
  };
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
  const onDone: JobPoolOptions['onDone'] = (job) => {
    remaining.done(job);
    const { finished, total, leftMs } = remaining.standing;
    const left = leftMs === undefined ? '' : `, about ${duration(leftMs)} left`;
    progress.show(`reproduce: ${finished} of ${total} jobs${left}`);
  };
  return await withWorkers(io, flags, async (runnerFor) => {
    const runner = runnerFor?.<Job, DoneJob>('reproduce', given);
    const pool = new JobPool({ cache: join(flags.out, 'cache'), threads, given, runner, onDone });
    return await progress.during(() => reproduce(ids, profile, (jobs) => pool.run(jobs)));
  });
}

/** What to type to get the same again. */
function commandOf(io: Io, ids: readonly string[], flags: Flags): string {
  const { data, positive, quick, repeats } = flags;
  const option = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return commandLine(
    io.program,
    'reproduce',
    ...ids,
    ...option('--data', data && basename(data)),
    ...dataWords(flags),
    ...option('--positive', positive),
    ...option('--repeats', repeats?.toString()),
    ...(quick ? ['--quick'] : []),
  );
}
