/** kindred data make: the generators, as CSV. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { HAR_TARGETS, type HarTarget, makeHarLike } from '../data/generate-har.ts';
import { makeMotion, ROWS_PER_TAKE } from '../data/generate-motion.ts';
import { makeRegression } from '../data/generate-regression.ts';
import { makeRings } from '../data/generate-rings.ts';
import { checkDenseSize, DEFAULT_MEMORY_LIMIT_BYTES } from '../data/memory.ts';
import { FEATURES as MOTION_FEATURES } from '../data/motion-features.ts';
import type { Table } from '../data/table.ts';
import { writeCsv } from '../data/write-csv.ts';
import { checkWritable } from '../node/files/files.ts';
import { choice, whole } from '../settings/kinds.ts';
import { TRAINING } from '../settings/training.ts';
import { commandLine, settingWords } from './command-line.ts';
import { finish, oneOf, valued } from './flags.ts';
import type { Io } from './io.ts';
import { writeResult } from './layout.ts';
import { sizeOf, sizeText } from './number-text.ts';
import { writeTableFile } from './table-file.ts';

const KINDS = ['har', 'regression', 'rings', 'motion'] as const;
type Kind = (typeof KINDS)[number];

interface Flags {
  readonly out?: string;
  readonly participants: number;
  readonly rows?: number;
  readonly features?: number;
  readonly seed: number;
  readonly heterogeneity?: 'same' | 'diverse';
  readonly snr?: number;
  readonly target?: HarTarget;
  readonly json?: true;
}

/** Sizes that are not given. */
const SIZES = {
  har: { rows: 345, features: 561 },
  regression: { rows: 200, features: 200 },
  rings: { rows: 200, features: 2 },
  motion: { rows: 4 * ROWS_PER_TAKE, features: MOTION_FEATURES.length },
};

/** What `train` needs to know of them. */
const WAYS_TO_TRAIN = { har: {}, regression: {}, rings: { features: 'rff:128' }, motion: {} };

/** Options of one kind of data. */
const KIND_OF = { target: 'har', heterogeneity: 'regression', snr: 'regression' } as const;

export function addDataMake(group: Command, io: Io): void {
  const command = group
    .command('make')
    .description(
      'Generate data: activity recognition (har), a synthetic regression, two classes that no plane separates (rings), or what the sensor demo of the page records (motion).',
    )
    .argument('<kind>', 'har, regression, rings or motion', oneOf('data make', KINDS))
    .option('--out <file>', 'file to write, compressed if it ends in .gz (default: stdout)')
    .addOption(valued('--participants <number>', 'number of participants', whole(1), 20))
    .addOption(
      valued(
        '--rows <number>',
        'rows per participant (default: 345 on average for har, 96 for motion, 200 otherwise)',
        whole(1),
      ),
    )
    .addOption(
      valued(
        '--features <number>',
        'number of features (default: 561 for har, 200 for regression, 2 for rings; motion has 18)',
        whole(1),
      ),
    )
    .addOption(valued('--seed <number>', 'random seed; the same seed gives the same data', whole(0), 1))
    .addOption(
      valued(
        '--heterogeneity <kind>',
        'regression: same or diverse data of participants (default: same)',
        choice('same', 'diverse'),
      ),
    )
    .addOption(
      valued(
        '--target <what>',
        'har: sitting (1 or -1) or activity, of which there are six (default: sitting)',
        choice(...HAR_TARGETS),
      ),
    )
    .addOption(valued('--snr <decibels>', 'regression: signal-to-noise ratio (default: 20)', whole(0, 200)))
    .action((kind: Kind, flags: Flags) => runMake(io, kind, flags));
  finish(
    command,
    'kindred data make har --out har.csv.gz --participants 30',
    'kindred data make har --target activity --out activities.csv.gz',
    'kindred data make regression --heterogeneity diverse --out regression.csv',
    'kindred data make rings --out rings.csv',
    'kindred data make motion --out motion.csv',
  );
}

async function runMake(io: Io, kind: Kind, flags: Flags): Promise<void> {
  if (flags.json && flags.out === undefined) {
    throw inputError(
      'BAD_OPTION',
      'option --json: expected --out as well, because the data go to stdout otherwise',
    );
  }
  if (flags.out !== undefined) await checkWritable(flags.out);
  const table = makeTable(kind, flags);
  if (flags.out === undefined) {
    for (const chunk of writeCsv(table)) await io.stdout.write(chunk);
    return;
  }
  await writeTableFile(io, flags.out, table);
  const size = sizeOf(table);
  const training = settingWords(TRAINING, WAYS_TO_TRAIN[kind]);
  await writeResult(io, flags, { kind, seed: flags.seed, ...size }, () => [
    `Wrote ${flags.out}: ${sizeText(size)}`,
    `Next: ${commandLine(io.program, 'train', flags.out!, ...training)}`,
  ]);
}

/** The same pieces; how much of them has been taken is shown on the way. */
function makeTable(kind: Kind, flags: Flags): Table {
  const { participants, seed, rows = SIZES[kind].rows, features = SIZES[kind].features } = flags;
  refuseOthers(kind, flags);
  // HAR-like participants have up to 19% more rows than asked for.
  checkDenseSize('data make', Math.ceil(participants * rows * 1.19), features, DEFAULT_MEMORY_LIMIT_BYTES);
  if (kind === 'regression') {
    const { heterogeneity = 'same', snr = 20 } = flags;
    return makeRegression({ tasks: participants, rows, features, seed, heterogeneity, snrDb: snr });
  }
  if (kind === 'motion') return makeMotion({ participants, takes: Math.ceil(rows / ROWS_PER_TAKE), seed });
  if (kind === 'rings') return makeRings({ participants, rows, features, seed });
  const { target = 'sitting' } = flags;
  return makeHarLike({ participants, rowsPerParticipant: rows, features, seed, target });
}

/** Options of another kind of data. */
function refuseOthers(kind: Kind, flags: Flags): void {
  if (kind === 'motion' && flags.features !== undefined)
    throw inputError(
      'BAD_OPTION',
      `option --features: expected none with data make motion, got ${flags.features}`,
    );
  for (const name of ['target', 'heterogeneity', 'snr'] as const) {
    const own = KIND_OF[name];
    if (flags[name] === undefined || own === kind) continue;
    throw inputError('BAD_OPTION', `option --${name}: expected only with data make ${own}, got ${kind}`);
  }
}
