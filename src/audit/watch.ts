/** Trains a federation and keeps two records apart: what its coordinator saw, and the truth to score attacks against. */
import { scaleRow, type Table } from '../data/index.ts';
import { type Candidate, type LabelledRow, type Observation, updateRounds } from '../privacy/audit/index.ts';
import {
  computeModel,
  parseScenario,
  planFrom,
  type ScenarioInput,
  type ScenarioPlan,
  Simulation,
} from '../sim/index.ts';
import { dot } from '../solver/index.ts';
import { Recorder } from './recorder.ts';

export interface Truth {
  /** Scaled training rows, with the bias. */
  readonly candidate: Candidate;
  readonly rows: readonly LabelledRow[];
  /** Rows of the same person that nobody trained on. */
  readonly fresh: readonly LabelledRow[];
  /** Its own v_k, whatever it told. */
  readonly personal: Float64Array;
  /** Share of positive rows. */
  readonly positive: number;
}

export interface Watched {
  readonly participant: string;
  readonly observation: Observation;
  readonly truth: Truth;
}

export interface WatchedFederation {
  readonly watched: readonly Watched[];
  /** As everybody has it at the end. */
  readonly w: Float64Array;
  /** The shared parts that were sent out, round by round. */
  readonly sharedParts: readonly Float64Array[];
}

/**
 * What of a participant can be attacked. Where updates are summed unseen, the sum stands in for them: all that is known of
 * anybody is the mean share of how w moved.
 */
export function attackable(federation: WatchedFederation): readonly Watched[] {
  return federation.watched.map((one) =>
    updateRounds(one.observation).length > 0 ? one : { ...one, observation: shareOfSum(one, federation) },
  );
}

/** To somebody who is sent w, and nothing else. */
export function seenByParticipant(federation: WatchedFederation): WatchedFederation {
  const unseen = { du: undefined, ds: undefined, uDotDu: undefined, duNorm2: undefined, scalars: undefined };
  const watched = federation.watched.map((one) => ({
    ...one,
    observation: {
      ...one.observation,
      rows: undefined,
      moments: undefined,
      rounds: one.observation.rounds.map((round) => ({ ...round, ...unseen })),
    },
  }));
  return { ...federation, watched };
}

function shareOfSum({ observation }: Watched, { watched, sharedParts }: WatchedFederation): Observation {
  const rounds = observation.rounds.slice(0, -1).flatMap((round, r) => {
    const [before, after] = [sharedParts[r], sharedParts[r + 1]];
    if (!before || !after) return [];
    const du = after.map((value, j) => (value - before[j]) / watched.length);
    return [{ ...round, du, ds: 0, uDotDu: 0, duNorm2: dot(du, du), weights: [0, 1] }];
  });
  return { ...observation, rows: undefined, rounds };
}

export function watch(table: Table, given: ScenarioInput): WatchedFederation {
  const scenario = parseScenario('audit', given);
  const inputs = { source: 'audit', table, compute: computeModel(scenario) };
  const plan = planFrom(scenario, inputs, scenario.seed);
  const simulation = new Simulation(plan);
  const recorder = new Recorder(simulation);
  simulation.run();
  const { state } = simulation.coordinator;
  const scaling = { mode: scenario.scale, ...state!.scaling! } as const;
  const scaled = (x: Float64Array, y: Float64Array) => labelledRows(plan, scaling, x, y);
  const watched = recorder.observations.map((observation) => {
    const { data, disk } = simulation.participants.get(observation.participant)!;
    const rows = scaled(data.x, data.y);
    const tests = plan.tests.get(observation.participant)!;
    const { c2 } = plan.options;
    return {
      participant: observation.participant,
      observation,
      truth: {
        rows,
        fresh: scaled(tests.x, tests.y),
        candidate: { rows: Float64Array.from(rows.flatMap(({ x }) => [...x])), y: data.y },
        personal: (disk!.committed?.u ?? new Float64Array(rows[0].x.length)).map((value) => value / c2),
        positive: data.y.filter((y) => y > 0).length / data.y.length,
      },
    };
  });
  return { watched, w: state!.aggregator!.w, sharedParts: recorder.sharedParts };
}

function labelledRows(
  { options, participants }: ScenarioPlan,
  scaling: Parameters<typeof scaleRow>[2],
  x: Float64Array,
  y: Float64Array,
): LabelledRow[] {
  const { features } = participants[0].profile;
  return Array.from(y, (label, i) => {
    // As the participant's own memory has them.
    const row = new Float32Array(features + (options.bias ? 1 : 0)).fill(1);
    scaleRow(x, i, scaling, row, 0);
    return { x: Float64Array.from(row), y: label };
  });
}
