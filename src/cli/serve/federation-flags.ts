/** Flags that say how a federation is run, as the options of `parseOptions`: only what was given. */
import type { Command } from 'commander';
import { inputError } from '../../base/errors.ts';
import { DEFAULT_OPTIONS } from '../../coordinator/options.ts';
import { parseDecimal } from '../../data/number.ts';
import { resolveOptions, type TrainOptions } from '../../methods/options.ts';
import { durationFrom, durationValue } from '../duration-value.ts';
import { numberOrText, oneOf, wholeNumber } from '../option-values.ts';

/** Timers of all runtimes take at most this many milliseconds. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** Checked as `kindred train` checks them. */
const AS_IN_TRAIN = [
  'objective',
  'c1',
  'c2',
  'epsilon',
  'classWeight',
  'scale',
  'bias',
  'aggregation',
  'passes',
  'rounds',
  'gap',
  'seed',
] as const satisfies readonly (keyof TrainOptions)[];

export type FederationFlags = Readonly<Partial<Record<(typeof AS_IN_TRAIN)[number], unknown>>> & {
  readonly minParticipants?: number;
  readonly wait?: object;
  readonly maxWait?: number;
  readonly straggler?: string;
  readonly precision?: string;
  readonly secure?: true;
};

export function addFederationFlags(command: Command): Command {
  const { stop, ...usual } = DEFAULT_OPTIONS;
  const text = (flags: string, about: string, standard: unknown) =>
    command.option(flags, `${about} (default: ${standard})`);
  const number = (flags: string, about: string, standard: number) =>
    command.option(flags, `${about} (default: ${standard})`, numberOrText);
  command.optionsGroup('Options of a federation that is not there yet:');
  text('--objective <kind>', 'classification or regression', usual.objective);
  number('--c1 <number>', 'weight of the loss', usual.c1);
  number('--c2 <number>', 'how much personal parts cost', usual.c2);
  number('--epsilon <number>', 'regression errors up to this are free', usual.epsilon);
  text('--class-weight <kind>', 'none or balanced', usual.classWeight);
  text('--scale <kind>', 'standard, center or none', usual.scale);
  command.option('--bias', 'append a constant feature (default)');
  command.option('--no-bias', 'append none');
  text('--aggregation <rule>', 'answers, safe or sum', `${usual.aggregation}`);
  number('--passes <number>', 'local passes in a round, up to', usual.passes);
  number('--rounds <number>', 'rounds, up to', stop.rounds);
  number('--gap <number>', 'stop at this relative duality gap', stop.gap);
  number('--seed <number>', 'of the order of steps', usual.seed);
  return command
    .option(
      '--min-participants <number>',
      `begin when so many have joined (default: ${usual.minParticipants})`,
      wholeNumber('--min-participants', 1),
    )
    .option(
      '--wait <how>',
      'of a round: all, 500ms, 2s, 90% of all, or benchmarks (default: all)',
      waitingFrom,
    )
    .option(
      '--max-wait <time>',
      `no round is open for longer (default: ${usual.maxWaitMs / 1000}s)`,
      durationValue('--max-wait', LONGEST_WAIT_MS),
    )
    .option(
      '--straggler <policy>',
      `restart, resume or anytime (default: ${usual.straggler})`,
      oneOf('option --straggler', ['restart', 'resume', 'anytime']),
    )
    .option(
      '--precision <kind>',
      `of vectors on the way: f64 or f32 (default: ${usual.precision})`,
      oneOf('option --precision', ['f64', 'f32']),
    )
    .option('--secure', 'secure aggregation: the server sees sums only')
    .optionsGroup('Options:');
}

export function optionsFrom(flags: FederationFlags): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of AS_IN_TRAIN) if (flags[name] !== undefined) given[name] = flags[name];
  resolveOptions(given as TrainOptions);
  const { rounds, gap, ...rest } = given;
  const stop = { ...(rounds !== undefined && { rounds }), ...(gap !== undefined && { gap }) };
  const { minParticipants, wait, maxWait, straggler, precision, secure } = flags;
  return {
    ...rest,
    ...(minParticipants !== undefined && { minParticipants }),
    ...(wait && { waiting: wait }),
    ...(maxWait !== undefined && { maxWaitMs: maxWait }),
    ...(straggler && { straggler }),
    ...(precision && { precision }),
    ...(secure && { secure }),
    ...(Object.keys(stop).length > 0 && { stop }),
  };
}

/** all, benchmarks, a time, or a share of the participants. */
function waitingFrom(text: string): object {
  if (text === 'all') return { kind: 'all' };
  if (text === 'benchmarks') return { kind: 'benchmarks', quantile: 0.5, factor: 1 };
  const ms = durationFrom(text);
  if (ms !== undefined && ms <= LONGEST_WAIT_MS) return { kind: 'fixed', ms };
  const percent = text.endsWith('%') ? parseDecimal(text.slice(0, -1)) : Number.NaN;
  if (percent > 0 && percent <= 100) return { kind: 'share', share: percent / 100 };
  throw inputError(
    'BAD_OPTION',
    `option --wait: expected all, benchmarks, a time such as 500ms or 2s, or a share such as 90%, got ${text || '""'}`,
  );
}
