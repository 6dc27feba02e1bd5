/** Simulated participants from a table: each gets its own training rows, raw, and nothing else. */
import { labelsOf } from '../data/agreed-classes.ts';
import { featuresOf, rowsByParticipant } from '../data/participants.ts';
import type { Table } from '../data/table.ts';
import { meanOneWeights } from '../data/weights.ts';
import { featureMoments, type Moments, mergeMoments } from '../math/scaling.ts';
import { targetMoments } from '../math/target-scaling.ts';
import type { OwnTargets } from '../participant/state.ts';
import { type ComputeModel, meanPassMs } from './compute.ts';
import type { ParticipantData } from './participant-node.ts';

interface ParticipantsOptions {
  readonly compute: ComputeModel;
  /** Passes of a benchmark solve. */
  readonly passes: number;
  readonly retryMs: number;
  readonly hardware: (k: number, participants: number) => number;
}

/** All the same, or rising evenly from 1 to 10 as in the paper. */
export const HARDWARE = {
  equal: () => 1,
  rising: (k: number, participants: number) => (participants === 1 ? 1 : 1 + (9 * k) / (participants - 1)),
} as const;

export function participantsOf(
  table: Table,
  y: Float64Array,
  train: Uint32Array,
  options: ParticipantsOptions,
): ParticipantData[] {
  const features = table.features.length;
  const groups = rowsByParticipant(table, train);
  return groups.map((rows, k) => {
    const hardware = options.hardware(k, groups.length);
    const benchmarkMs = (options.passes * meanPassMs(options.compute, rows.length, features)) / hardware;
    const moments = featureMoments(table.x, features, rows);
    const { retryMs } = options;
    const written = Array.from(rows, (i) => table.targets![i]);
    const targets = targetsFrom(labelsOf(written), targetMoments(y, rows));
    const [id, n] = [table.participants[k], rows.length];
    const weights = meanOneWeights(table, rows, id);
    return {
      profile: { id, rows: n, features, benchmarkMs, moments, targets, retryMs },
      x: featuresOf(table, rows),
      y: Float64Array.from(rows, (i) => y[i]),
      ...(weights && { weights }),
      written,
      hardware,
    };
  });
}

/** Values are those of a regression, and of no use to anybody otherwise. */
function targetsFrom(labels: readonly string[], { mean: [mean], m2: [m2] }: Moments): OwnTargets {
  return { labels, positive: undefined, values: { mean, m2 } };
}

/** Moments of the targets. */
export function valuesOf({ profile: { rows, targets } }: ParticipantData): Moments {
  const { mean, m2 } = targets.values as Exclude<OwnTargets['values'], string>;
  return { count: rows, mean: Float64Array.of(mean), m2: Float64Array.of(m2) };
}

/** The one node of the global method. */
export const POOLED = 'all';

/**
 * The global method as a federation of one: everybody's rows at one node that is as strong as all participants together,
 * as the paper assumes of its coordinator.
 */
export function pooled(participants: readonly ParticipantData[]): ParticipantData {
  const rows = participants.reduce((sum, { profile }) => sum + profile.rows, 0);
  const hardware = participants.reduce((sum, participant) => sum + participant.hardware, 0);
  const [{ profile }] = participants;
  // All of the work, shared by all of the hardware.
  const work = participants.reduce((sum, other) => sum + other.profile.benchmarkMs * other.hardware, 0);
  const moments = participants.map((participant) => participant.profile.moments).reduce(mergeMoments);
  const x = new Float64Array(rows * profile.features);
  const y = new Float64Array(rows);
  const weights = participants[0].weights && new Float64Array(rows);
  let at = 0;
  for (const participant of participants) {
    x.set(participant.x, at * profile.features);
    y.set(participant.y, at);
    weights?.set(participant.weights!, at);
    at += participant.y.length;
  }
  const written = participants.flatMap((participant) => participant.written ?? []);
  const targets = targetsFrom(labelsOf(written), participants.map(valuesOf).reduce(mergeMoments));
  const benchmarkMs = work / hardware;
  return {
    profile: { ...profile, id: POOLED, rows, benchmarkMs, moments, targets },
    x,
    y,
    ...(weights && { weights }),
    written,
    hardware,
  };
}

/**
 * The nodes of the local method: each brings mean and variance of all, as if of its own rows, so that these are scaled as
 * everywhere else.
 */
export function withCommonMoments(participants: readonly ParticipantData[]): ParticipantData[] {
  const all = participants.map(({ profile }) => profile.moments).reduce(mergeMoments);
  const values = participants.map(valuesOf).reduce(mergeMoments);
  return participants.map((data) => {
    const { rows, targets } = data.profile;
    const moments = asOfRows(all, rows);
    const common = targetsFrom(targets.labels ?? [], asOfRows(values, rows));
    return { ...data, profile: { ...data.profile, moments, targets: common } };
  });
}

function asOfRows({ count, mean, m2 }: Moments, rows: number): Moments {
  return { count: rows, mean, m2: m2.map((value) => (value * rows) / count) };
}
