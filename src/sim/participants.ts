/** Simulated participants from a table: each gets its own training rows, raw, and nothing else. */
import { featureMoments, rowsByParticipant, type Table } from '../data/index.ts';
import { type ComputeModel, meanPassMs } from './compute.ts';
import type { ParticipantData } from './participant-node.ts';

export interface ParticipantsOptions {
  readonly compute: ComputeModel;
  /** Passes of a benchmark solve. */
  readonly passes: number;
  readonly retryMs: number;
  /** Hardware factor by place among the participants. */
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
    const x = new Float64Array(rows.length * features);
    for (const [to, from] of rows.entries())
      x.set(table.x.subarray(from * features, (from + 1) * features), to * features);
    const hardware = options.hardware(k, groups.length);
    const benchmarkMs = (options.passes * meanPassMs(options.compute, rows.length, features)) / hardware;
    const moments = featureMoments(table.x, features, rows);
    const { retryMs } = options;
    return {
      profile: { id: table.participants[k], rows: rows.length, features, benchmarkMs, moments, retryMs },
      x,
      y: Float64Array.from(rows, (i) => y[i]),
      hardware,
    };
  });
}
