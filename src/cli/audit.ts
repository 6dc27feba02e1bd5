/** kindred audit: the attacks of a curious coordinator, under every protection. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import {
  type AuditResult,
  type AuditSetting,
  audit,
  generatedSettings,
  givenSetting,
  MODES,
} from '../audit/audit.ts';
import { auditFigures } from '../audit/figures.ts';
import { checkTwoClasses } from '../data/labels.ts';
import { firstParticipants } from '../data/participants.ts';
import { onFile } from '../node/files/file-error.ts';
import { writeAtomically } from '../node/files/files.ts';
import { whole } from '../settings/kinds.ts';
import { addDataOptions, DATA_ARGUMENT, type DataFlags, NUMBERS_ONLY, readData } from './data-options.ts';
import { finish, valued } from './flags.ts';
import type { Io } from './io.ts';
import { type Layout, writeResult } from './layout.ts';
import { duration } from './number-text.ts';
import { AT_ONCE, Progress } from './progress.ts';

interface Flags extends DataFlags {
  readonly positive?: string;
  readonly participants: number;
  readonly seed: number;
  readonly full?: true;
  readonly out?: string;
  readonly json?: true;
}

export function addAudit(program: Command, io: Io): void {
  const command = program
    .command('audit')
    .description(
      'Train, record what the coordinator sees, run attacks on it and report what leaks under each protection.',
    )
    .argument('[data]', `${DATA_ARGUMENT} (default: small generated federations)`)
    .option(
      '--positive <value>',
      'target value of the positive class (+1), required with more than two values',
    )
    .addOption(valued('--participants <number>', 'use only the first N participants', whole(3, 1000), 20))
    .addOption(valued('--seed <number>', 'random seed of splits, masks and attacks', whole(0), 1))
    .option('--full', "also recover rows with the paper's equations (takes minutes)")
    .option('--out <folder>', 'write audit.json and the figures here')
    .action((path: string | undefined, flags: Flags) => runAudit(io, path, flags));
  addDataOptions(command);
  finish(command, 'kindred audit', 'kindred audit uci-har.csv.gz --drop activity --full --out leaks');
}

async function runAudit(io: Io, path: string | undefined, flags: Flags): Promise<void> {
  const settings = path === undefined ? generatedSettings(flags.seed) : [await dataSetting(io, path, flags)];
  if (flags.out !== undefined) await onFile(flags.out, () => mkdir(flags.out!, { recursive: true }));
  const attacks = flags.full ? 'full' : 'quick';
  const progress = new Progress(io, AT_ONCE);
  const standing = standingOf(io.now, settings.length * MODES.length);
  const results = await progress.during(() =>
    settings.map((setting) =>
      audit(setting, attacks, (mode) => progress.show(`audit: ${setting.name}, ${mode}${standing()}`)),
    ),
  );
  if (flags.out !== undefined) await writeAll(flags.out, results);
  await writeResult(io, flags, { seed: flags.seed, attacks, results }, (layout) =>
    report(results, flags.out, layout),
  );
}

/** Called before each of them: how many there are, and how long the rest will take if it takes as long as those before. */
function standingOf(now: () => number, all: number): () => string {
  const startedMs = now();
  let done = -1;
  return () => {
    done++;
    const left = done > 0 ? `, about ${duration(((now() - startedMs) / done) * (all - done))} left` : '';
    return ` (${done + 1} of ${all}${left})`;
  };
}

async function dataSetting(io: Io, path: string, flags: Flags): Promise<AuditSetting> {
  const whole = await readData(io, path, flags, NUMBERS_ONLY);
  const table = firstParticipants(whole, Math.min(flags.participants, whole.participants.length));
  checkTwoClasses(table, flags.positive);
  return givenSetting(table, flags.seed, flags.positive);
}

async function writeAll(folder: string, results: readonly AuditResult[]): Promise<void> {
  await writeAtomically(join(folder, 'audit.json'), [`${JSON.stringify(results, null, 1)}\n`]);
  const { drawFigure } = await import('../charts/draw.ts');
  for (const figure of auditFigures(results))
    await writeAtomically(join(folder, `${figure.id}.svg`), [drawFigure(figure)]);
}

const COLUMNS = [
  ...['<protection', 'v: cosine', 'v: error', 'rows to 1%', 'row error', 'by equations', 'masks found'],
  ...['membership', 'balance error'],
];

function report(
  results: readonly AuditResult[],
  out: string | undefined,
  { bold, line, table }: Layout,
): string[] {
  const lines = results.flatMap(({ setting, participants, rows, features, modes }) => [
    bold(
      `${setting}: ${participants} participants, about ${Math.round(rows)} training rows each, ${features} features`,
    ),
    ...table(COLUMNS, modes.map(rowOf)),
    '',
    `  at chance level: row error ${modes[0].leak.rows.guess.toFixed(2)} (rows of other people), membership 0.5, balance error ${modes[0].leak.balance.guess.toFixed(3)}`,
    '',
  ]);
  return [
    ...lines,
    'What the coordinator learns. v: personal part of a model; row error: relative distance to the nearest recovered row;',
    'membership: area under the ROC curve; balance error: error in the share of positive rows.',
    ...(results[0].attacks === 'quick'
      ? ["Skipped: recovery of rows with the paper's equations (--full; takes minutes)."]
      : []),
    ...(out === undefined ? [] : ['', line('Written', `${out}/audit.json and figures`)]),
  ];
}

function rowOf({ mode, leak }: AuditResult['modes'][number]): string[] {
  const { personal, rows, equations, masks, membership, balance } = leak;
  const percent = (share: number) => `${(100 * share).toFixed(0)}%`;
  return [
    mode,
    personal.cosine.toFixed(4),
    personal.relativeError.toExponential(1),
    percent(rows.recovered),
    rows.error.toFixed(4),
    equations ? percent(equations.recovered) : '-',
    masks === undefined ? '-' : percent(masks),
    membership.auc.toFixed(3),
    balance.error.toFixed(3),
  ];
}
