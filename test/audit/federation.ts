/** A small federation, what its coordinator saw, and the truth to score against. */

import type { Candidate } from '../../src/audit/attacks/candidate.ts';
import type { LabelledRow } from '../../src/audit/attacks/membership.ts';
import type { Observation } from '../../src/audit/attacks/observation.ts';
import { Recorder } from '../../src/audit/recorder.ts';
import { sharedPart } from '../../src/coordinator/training.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import type { Table } from '../../src/data/table.ts';
import { scaleRow } from '../../src/math/scaling.ts';
import type { TrainOptions } from '../../src/settings/training.ts';
import type { MaskSettings } from '../../src/settings/wire.ts';
import { Simulation } from '../../src/sim/simulation.ts';
import { planFor } from '../helpers/federation.ts';

export interface Truth {
  /** Scaled, with the bias. */
  readonly candidate: Candidate;
  /** Its own v_k, whatever it has sent. */
  readonly personal: Float64Array;
  /** As `candidate`, row by row. */
  readonly rows: readonly LabelledRow[];
  /** Rows of the same person that nobody trained on. */
  readonly fresh: readonly LabelledRow[];
}

export interface Watched {
  readonly observation: Observation;
  readonly truth: Truth;
}

export interface FederationOptions extends TrainOptions {
  /** Half of everybody's rows are trained on, the other half is fresh. */
  readonly table: Table;
  readonly mask?: MaskSettings | undefined;
}

export const MASKS = {
  none: undefined,
  'Bernoulli, paper': { kind: 'bernoulli', keep: 0.5, semantics: 'paper' },
  'Bernoulli, consistent': { kind: 'bernoulli', keep: 0.5, semantics: 'consistent' },
  'Beta, paper': { kind: 'beta', a: 2, b: 0.5, unmasked: 0.25, semantics: 'paper' },
  'Beta, consistent': { kind: 'beta', a: 2, b: 0.5, unmasked: 0.25, semantics: 'consistent' },
} as const satisfies Record<string, MaskSettings | undefined>;

export type MaskName = keyof typeof MASKS;

/** The paper's masks are of steps; answers take the consistent ones. */
export const ruleFor = (mask: MaskName): 'answers' | 'safe' => (mask.endsWith('paper') ? 'safe' : 'answers');

/** HAR-like people: 8 features, about 4 rows each to train on. */
export const tiny = (seed = 1): Table =>
  makeHarLike({ participants: 6, rowsPerParticipant: 8, features: 8, seed });

export interface Scene {
  readonly watched: readonly Watched[];
  /** The final shared part. */
  readonly w: Float64Array;
}

export function watch(options: FederationOptions): Scene {
  const { table, mask, ...train } = options;
  const plan = planFor(table, { testFraction: 0.5, ...train }, { options: { mask } });
  const simulation = new Simulation(plan);
  const recorder = new Recorder(simulation);
  simulation.run();
  const { state } = simulation.coordinator;
  const scaling = { mode: train.scale ?? 'standard', ...state!.scaling! } as const;
  const scaled = (x: Float64Array, i: number) => {
    const row = new Float32Array(table.features.length + 1).fill(1);
    scaleRow(x, i, scaling, row, 0);
    return Float64Array.from(row);
  };
  const watched = recorder.observations.map((observation) => {
    const { data, disk } = simulation.participants.get(observation.participant)!;
    const rows = Array.from(data.y, (y, i) => ({ x: scaled(data.x, i), y }));
    const k = table.participants.indexOf(observation.participant);
    const trained = new Set(rows.map(({ x }) => x.join()));
    const fresh = Array.from(table.participantOf.keys())
      .filter((i) => table.participantOf[i] === k)
      .map((i) => ({ x: scaled(table.x, i), y: Number(table.targets![i]) }))
      .filter(({ x }) => !trained.has(x.join()));
    const candidate = { rows: Float64Array.from(rows.flatMap(({ x }) => [...x])), y: data.y };
    const own = observation.settings.training === 'answers' ? disk!.model : disk!.committed;
    const personal = own!.u!.map((value) => value / observation.settings.c2);
    return { observation, truth: { candidate, personal, rows, fresh } };
  });
  return { watched, w: sharedPart(state!)! };
}

export function withoutBias(x: Float64Array): Float64Array {
  return x.subarray(0, x.length - 1);
}
