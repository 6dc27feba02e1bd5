/**
 * Attack 3: rows by the paper's system of non-linear equations (its section 6.1). The coordinator knows the algorithm, the
 * order of rows, w, sigma and the contributions; unknown are X (n_k x d) and y. Every round gives d + 1 equations from u and two
 * from scalars, the change of the dual sum and the loss, so that n_k d / (d + 3) rounds are enough in principle, not the
 * (d + 1) n_k that the paper counts.
 *
 * Residuals: replayed minus seen (candidate-replay.ts), minimised by Levenberg-Marquardt from random starts, for every
 * arrangement of labels (or random ones, where there are too many). Clipping and skipping of steps make the residuals jump
 * in late rounds; the first rounds are smooth. So a fit begins with few rounds, held near the prior (standardised features
 * are of size 1/sqrt(d)), and takes in more. n_k need not be known: the smallest residual over several guesses decides,
 * with the fewest rows among those that fit.
 *
 * Assumes classification and one participant's answers in the clear; with `masking` the masks are guessed.
 */

import { stream } from '../../base/random.ts';
import { columnsOf } from '../../settings/feature-map.ts';
import { type Candidate, type ObservedSolve, observedSolves } from './candidate.ts';
import { type Masking, replayCandidate } from './candidate-replay.ts';
import { leastSquares } from './least-squares.ts';
import type { KnownSettings, Observation } from './observation.ts';
import type { RecoveredRow } from './single-rows.ts';

interface EquationSearch {
  readonly seed: number;
  /** n_k, or guesses at it. */
  readonly rowCounts: readonly number[];
  /** Random starts for each arrangement: labels of the rows, places of those that are known. */
  readonly starts: number;
  /** Arrangements at most: all of them where there are no more, else random ones. */
  readonly arrangements: number;
  readonly masking: Masking;
  /** Rows that another attack has given, without their places. */
  readonly known: readonly RecoveredRow[];
  /** Rounds that a fit takes in, stage by stage. */
  readonly stages: readonly number[];
  readonly iterations: number;
}

export const EQUATION_DEFAULTS: Omit<EquationSearch, 'seed' | 'rowCounts'> = {
  starts: 3,
  arrangements: 48,
  masking: 'none',
  known: [],
  stages: [2, 3, 4, 6, 9, 12],
  iterations: 40,
};

export interface EquationFit {
  readonly candidate: Candidate;
  readonly residual: number;
}

/** Pull towards the prior in all stages but the last. */
const PRIOR = 0.01;
/** The loss is a sum over all rows: weighed down to the size of a change. */
const LOSS_WEIGHT = 0.1;
/** Residual at which a fit is the truth: what f32 in the participant's kernels leaves. */
export const EXPLAINED = 1e-6;
/** A fit that is above this after three stages is given up. */
const HOPELESS = 1e-2;

/** The best fit for each number of rows, in the order of `rowCounts`. */
export function recoverByEquations(observation: Observation, search: EquationSearch): EquationFit[] {
  const { settings } = observation;
  const solves = observedSolves(observation).slice(0, search.stages.at(-1));
  return search.rowCounts.map((n) => {
    let best: EquationFit | undefined;
    for (const start of starts(n, settings, search)) {
      const fit = fitFrom(settings, solves, start, search);
      if (!best || fit.residual < best.residual) best = fit;
      if (best.residual < EXPLAINED) break;
    }
    return best!;
  });
}

/** The smallest number of rows that explains what was seen; else the best of all. */
export function chooseRowCount(fits: readonly EquationFit[]): EquationFit {
  const explained = fits.filter(({ residual }) => residual < EXPLAINED);
  const by = (key: (fit: EquationFit) => number) => (a: EquationFit, b: EquationFit) => key(a) - key(b);
  if (explained.length > 0) return explained.toSorted(by(({ candidate }) => candidate.y.length))[0];
  return fits.toSorted(by(({ residual }) => residual))[0];
}

/** Where a fit begins: labels, which stay, features, and which of the rows are known already. */
interface Start {
  readonly y: Float64Array;
  readonly features: Float64Array;
  readonly known: ReadonlySet<number>;
}

function* starts(n: number, settings: KnownSettings, search: EquationSearch): Generator<Start> {
  const d = settings.features;
  const known = search.known.slice(0, n);
  for (let s = 0; s < search.starts; s++) {
    for (const { places, labels, draw } of arrangements(n, known.length, s, search)) {
      const random = stream(search.seed, 'start', s, `${n}/${draw}`);
      const y = Float64Array.from({ length: n }, (_, i) => ((labels >>> i) & 1) * 2 - 1);
      const features = new Float64Array(d * n).map(() => random.normal() / Math.sqrt(d));
      for (const [r, row] of known.entries()) {
        features.set(row.x.subarray(0, d), places[r] * d);
        if (row.y !== undefined) y[places[r]] = row.y;
      }
      yield { y, features, known: new Set(places) };
    }
  }
}

/**
 * Which of n rows the known ones are, and what labels the others have (bit i: row i is positive; it means nothing at the place of a
 * known row): all possibilities, or random ones.
 */
function* arrangements(
  n: number,
  known: number,
  start: number,
  { seed, arrangements: most }: EquationSearch,
) {
  if (countOf(n, known) <= most) {
    let draw = 0;
    for (const places of placements(n, known)) {
      const free = Array.from({ length: n }, (_, i) => i).filter((i) => !places.includes(i));
      for (let code = 0; code < 2 ** free.length; code++) {
        const labels = free.reduce((bits, i, f) => bits | (((code >>> f) & 1) << i), 0);
        yield { places, labels, draw: draw++ };
      }
    }
    return;
  }
  for (let draw = 0; draw < most; draw++) {
    const random = stream(seed, 'arrangement', start, `${n}/${draw}`);
    const places = Array.from({ length: n }, (_, i) => i);
    random.shuffle(places);
    yield { places: places.slice(0, known), labels: random.u32(), draw };
  }
}

/** n (n-1) ... (n-known+1) 2^(n-known) */
function countOf(n: number, known: number): number {
  let count = 2 ** (n - known);
  for (let i = 0; i < known; i++) count *= n - i;
  return count;
}

function* placements(n: number, known: number, taken: readonly number[] = []): Generator<number[]> {
  if (known === 0) {
    yield [...taken];
    return;
  }
  for (let i = 0; i < n; i++) if (!taken.includes(i)) yield* placements(n, known - 1, [...taken, i]);
}

/** Known rows are held in all stages but the last. */
function fitFrom(
  settings: KnownSettings,
  solves: readonly ObservedSolve[],
  start: Start,
  search: EquationSearch,
): EquationFit {
  const { y } = start;
  const d = settings.features;
  let features = start.features;
  let error = Number.POSITIVE_INFINITY;
  let equations = 0;
  for (const [stage, count] of search.stages.entries()) {
    const last = stage === search.stages.length - 1;
    const seen = solves.slice(0, count);
    const free = Array.from(features.keys()).filter((j) => last || !start.known.has(Math.floor(j / d)));
    const withFree = (values: Float64Array) => {
      const all = features.slice();
      for (const [f, j] of free.entries()) all[j] = values[f];
      return all;
    };
    const residuals = (values: Float64Array) => {
      const candidate = candidateOf(settings, withFree(values), y);
      return residualsOf(settings, seen, candidate, search.masking, last ? 0 : PRIOR);
    };
    equations = seen.length * (columnsOf(settings) + 2);
    // What f32 leaves of the equations, squared and summed.
    const options = { iterations: search.iterations, enough: equations * 1e-15 };
    const from = Float64Array.from(free, (j) => features[j]);
    const fit = leastSquares(residuals, from, options);
    features = withFree(fit.parameters);
    error = fit.error;
    if (stage >= 2 && error > HOPELESS) break;
  }
  const candidate = candidateOf(settings, features, y);
  return { candidate, residual: Math.sqrt(error / equations) };
}

function candidateOf(settings: KnownSettings, features: Float64Array, y: Float64Array): Candidate {
  const d = settings.features;
  const columns = columnsOf(settings);
  const rows = new Float64Array(y.length * columns).fill(1);
  for (let i = 0; i < y.length; i++) rows.set(features.subarray(i * d, (i + 1) * d), i * columns);
  return { rows, y };
}

function residualsOf(
  settings: KnownSettings,
  solves: readonly ObservedSolve[],
  candidate: Candidate,
  masking: Masking,
  prior: number,
): Float64Array {
  const columns = columnsOf(settings);
  const width = columns + 2;
  const { rounds } = replayCandidate(settings, solves, candidate, masking);
  const features = candidate.rows.length - candidate.y.length * (columns - settings.features);
  const out = new Float64Array(rounds.length * width + features);
  for (const [r, { du, ds, loss }] of rounds.entries()) {
    const seen = solves[r];
    for (let j = 0; j < columns; j++) out[r * width + j] = du[j] - seen.du[j];
    out[r * width + columns] = seen.ds === undefined ? 0 : ds - seen.ds;
    out[r * width + columns + 1] = seen.loss === undefined ? 0 : LOSS_WEIGHT * (loss - seen.loss);
  }
  let at = rounds.length * width;
  for (let i = 0; i < candidate.rows.length; i++) {
    if (i % columns < settings.features) out[at++] = prior * candidate.rows[i];
  }
  return out;
}
