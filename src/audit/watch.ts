/** Trains a federation and keeps two records apart: what its coordinator saw, and the truth to score attacks against. */

import { sharedPart } from '../coordinator/training.ts';
import type { Table } from '../data/table.ts';
import type { Scaling } from '../math/scaling.ts';
import type { Stored } from '../participant/state.ts';
import { columnsOf, seededMap } from '../settings/feature-map.ts';
import { parseScenario, type ScenarioInput } from '../sim/scenario.ts';
import { computeModel, planFrom, type ScenarioPlan } from '../sim/scenario-plan.ts';
import { Simulation } from '../sim/simulation.ts';
import { rowWriter } from '../solver/row-writer.ts';
import type { Candidate } from './attacks/candidate.ts';
import type { LabelledRow } from './attacks/membership.ts';
import { changesOf, type Observation } from './attacks/observation.ts';
import { type KnownSum, Recorder } from './recorder.ts';

interface Truth {
  /** Scaled training rows, with the bias. */
  readonly candidate: Candidate;
  readonly rows: readonly LabelledRow[];
  /** Rows of the same person that nobody trained on. */
  readonly fresh: readonly LabelledRow[];
  /** Its own v_k of the model in use, whatever it has sent. */
  readonly personal: Float64Array;
  readonly positive: number;
}

export interface Watched {
  readonly observation: Observation;
  readonly truth: Truth;
}

export interface WatchedFederation {
  readonly watched: readonly Watched[];
  /** As everybody has it at the end. */
  readonly w: Float64Array;
  /** What is known of the sum of all contributions after each round. */
  readonly sums: ReadonlyMap<number, Float64Array>;
  /** The shared parts that were sent out after each round. */
  readonly sharedParts: ReadonlyMap<number, Float64Array>;
}

/**
 * What of a participant can be attacked. Where contributions are summed unseen, the sum stands in for them: all that is known of
 * anybody is the mean share of it.
 */
export function attackable(federation: WatchedFederation): readonly Watched[] {
  return federation.watched.map((one) =>
    changesOf(one.observation).length > 0 ? one : { ...one, observation: shareOfSum(one, federation) },
  );
}

/** To somebody who is sent w, and nothing else. */
export function seenByParticipant(federation: WatchedFederation): WatchedFederation {
  const unseen = { u: undefined, scalars: undefined };
  const watched = federation.watched.map((one) => ({
    ...one,
    observation: {
      ...one.observation,
      rows: undefined,
      moments: undefined,
      rounds: one.observation.rounds.map((round) => ({ ...round, ...unseen })),
    },
  }));
  // At the optimum w is the sum, and it is never far from it.
  return { ...federation, watched, sums: federation.sharedParts };
}

function shareOfSum({ observation }: Watched, { watched, sums }: WatchedFederation): Observation {
  const rounds = observation.rounds.flatMap((round) => {
    const u = sums.get(round.round)?.map((value) => value / watched.length);
    return u ? [{ ...round, u, scalars: undefined, taken: 1 }] : [];
  });
  return { ...observation, rows: undefined, rounds };
}

/** `attack` is done to the federation before it starts. */
export function watch(
  table: Table,
  given: ScenarioInput,
  attack: (simulation: Simulation) => void = () => {},
): WatchedFederation {
  const scenario = parseScenario('audit', given);
  const inputs = { source: 'audit', table, compute: computeModel(scenario) };
  const plan = planFrom(scenario, inputs, scenario.seed);
  const simulation = new Simulation(plan);
  const recorder = new Recorder(simulation);
  attack(simulation);
  simulation.run();
  const { state } = simulation.coordinator;
  const { c2 } = plan.options;
  const scaling = { mode: scenario.scale, ...state!.scaling! } as const;
  const scaled = (x: Float64Array, y: Float64Array) => labelledRows(plan, scaling, x, y);
  const watched = recorder.observations.map((observation) => {
    const { data, disk } = simulation.participants.get(observation.participant)!;
    const rows = scaled(data.x, data.y);
    const tests = plan.tests.get(observation.participant)!;
    return {
      observation,
      truth: {
        rows,
        fresh: scaled(tests.x, tests.y),
        candidate: { rows: Float64Array.from(rows.flatMap(({ x }) => [...x])), y: data.y },
        personal: personalPart(disk!, rows[0].x.length).map((value) => value / c2),
        positive: data.y.filter((y) => y > 0).length / data.y.length,
      },
    };
  });
  const after = (of: (known: KnownSum) => Float64Array) =>
    new Map([...recorder.sums].map(([round, known]) => [round, of(known)]));
  return { watched, w: sharedPart(state!)!, sums: after(({ u }) => u), sharedParts: after(({ w }) => w) };
}

/** C2 v_k: with answers that of the model in use, with steps the own part of what was accepted. */
function personalPart({ settings, model, committed }: Stored, d: number): Float64Array {
  const u = settings?.training === 'answers' ? model?.u : committed?.u;
  return u ?? new Float64Array(d);
}

function labelledRows(
  { options, participants }: ScenarioPlan,
  scaling: Scaling,
  x: Float64Array,
  y: Float64Array,
): LabelledRow[] {
  const { features, seed, bias } = options;
  const form = { scaling, map: seededMap(features, seed), bias };
  const columns = columnsOf({ ...form, features: participants[0].profile.features });
  const write = rowWriter(form);
  return Array.from(y, (label, i) => {
    // As the participant's own memory has them.
    const row = new Float32Array(columns);
    write(x, i, row, 0);
    return { x: Float64Array.from(row), y: label };
  });
}
