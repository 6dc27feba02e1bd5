/**
 * How a federation is run, complete and checked. The settings are declared in settings/federation.ts; here is what follows from several of
 * them, and what does not go together, for federations and scenarios alike.
 */
import { KindredError } from '../base/errors.ts';
import { labelsOf } from '../data/agreed-classes.ts';
import { classKey } from '../data/labels.ts';
import { costOfRound, epsilonOf, noiseFor } from '../privacy/dp/accountant.ts';
import { Budget } from '../privacy/dp/budget.ts';
import { honestIn } from '../privacy/dp/honest.ts';
import type { DpSettings } from '../privacy/dp/settings.ts';
import { mostParticipants } from '../protocol/secure-sums.ts';
import {
  type Bounds,
  type FEDERATION,
  federationKind,
  isPair,
  type OptionsInput,
  SECURE_OPTIONS,
} from '../settings/federation.ts';
import type { Output } from '../settings/kind.ts';
import { defaultLoss, type LossName, unfitLoss } from '../settings/losses.ts';
import { object, readSettings } from '../settings/objects.ts';
import { type Source, settingError } from '../settings/refused.ts';
import type { Aggregation } from '../settings/training.ts';
import type { SecureSettings } from '../settings/wire.ts';

export type { OptionsInput } from '../settings/federation.ts';

export type CoordinatorOptions = Omit<Output<typeof FEDERATION>, 'aggregation' | 'loss' | 'dp'> & {
  readonly aggregation: Aggregation;
  readonly loss: LossName;
  readonly dp?: DpOptions | undefined;
};

/** Bounds are the coordinator's: participants receive the scaling. */
export type DpOptions = DpSettings & { readonly bounds?: Bounds | undefined };

/** `name` is what errors call the source. */
export function parseOptions(name: string, json: unknown): CoordinatorOptions {
  const source = { code: 'BAD_OPTIONS', name };
  const { dp, ...given } = readSettings(federationKind, json, source);
  const options = {
    ...given,
    aggregation: given.aggregation ?? defaultAggregation({ dp, method: given.method }),
    loss: given.loss ?? defaultLoss(given.objective),
    ...(dp && { dp: within(source, 'dp', () => completeDp(dp, given.stop.rounds)) }),
  };
  const conflict = conflictIn(options);
  if (conflict) throw settingError(source, conflict.field, conflict.expected, conflict.got);
  return options;
}

/** The same options as JSON: `parseOptions` gives them back. */
export function optionsToJson(options: CoordinatorOptions): OptionsInput {
  return federationKind.toJson(options) as OptionsInput;
}

/** What is refused inside is refused here, by its full name. */
function within<T>({ code, name }: Source, field: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    throw new KindredError(code, `${name}: ${field}.${error.message}`);
  }
}

export interface Conflict {
  /** As a federation's options call it. */
  readonly field: string;
  readonly expected: string;
  readonly got: unknown;
}

/** Where none is given: the rule that method and protection can do with. */
export function defaultAggregation({ dp, method }: { readonly dp?: unknown; readonly method: string }) {
  return dp || method !== 'mtl' ? 'safe' : 'answers';
}

type Rule = (options: CoordinatorOptions) => Conflict | undefined | false;

/** The first thing that does not go with another. */
export function conflictIn(options: CoordinatorOptions): Conflict | undefined {
  for (const rule of RULES) {
    const conflict = rule(options);
    if (conflict) return conflict;
  }
  return undefined;
}

const RULES: readonly Rule[] = [
  ({ objective, positive, classes }) => {
    if (objective !== 'regression') return false;
    const [field, got] = positive === undefined ? ['classes', classes] : ['positive', positive];
    return got !== undefined && { field, expected: 'none with regression, which has no classes', got };
  },
  ({ positive, classes }) => {
    const labels = classes && labelsOf(classes);
    if (!labels) return false;
    if (labels.length < 2)
      return { field: 'classes', expected: 'at least two different labels', got: classes };
    if (positive === undefined) return false;
    const isOne = labels.includes(classKey(positive));
    return (
      !isOne && { field: 'positive', expected: `one of the classes ${labels.join(', ')}`, got: positive }
    );
  },
  ({ columns, levels, secure, dp }) => {
    const other = Object.entries({ secure, dp, levels }).find(([, value]) => value !== undefined);
    return (
      columns === 'union' &&
      other !== undefined && {
        field: 'columns',
        expected: `exact with ${other[0]}, because union collects names and counts of the columns of each participant`,
        got: columns,
      }
    );
  },
  ({ levels, dp }) =>
    levels !== undefined &&
    dp?.bounds !== undefined &&
    !isPair(dp.bounds) && {
      field: 'dp.bounds',
      expected: 'one pair [min, max] for all features with levels, which become features of their own',
      got: dp.bounds,
    },
  ({ method, objective }) =>
    method === 'mocha' &&
    objective === 'regression' && {
      field: 'method',
      expected: 'a method other than mocha for regression',
      got: method,
    },
  ({ objective, loss }) => {
    const expected = unfitLoss(objective, loss);
    return expected !== undefined && { field: 'loss', expected, got: loss };
  },
  ({ method, secure, dp }) =>
    method !== 'mtl' &&
    (secure || dp) && { field: 'method', expected: `mtl with ${secure ? 'secure' : 'dp'}`, got: method },
  ({ method, aggregation }) =>
    method !== 'mtl' &&
    aggregation === 'answers' && {
      field: 'aggregation',
      expected: `safe or sum with the method ${method}, which has no personal part`,
      got: aggregation,
    },
  ({ dp, stop: { stall } }) =>
    dp &&
    stall !== Infinity && {
      field: 'stop.stall',
      expected: 'none with dp, where the gap is unknown',
      got: stall,
    },
  withSecure,
  // The paper's masks keep w and v_k apart, which an answer to w cannot.
  ({ mask, aggregation }) =>
    mask?.semantics === 'paper' &&
    aggregation === 'answers' && {
      field: 'mask.semantics',
      expected: 'consistent with answers (paper: with safe or sum)',
      got: 'paper',
    },
  ({ secure, minParticipants }) =>
    secure && (conflictOfShares(secure) ?? conflictOfSize(secure, minParticipants)),
  conflictOfDp,
];

/** Sums only: what needs more, or hides in another way, does not go with them. */
function withSecure({ secure, aggregation, precision, mask, defence, dp }: CoordinatorOptions) {
  if (!secure) return undefined;
  if (!dp && aggregation !== 'answers') {
    const expected = 'answers with secure (safe or sum with dp)';
    return { field: 'aggregation', expected, got: aggregation };
  }
  if (precision === 'f32')
    return {
      field: 'precision',
      expected: 'f64 with secure, which has its own number format',
      got: precision,
    };
  if (mask) return { field: 'mask', expected: 'none with secure, which hides updates', got: mask.kind };
  if (!defence) return undefined;
  const expected = 'none with secure, where single updates are hidden';
  return { field: 'defence', expected, got: defence };
}

/** Whether so many can be summed at all. */
export function conflictOfSize(secure: SecureSettings, participants: number): Conflict | undefined {
  const most = mostParticipants(secure);
  if (participants <= most) return undefined;
  const expected = `a limit that allows sums of ${participants} participants (this one: ${most})`;
  return { field: 'secure.limit', expected, got: secure.limit };
}

/** Whether those who are left can hide each other, however many take part: 2 (n - dropped) > n + corrupted. */
function conflictOfShares({ dropout, corrupted }: SecureSettings): Conflict | undefined {
  const most = (1 - corrupted) / 2;
  if (dropout < most) return undefined;
  const expected = `less than ${most}, which is (1 - corrupted) / 2`;
  return { field: 'secure.dropout', expected, got: dropout };
}

/** What else may be asked for beside differential privacy, or not. */
export function conflictOfDp(options: CoordinatorOptions): Conflict | undefined {
  const { dp, aggregation, mask, defence, secure, precision } = options;
  if (!dp) return undefined;
  if (precision === 'f32')
    return { field: 'precision', expected: 'f64 with dp, which needs exact sums', got: precision };
  if (aggregation === 'answers') {
    const expected = 'safe or sum with dp (answers would reveal private scalars)';
    return { field: 'aggregation', expected, got: aggregation };
  }
  if (mask?.semantics === 'paper')
    return { field: 'mask.semantics', expected: 'consistent with dp', got: 'paper' };
  if (defence)
    return { field: 'defence', expected: 'none with dp, whose clip bounds every update', got: defence };
  const { noiseMultiplier } = dp;
  const { epsilon } = new Budget(dp).afterRounds(costOfRound({ noiseMultiplier, samplingRate: 1 }));
  if (epsilon > dp.epsilon) {
    const expected = `at least ${epsilon.toPrecision(4)}, the cost of one round`;
    return { field: 'dp.epsilon', expected, got: dp.epsilon };
  }
  return conflictOfHonest(dp, secure, options.minParticipants) ?? conflictOfScaling(options, dp);
}

/** Moments of rows are private, too, and no noise is added to them. */
function conflictOfScaling(
  { scale, scaleTarget, objective }: CoordinatorOptions,
  { bounds }: DpOptions,
): Conflict | undefined {
  if (objective === 'regression' && scaleTarget !== 'none') {
    const expected =
      'none with dp: epsilon does not cover sums of the targets; scale them beforehand with public constants';
    return { field: 'scaleTarget', expected, got: scaleTarget };
  }
  if ((scale === 'none') !== (bounds !== undefined)) return undefined;
  const expected = bounds
    ? 'standard or center with dp.bounds'
    : 'none with dp, or dp.bounds (public bounds [min, max] of the features): epsilon does not cover sums of the data';
  return { field: 'scale', expected, got: scale };
}

/** Who adds the noise: the participants where sums are secure, else the coordinator; and whether so many can be there at all. */
function conflictOfHonest({ honest }: DpSettings, secure: SecureSettings | undefined, least: number) {
  if ((secure === undefined) !== (honest === undefined)) {
    const expected = secure
      ? 'a number with secure, where participants add the noise'
      : 'none without secure';
    return { field: 'dp.honest', expected, got: honest };
  }
  if (!secure || honest === undefined) return undefined;
  const most = honestIn({ counted: least, roster: least }, secure);
  if (honest <= most) return undefined;
  const expected = `at most ${most}, the honest participants among minParticipants = ${least} (raise minParticipants)`;
  return { field: 'dp.honest', expected, got: honest };
}

/** A budget that is the cost of the rounds must not fail by the rounding of their sum. */
const ROUNDING = 1 + 1e-9;

/** What of differential privacy may be left open: the one follows from the other and the number of rounds. */
export interface DpGiven extends Pick<DpOptions, 'clip' | 'delta' | 'honest' | 'bounds'> {
  readonly noiseMultiplier?: number | undefined;
  readonly epsilon?: number | undefined;
}

export function completeDp(given: DpGiven, rounds: number): DpOptions {
  const { clip, delta, honest, bounds } = given;
  const noiseMultiplier = given.noiseMultiplier ?? noiseFor(given.epsilon!, delta, rounds, 1);
  const cost = () => ROUNDING * epsilonOf({ noiseMultiplier, samplingRate: 1 }, delta, rounds);
  const settings = { clip, noiseMultiplier, epsilon: given.epsilon ?? cost(), delta };
  return { ...settings, ...(honest !== undefined && { honest }), ...(bounds && { bounds }) };
}

export const DEFAULT_OPTIONS = parseOptions('defaults', {});
export const DEFAULT_SECURE = readSettings(object(SECURE_OPTIONS), {}, { code: '', name: '' });
