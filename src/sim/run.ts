/** One run of a scenario with one seed: its rows, and what they come to. Plain data, so that workers can hand it over. */
import { type MetricName, type ObservedRow, Observer } from './observe.ts';
import type { Scenario } from './scenario.ts';
import { planFrom, type ScenarioInputs } from './scenario-plan.ts';
import { Simulation } from './simulation.ts';
import type { TranscriptEntry } from './transcript.ts';

export interface RunSummary {
  readonly seed: number;
  /** Null: the world ended first. */
  readonly stopped: string | null;
  /** Rounds that changed the model, that were given up, and that only looked. */
  readonly rounds: { readonly aggregated: number; readonly abandoned: number; readonly certifying: number };
  readonly virtualMs: number;
  readonly responders: {
    readonly wanted: number | null;
    /** The waiting period computed for that. */
    readonly waitMs: number | null;
    /** Mean share of those there that answered a training round in time. */
    readonly observed: number;
  };
  readonly bytes: {
    readonly up: number;
    readonly down: number;
    readonly upPerParticipantRound: number;
    readonly downPerParticipantRound: number;
  };
  readonly certificate: Pick<ObservedRow, 'primal' | 'dual' | 'relativeGap' | 'certified'> | null;
  readonly metric: {
    readonly name: MetricName;
    readonly mean: number | null;
    readonly worst: number | null;
    /** When the mean first reached a target; null: never. */
    readonly reached: readonly { readonly target: number; readonly atMs: number | null }[];
  } | null;
  readonly rejections: Readonly<Record<string, number>>;
  readonly badFrames: number;
  readonly participants: readonly ParticipantSummary[];
}

export interface ParticipantSummary {
  readonly id: string;
  readonly rows: number;
  readonly hardware: number;
  /** Training rounds answered in time. */
  readonly answered: number;
  readonly metric: number | null;
}

export interface RunRecord {
  readonly summary: RunSummary;
  readonly rows: readonly ObservedRow[];
  /** Empty unless it was asked for. */
  readonly transcript: readonly TranscriptEntry[];
}

export interface RunRequest {
  readonly seed: number;
  readonly transcript: 'on' | 'off';
}

export function runScenario(
  scenario: Scenario,
  inputs: ScenarioInputs,
  { seed, transcript }: RunRequest,
  onRow?: (row: ObservedRow) => void,
): RunRecord {
  const plan = { ...planFrom(scenario, inputs, seed), transcript };
  const simulation = new Simulation(plan);
  const observer = new Observer(simulation, seed, plan.tests);
  const rows: ObservedRow[] = [];
  simulation.onRow = (row) => {
    const observed = observer.observe(row);
    rows.push(observed);
    onRow?.(observed);
  };
  simulation.run();
  const summary = summaryOf(scenario, seed, simulation, rows, plan.waitMs);
  return { summary, rows, transcript: simulation.transcript.entries };
}

function summaryOf(
  scenario: Scenario,
  seed: number,
  simulation: Simulation,
  rows: readonly ObservedRow[],
  waitMs: number | undefined,
): RunSummary {
  const last = rows.at(-1);
  const training = rows.filter((row) => row.purpose === 'train');
  const count = (outcome: ObservedRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  const { up, down } = simulation.traffic;
  const { run } = simulation.coordinator.disk;
  return {
    seed,
    stopped: run?.finish ?? null,
    rounds: {
      aggregated: count('aggregated'),
      abandoned: count('abandoned'),
      certifying: rows.length - training.length,
    },
    virtualMs: last?.atMs ?? 0,
    responders: {
      wanted: scenario.responders ?? null,
      waitMs: waitMs ?? null,
      observed: meanOf(training.map((row) => row.responders / Math.max(1, row.active))),
    },
    bytes: {
      up: up.bytes,
      down: down.bytes,
      upPerParticipantRound: perParticipantRound(rows, (row) => row.bytesUp),
      downPerParticipantRound: perParticipantRound(rows, (row) => row.bytesDown),
    },
    certificate: last ? certificateOf(last) : null,
    metric: last ? metricOf(rows, last, scenario.targets) : null,
    rejections: Object.fromEntries(simulation.coordinator.state?.rejections ?? []),
    badFrames: simulation.coordinator.badFrames,
    participants: participantsOf(simulation, last),
  };
}

/** From the close of the first round on: joining and scaling happen once. */
function perParticipantRound(rows: readonly ObservedRow[], bytes: (row: ObservedRow) => number): number {
  const later = rows.slice(1);
  const rounds = later.reduce((sum, row) => sum + row.active, 0);
  return rounds === 0 ? 0 : (bytes(rows.at(-1)!) - bytes(rows[0])) / rounds;
}

function certificateOf({ primal, dual, relativeGap, certified }: ObservedRow) {
  return { primal, dual, relativeGap, certified };
}

function metricOf(rows: readonly ObservedRow[], last: ObservedRow, targets: readonly number[]) {
  const { name, mean, worst } = last.metric;
  const reached = targets.map((target) => {
    const first = rows.find((row) => row.metric.mean !== null && row.metric.mean >= target);
    return { target, atMs: first?.atMs ?? null };
  });
  return { name, mean, worst, reached };
}

function participantsOf(simulation: Simulation, last: ObservedRow | undefined): ParticipantSummary[] {
  const answered = new Map<string, number>();
  for (const { purpose, responders } of simulation.rows) {
    if (purpose !== 'train') continue;
    for (const id of responders) answered.set(id, (answered.get(id) ?? 0) + 1);
  }
  return [...simulation.participants.values()].map(({ id, data }) => ({
    id,
    rows: data.profile.rows,
    hardware: data.hardware,
    answered: answered.get(id) ?? 0,
    metric: last?.metric.participants[id] ?? null,
  }));
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
