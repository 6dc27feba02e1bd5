/**
 * The embedded data set: activity recognition after the manner of UCI HAR (561 correlated features in [-1, 1], six
 * activities, sitting against the rest), made from a seed.
 *
 * A row is a point h in a space of LATENTS hidden quantities, seen through sparse loadings, noise and a squashing:
 *
 *     h = activity + person's shift + person's variant of that activity + variation from row to row
 *     x = squash(loadings h + base + noise)
 *
 * Sitting and standing differ by a vector that is weak in every single quantity. Two things make people differ where it
 * matters: everyone's whole cloud is shifted along that vector (so one threshold for all is wrong), and everyone adds a
 * difference of their own to it (so one direction for all is not best). Its weakness is what one person's rows alone
 * cannot overcome. The constants are set so that linear SVMs err about as on UCI HAR: 2% one model for each person, 3%
 * one for all, 1% multi-task.
 *
 * A person's rows come from a stream that bears the person's number: more people do not change the rows of the first.
 */
import { inputError } from '../base/errors.ts';
import { type Stream, stream } from '../base/random.ts';
import type { Table } from './table.ts';

export interface HarLikeOptions {
  /** Default 20. */
  readonly participants?: number;
  /** Middle of the range; people have from 19% less to 19% more (default 345: from 281 to 409, as in UCI HAR). */
  readonly rowsPerParticipant?: number;
  /** Default 561. */
  readonly features?: number;
  readonly seed?: number;
  /** sitting (default): 1, and -1 for all else; activity: six classes. The rows are the same. */
  readonly target?: HarTarget;
}

export const HAR_TARGETS = ['sitting', 'activity'] as const;
export type HarTarget = (typeof HAR_TARGETS)[number];

const LATENTS = 96;
const LOADINGS_PER_FEATURE = 6;
const FEATURE_NOISE = 0.5;
const GAIN = 0.6;
/** Distance of sitting and standing, in standard deviations of the variation from row to row. */
const SITTING_FROM_STANDING = 4.8;
/** How far people are shifted along that distance, as a share of it. */
const THRESHOLD_SHIFT = 0.4;
/** Length of the difference everyone adds to it. */
const PERSONAL_DIFFERENCE = 2;
/** Shift of a person, and of a person's variant of one activity, in each quantity. */
const PERSON_SHIFT = 0.5;
const PERSONAL_VARIANT = 0.5;

const ACTIVITIES = ['walking', 'upstairs', 'downstairs', 'sitting', 'standing', 'laying'];
/** Rows of each in UCI HAR. */
const ACTIVITY_ROWS = [1722, 1544, 1406, 1777, 1906, 1944];
const SITTING = 3;
const STANDING = 4;

/** What all people share. */
interface Population {
  readonly d: number;
  /** d x LOADINGS_PER_FEATURE: which latents a feature sees, and how strongly. */
  readonly seen: Uint16Array;
  readonly loading: Float64Array;
  readonly base: Float64Array;
  readonly noise: Float64Array;
  /** Size of the variation from row to row, for each latent. */
  readonly spread: Float64Array;
  readonly activities: readonly Float64Array[];
  /** From standing to sitting. */
  readonly difference: Float64Array;
}

export function makeHarLike(options: HarLikeOptions = {}): Table {
  const { participants = 20, ...rest } = options;
  checkCount('participants', participants);
  return rowsOfPeople(
    Array.from({ length: participants }, (_, k) => k + 1),
    rest,
  );
}

/** One person of `makeHarLike` with the same options, by number from 1 on: the same rows, without drawing those of the others. */
export function makeHarPerson(person: number, options: Omit<HarLikeOptions, 'participants'> = {}): Table {
  checkCount('person', person);
  return rowsOfPeople([person], options);
}

function rowsOfPeople(people: readonly number[], options: HarLikeOptions): Table {
  const { rowsPerParticipant = 345, features: d = 561, seed = 1, target } = options;
  const targetOf = target === 'activity' ? activityName : sittingSign;
  checkCount('rowsPerParticipant', rowsPerParticipant);
  checkCount('features', d);
  const population = makePopulation(d, stream(seed, 'har-like world'));
  const streams = people.map((person) => stream(seed, 'har-like person', 0, person));
  const counts = streams.map((random) => rowCount(rowsPerParticipant, random));
  const n = counts.reduce((sum, count) => sum + count, 0);
  const x = new Float64Array(n * d);
  const participantOf = new Uint32Array(n);
  const targets: string[] = [];
  let row = 0;
  for (const [k, random] of streams.entries()) {
    participantOf.fill(k, row, row + counts[k]);
    const person = makePerson(population, random);
    for (let i = 0; i < counts[k]; i++, row++) {
      const activity = drawActivity(person.habits, random);
      drawRow(population, person.means[activity], random, x, row * d);
      targets.push(targetOf(activity));
    }
  }
  return {
    source: 'HAR-like data',
    features: Array.from({ length: d }, (_, j) => `x${j + 1}`),
    n,
    x,
    participants: people.map(String),
    participantOf,
    targets,
    lines: undefined,
  };
}

function checkCount(name: string, value: number): void {
  if (Number.isInteger(value) && value >= 1) return;
  throw inputError(
    'GENERATOR_OPTION',
    `HAR-like data: expected ${name} to be a whole number of at least 1, got ${value}`,
  );
}

function sittingSign(activity: number): string {
  return activity === SITTING ? '1' : '-1';
}

function activityName(activity: number): string {
  return ACTIVITIES[activity];
}

function rowCount(middle: number, random: Stream): number {
  const fewest = Math.max(1, Math.round((middle * 281) / 345));
  const most = Math.max(fewest, Math.round((middle * 409) / 345));
  return fewest + random.below(most - fewest + 1);
}

function makePopulation(d: number, random: Stream): Population {
  const seen = new Uint16Array(d * LOADINGS_PER_FEATURE);
  const loading = new Float64Array(d * LOADINGS_PER_FEATURE);
  for (let s = 0; s < seen.length; s++) {
    seen[s] = random.below(LATENTS);
    loading[s] = random.normal() / Math.sqrt(LOADINGS_PER_FEATURE);
  }
  const base = normals(d, 0.8, random);
  const noise = Float64Array.from(base, () => FEATURE_NOISE * (0.5 + random.uniform()));
  // A few quantities vary much, most of them little: a low rank in effect.
  const spread = new Float64Array(LATENTS).map((_, r) => 1 / Math.sqrt(1 + r / 8));
  return { d, seen, loading, base, noise, spread, ...makeActivities(spread, random) };
}

/** Moving and resting are far apart, laying is apart from the other two, those two are hard to tell. */
function makeActivities(spread: Float64Array, random: Stream): Pick<Population, 'activities' | 'difference'> {
  const moving = normals(LATENTS, 2.2, random);
  const resting = moving.map((value) => -value / 2);
  const walks = [0, 1, 2].map(() => plus(moving, normals(LATENTS, 1.1, random)));
  const upright = plus(resting, normals(LATENTS, 0.66, random));
  const laying = plus(resting, normals(LATENTS, 1.76, random));
  const difference = direction(spread, SITTING_FROM_STANDING, random);
  const sitting = plus(upright, difference, 0.5);
  const standing = plus(upright, difference, -0.5);
  return { activities: [...walks, sitting, standing, laying], difference };
}

/** A person: how often they do what, and where in the hidden space each of their activities lies. */
function makePerson(population: Population, random: Stream): { habits: Float64Array; means: Float64Array[] } {
  const { spread, difference } = population;
  const scaled = (size: number) => normals(LATENTS, size, random).map((value, r) => value * spread[r]);
  const shift = plus(scaled(PERSON_SHIFT), difference, THRESHOLD_SHIFT * random.normal());
  const personal = direction(spread, PERSONAL_DIFFERENCE, random);
  const variants: Float64Array[] = ACTIVITY_ROWS.map(() => scaled(PERSONAL_VARIANT));
  // Sitting and standing vary alike in one person, except for the person's own difference.
  const upright = variants[SITTING];
  variants[SITTING] = plus(upright, personal, 0.5);
  variants[STANDING] = plus(upright, personal, -0.5);
  const habits = Float64Array.from(ACTIVITY_ROWS, (rows) => rows * (0.8 + 0.4 * random.uniform()));
  const means = population.activities.map((activity, a) => plus(plus(activity, shift), variants[a]));
  return { habits, means };
}

function drawActivity(habits: Float64Array, random: Stream): number {
  let left = random.uniform() * habits.reduce((sum, weight) => sum + weight, 0);
  let activity = 0;
  while (activity < habits.length - 1 && left >= habits[activity]) left -= habits[activity++];
  return activity;
}

function drawRow(
  population: Population,
  mean: Float64Array,
  random: Stream,
  x: Float64Array,
  at: number,
): void {
  const { d, seen, loading, base, noise, spread } = population;
  const latent = mean.map((value, r) => value + spread[r] * random.normal());
  for (let j = 0, s = 0; j < d; j++) {
    let value = base[j] + noise[j] * random.normal();
    for (let l = 0; l < LOADINGS_PER_FEATURE; l++, s++) value += loading[s] * latent[seen[s]];
    value *= GAIN;
    // Squashed without Math.tanh, which engines may round differently; seven decimals, as UCI HAR has about.
    x[at + j] = Math.round((1e7 * value) / Math.sqrt(1 + value * value)) / 1e7;
  }
}

/** A random vector of exactly that length, where every latent is measured in its own spread. */
function direction(spread: Float64Array, length: number, random: Stream): Float64Array {
  const vector = normals(LATENTS, 1, random);
  const size = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value, r) => (length * spread[r] * value) / size);
}

function normals(count: number, size: number, random: Stream): Float64Array {
  return Float64Array.from({ length: count }, () => size * random.normal());
}

function plus(a: Float64Array, b: Float64Array, share = 1): Float64Array {
  return a.map((value, r) => value + share * b[r]);
}
