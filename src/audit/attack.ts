/** Runs every attack on one watched federation, and scores it beside a guess. */

import type { MaskSemantics } from '../privacy/masks.ts';
import { columnsOf } from '../settings/feature-map.ts';
import { meanOf } from '../sim/summary.ts';
import { plusScaled } from '../solver/vector.ts';
import { explainMasks } from './attacks/brute-force-masks.ts';
import { MOST as MOST_MASKED_ROWS } from './attacks/candidate-replay.ts';
import { type LabelledRow, membershipByMargin, membershipBySpan } from './attacks/membership.ts';
import { changesOf, type Observation } from './attacks/observation.ts';
import { calibrate, meanDecision } from './attacks/property.ts';
import {
  chooseRowCount,
  EQUATION_DEFAULTS,
  type EquationFit,
  EXPLAINED,
  recoverByEquations,
} from './attacks/recover-by-equations.ts';
import { recoverPersonal } from './attacks/recover-personal.ts';
import { recoverRows } from './attacks/recover-rows.ts';
import { guessRows, type Roc, rocOf, scoreRows, scoreShares, scoreVector } from './attacks/score.ts';
import { type RecoveredRow, singleRows } from './attacks/single-rows.ts';
import type { RowHunt } from './lying-coordinator.ts';
import { attackable, type Watched, type WatchedFederation } from './watch.ts';

/** Means over participants. */
export interface Leak {
  /** The personal part from the answers. */
  readonly personal: { readonly cosine: number; readonly relativeError: number };
  /** Rows by linear algebra: share recovered to 1%, median best-match error, and that of rows of other people. */
  readonly rows: { readonly recovered: number; readonly error: number; readonly guess: number };
  /** Rows by the paper's equations, where they are few enough and the attacks are `full`; n_k known, and guessed. */
  readonly equations: EquationLeak | undefined;
  /** Share of the rounds whose Bernoulli mask was found by brute force, given the rows. */
  readonly masks: number | undefined;
  readonly membership: Roc;
  /** Membership by the shared part alone: what anybody sees. */
  readonly membershipByShared: Roc;
  /** Share of positive rows: mean absolute error, and that of guessing the average. */
  readonly balance: { readonly error: number; readonly guess: number };
}

interface EquationLeak {
  readonly recovered: number;
  readonly error: number;
  /** Whether the number of rows was found as well. */
  readonly countFound: number;
}

/** Beyond this many unknowns the equations are hopeless in the time people have. */
const MOST_UNKNOWNS = 60;
const PLANES = { seed: 1, samples: 1000 };
/** Planes are searched with as many rounds at a time as there are columns. */
const MOST_COLUMNS = 40;
/** Equations take up to a minute for each of these. */
const MOST_SOLVED = 3;

/** `quick` leaves out what takes minutes: rows by the paper's equations. */
export type Attacks = 'quick' | 'full';

export function leakOf(
  federation: WatchedFederation,
  semantics: MaskSemantics | undefined,
  attacks: Attacks = 'full',
): Leak {
  const { w } = federation;
  const watched = attackable(federation);
  return {
    personal: personalLeak(watched),
    rows: rowLeak(watched, semantics),
    equations: attacks === 'full' ? equationLeak(watched, semantics) : undefined,
    masks: semantics && maskLeak(watched, semantics),
    membership: membership(watched, (one) => bestMembership(one, w)),
    membershipByShared: membership(watched, () => (rows) => membershipByMargin(w, rows)),
    balance: balanceLeak(watched, w),
  };
}

function personalLeak(watched: readonly Watched[]): Leak['personal'] {
  // Who has no personal part has none to lose.
  const some = watched.filter(({ truth }) => truth.personal.some((value) => value !== 0));
  return meansOf(
    ['cosine', 'relativeError'],
    some.map(({ observation, truth }) => scoreVector(recoverPersonal(observation), truth.personal)),
  );
}

function meansOf<K extends string>(keys: readonly K[], scores: readonly Readonly<Record<K, number>>[]) {
  const means = keys.map((key) => [key, meanOf(scores.map((score) => score[key]))]);
  return Object.fromEntries(means) as Record<K, number>;
}

function rowLeak(watched: readonly Watched[], semantics: MaskSemantics | undefined): Leak['rows'] {
  const scores = watched.map(({ observation, truth }, k) => {
    const wanted = truth.rows.map(withoutBias);
    const { recovered, median } = scoreRows(knownRows(observation, semantics).map(withoutBias), wanted);
    const others = watched.filter((_, j) => j !== k).flatMap((other) => other.truth.rows.map(withoutBias));
    const guess = scoreRows(guessRows(others, wanted.length, 1), wanted).median;
    return { recovered: recovered * (1 / wanted.length), error: median, guess };
  });
  return meansOf(['recovered', 'error', 'guess'], scores);
}

/** What a coordinator that lies has found of its victim, the first participant. */
export function huntedRows({ rows }: RowHunt, { watched }: WatchedFederation): Leak['rows'] {
  const [victim, ...others] = watched.map(({ truth }) => truth.rows.map(withoutBias));
  // A row comes out times its dual, and so does its constant feature.
  const found = rows.map((row) => row.subarray(0, -1).map((value) => value / row[row.length - 1]));
  const { recovered, median: error } = scoreRows(found, victim);
  const guess = scoreRows(guessRows(others.flat(), victim.length, 1), victim).median;
  return { recovered: recovered / victim.length, error, guess };
}

/** By linear algebra. Bernoulli masks leave rows standing alone, and make nonsense of the planes. */
function knownRows(observation: Observation, semantics: MaskSemantics | undefined): readonly RecoveredRow[] {
  if (changesOf(observation).length === 0) return [];
  const wide = columnsOf(observation.settings) > MOST_COLUMNS;
  if (wide || semantics) return singleRows(observation).slice(0, observation.rows);
  return recoverRows(observation, PLANES);
}

function equationLeak(
  watched: readonly Watched[],
  semantics: MaskSemantics | undefined,
): EquationLeak | undefined {
  const small = watched.filter(({ truth }) => truth.rows.length * truth.rows[0].x.length <= MOST_UNKNOWNS);
  const seen = small.filter(({ observation }) => changesOf(observation).length > 0);
  if (small.length === 0) return undefined;
  if (seen.length === 0) return { recovered: 0, error: 1, countFound: 0 };
  const scores = seen.slice(0, MOST_SOLVED).map(({ observation, truth }) => {
    const n = truth.rows.length;
    const chosen = solvedEquations(observation, [n - 1, n], semantics);
    const rows = rowsIn(chosen.candidate.rows, truth.rows[0].x.length);
    const score = scoreRows(rows.map(withoutBias), truth.rows.map(withoutBias));
    return { recovered: score.recovered / n, error: score.median, countFound: Number(rows.length === n) };
  });
  return meansOf(['recovered', 'error', 'countFound'], scores);
}

/** From the rows that linear algebra gives; where that does not explain what was seen, from random ones. */
function solvedEquations(
  observation: Observation,
  rowCounts: readonly number[],
  semantics: MaskSemantics | undefined,
): EquationFit {
  const own = { seed: 1, starts: 1, masking: semantics ?? 'none', rowCounts } as const;
  const search = { ...EQUATION_DEFAULTS, ...own };
  const known = knownRows(observation, semantics);
  const first = chooseRowCount(recoverByEquations(observation, { ...search, known }));
  if (first.residual < EXPLAINED || known.length === 0) return first;
  const second = chooseRowCount(recoverByEquations(observation, search));
  return second.residual < first.residual ? second : first;
}

function maskLeak(watched: readonly Watched[], semantics: MaskSemantics): number | undefined {
  const small = watched.filter(({ truth }) => truth.rows.length <= MOST_MASKED_ROWS);
  if (small.length === 0) return undefined;
  return meanOf(
    small.map(({ observation, truth }) => explainMasks(observation, truth.candidate, semantics).explained),
  );
}

type Scorer = (rows: readonly LabelledRow[]) => Float64Array;

/** By the span of the changes where they do not fill the space, else by the margin of the recovered model. */
function bestMembership({ observation, truth }: Watched, w: Float64Array): Scorer {
  const enough = changesOf(observation).length > 0 && truth.rows.length < truth.rows[0].x.length;
  if (enough) return (rows) => membershipBySpan(observation, rows);
  const model = plusScaled(w, 1, recoverPersonal(observation));
  return (rows) => membershipByMargin(model, rows);
}

function membership(watched: readonly Watched[], scorer: (one: Watched) => Scorer): Roc {
  const [inside, outside]: [number[], number[]] = [[], []];
  for (const one of watched) {
    const score = scorer(one);
    inside.push(...score(one.truth.rows));
    outside.push(...score(one.truth.fresh));
  }
  return rocOf(inside, outside);
}

/** A few participants are accomplices and give away their own shares; the others are estimated. */
function balanceLeak(watched: readonly Watched[], w: Float64Array): Leak['balance'] {
  const signals = watched.map(({ observation, truth }) => ({
    signal: meanDecision(observation, w) ?? 0,
    share: truth.positive,
  }));
  const accomplices = Math.max(2, Math.floor(signals.length / 4));
  const estimateOf = calibrate(signals.slice(0, accomplices));
  const rest = signals.slice(accomplices);
  const { error, errorOfMean } = scoreShares(
    rest.map(({ signal }) => estimateOf(signal)),
    rest.map(({ share }) => share),
  );
  return { error, guess: errorOfMean };
}

function rowsIn(values: Float64Array, columns: number): { x: Float64Array }[] {
  return Array.from({ length: values.length / columns }, (_, i) => ({
    x: values.subarray(i * columns, (i + 1) * columns),
  }));
}

function withoutBias({ x }: { readonly x: Float64Array }): Float64Array {
  return x.subarray(0, x.length - 1);
}
