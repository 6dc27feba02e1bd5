/**
 * Rows on the margin. When a local solve ends, a row whose beta was moved last, or is free in its box and solved for, obeys
 * x . z = y with z = w + u / C2 + (sigma + 1/C2) du, and the coordinator knows everything in z. Seen over rounds, a row is
 * a hyperplane that passes through many of the points z_j; d + 1 points fix it, one more proves it. This is the paper's
 * count of (d + 1) n_k epochs, but the equations are linear and each support vector comes by itself. Nothing need be known
 * of the order of rows or of n_k.
 *
 * Search by random samples (RANSAC, Fischler and Bolles 1981): solve for a plane through a few points, count the others on
 * it. Points that hardly differ prove nothing: of a cluster one is kept, and a row counts only if its points fix it to
 * better than `PRECISION`. No row's loss can be more than the loss that the participant reports for all.
 *
 * Assumes the bias column, classification, and contributions that are not masked: the z that masks leave is the wrong one.
 */
import { type Stream, stream } from '../../base/random.ts';
import { LOSSES, lossOf } from '../../solver/losses/losses.ts';
import { dot, plusScaled } from '../../solver/vector.ts';
import { solveRows, spanOf } from './linear.ts';
import { changesOf, type Observation } from './observation.ts';
import { distance, type RecoveredRow } from './single-rows.ts';

export interface PlaneSearch {
  readonly seed: number;
  /** Samples of points for each label. */
  readonly samples: number;
}

/** Largest |x.z - y| of a point on a plane: what the f32 change of the margins leaves. */
const ON_PLANE = 2e-6;
/** Largest error of a row, absolute, that its points may leave open. */
const PRECISION = 1e-2;
/** Points closer than this are one. */
const DIFFERENT = 1e-3;
/** Points more than it takes, before a plane is believed. */
const PROOF = 3;

export function rowsOnMargin(observation: Observation, search: PlaneSearch): RecoveredRow[] {
  const { settings } = observation;
  // Only the hinge has rows that stay on their margin.
  if (!settings.bias || lossOf(settings) !== LOSSES.hinge) return [];
  const space = affineRowSpace(observation);
  if (!space) return [];
  const local = apart(pointsOf(observation).map((z) => localEquation(z, space)));
  const found: RecoveredRow[] = [];
  for (const y of [1, -1]) {
    const random = stream(search.seed, 'planes', y, observation.participant);
    for (let s = 0; s < search.samples; s++) {
      const sample = sampleOf(local, space.directions.length, s, random);
      const row = sample && planeThrough(sample, local, space, y);
      if (row) keepBest(found, row);
    }
  }
  return found.filter((row) => lossAllows(observation, row));
}

/** Without those that are close to an earlier one. */
function apart(equations: readonly LocalEquation[]): LocalEquation[] {
  const kept: LocalEquation[] = [];
  for (const equation of equations)
    if (kept.every(({ a }) => distance(a, equation.a) > DIFFERENT)) kept.push(equation);
  return kept;
}

/** Whether a row's own loss is at most what was reported for all rows together, in every round. */
function lossAllows(observation: Observation, { x, y }: RecoveredRow): boolean {
  const { c1, classWeight } = observation.settings;
  if (y === undefined || classWeight === 'balanced') return true;
  return changesOf(observation).every(({ loss, lossAt }) => {
    if (loss === undefined) return true;
    const own = c1 * Math.max(0, 1 - y * dot(x, lossAt));
    return own <= loss * (1 + PRECISION) + PRECISION * c1;
  });
}

/** z at the end of every local solve. */
function pointsOf(observation: Observation): Float64Array[] {
  const { c2 } = observation.settings;
  return changesOf(observation).map(({ w, sigma, before, du }) =>
    plusScaled(plusScaled(w, 1 / c2, before), sigma + 1 / c2, du),
  );
}

/** Rows are origin + directions . c: inside the span of the changes, with 1 as last entry. */
interface AffineSpace {
  readonly origin: Float64Array;
  readonly directions: readonly Float64Array[];
}

function affineRowSpace(observation: Observation): AffineSpace | undefined {
  const changes = changesOf(observation).map(({ du }) => du);
  const span = spanOf(changes, 1e-6);
  if (span.rank < 2) return undefined;
  const last = span.basis[0].length - 1;
  const biases = Float64Array.from(span.basis, (vector) => vector[last]);
  const size2 = dot(biases, biases);
  if (size2 < 1e-12) return undefined;
  const shares = biases.map((value) => value / size2);
  const origin = combination(span.basis, shares);
  // What is left of the basis without the direction that carries the bias.
  const flat = span.basis.map((vector, r) => plusScaled(vector, -biases[r], origin));
  return { origin, directions: spanOf(flat, 1e-6).basis };
}

function combination(vectors: readonly Float64Array[], coefficients: Float64Array): Float64Array {
  let out: Float64Array = new Float64Array(vectors[0].length);
  for (const [r, vector] of vectors.entries()) out = plusScaled(out, coefficients[r], vector);
  return out;
}

/** x . z = y in the coordinates c of the affine space: a . c = y - offset. */
interface LocalEquation {
  readonly a: Float64Array;
  readonly offset: number;
}

function localEquation(z: Float64Array, { origin, directions }: AffineSpace): LocalEquation {
  return { a: Float64Array.from(directions, (direction) => dot(direction, z)), offset: dot(origin, z) };
}

/** Every other sample is of neighbouring rounds: rows stay free for a while. */
function sampleOf(all: readonly LocalEquation[], size: number, s: number, random: Stream) {
  if (all.length < size + PROOF) return undefined;
  const reach = s % 2 === 0 ? all.length : Math.min(all.length, size + PROOF + random.below(size));
  const from = random.below(all.length - reach + 1);
  const places = Uint32Array.from({ length: reach }, (_, i) => from + i);
  random.shuffle(places);
  return Array.from(places.subarray(0, size), (place) => all[place]);
}

function planeThrough(
  sample: readonly LocalEquation[],
  all: readonly LocalEquation[],
  space: AffineSpace,
  y: number,
): RecoveredRow | undefined {
  const solve = (equations: readonly LocalEquation[]) =>
    solveRows(
      equations.map(({ a }) => a),
      equations.map(({ offset }) => y - offset),
    );
  const on = (c: Float64Array) => all.filter(({ a, offset }) => Math.abs(dot(a, c) + offset - y) < ON_PLANE);
  const first = solve(sample);
  if (first.smallest < 1e-9) return undefined;
  const near = on(first.x);
  if (near.length < sample.length + PROOF) return undefined;
  const { x: c, smallest, worst } = solve(near);
  if (worst > ON_PLANE || ON_PLANE > PRECISION * smallest) return undefined;
  return { x: plusScaled(space.origin, 1, combination(space.directions, c)), y, support: near.length };
}

function keepBest(found: RecoveredRow[], row: RecoveredRow): void {
  const same = found.findIndex(({ x }) => distance(x, row.x) < PRECISION);
  if (same < 0) found.push(row);
  else if (found[same].support < row.support) found[same] = row;
}
