/** One run of a scenario with one seed: its rows, and what they come to. */
import { standings } from '../coordinator/defence.ts';
import type { Table } from '../data/table.ts';
import type { Running } from '../privacy/defence/contribution.ts';
import type { ScenarioInput } from '../settings/scenario.ts';
import { alone, mergedRuns } from './alone.ts';
import { type ObservedRow, Observer } from './observe.ts';
import { parseScenario, type Scenario, scenarioError } from './scenario.ts';
import {
  computeModel,
  generatedTable,
  planFrom,
  type ScenarioInputs,
  type ScenarioPlan,
} from './scenario-plan.ts';
import { Simulation } from './simulation.ts';
import {
  type ContributionSummary,
  meanOf,
  type ParticipantSummary,
  type RunRecord,
  type RunSummary,
  resultOf,
} from './summary.ts';

export interface SimulateOptions {
  /** Rows of the participants, in place of generated ones. */
  readonly table?: Table | undefined;
  /** Default: the scenario's. */
  readonly seed?: number | undefined;
  /** Every message of the run; default: off. */
  readonly transcript?: 'on' | 'off' | undefined;
  readonly onRow?: ((row: ObservedRow) => void) | undefined;
}

/** A scenario run once, from its JSON: what programs use; `kindred simulate` adds files, repeats and threads. */
export function simulate(given: ScenarioInput, options: SimulateOptions = {}): RunRecord {
  const source = 'scenario';
  const scenario = parseScenario(source, given);
  const table = options.table ?? generatedTable(scenario);
  if (!table)
    throw scenarioError(source, 'data', 'a generator, or a table passed with the scenario', scenario.data);
  const { seed = scenario.seed, transcript = 'off', onRow } = options;
  return runScenario(
    scenario,
    { source, table, compute: computeModel(scenario) },
    { seed, transcript },
    onRow,
  );
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
  if (scenario.method !== 'local') return runPlan(scenario, plan, onRow);
  const runs = alone(plan).map((lone) => runPlan(scenario, lone));
  const record = mergedRuns(scenario, plan, runs);
  for (const row of record.rows) onRow?.(row);
  return record;
}

function runPlan(scenario: Scenario, plan: ScenarioPlan, onRow?: (row: ObservedRow) => void): RunRecord {
  const simulation = new Simulation(plan);
  const observer = new Observer(simulation, plan.seed, plan.tests);
  const rows: ObservedRow[] = [];
  simulation.onRow = (row) => {
    const observed = observer.observe(row);
    rows.push(observed);
    onRow?.(observed);
  };
  simulation.run();
  const summary = summaryOf(scenario, plan, simulation, rows);
  return { summary, rows, transcript: simulation.transcript.entries };
}

function summaryOf(
  scenario: Scenario,
  { seed, waitMs }: ScenarioPlan,
  simulation: Simulation,
  rows: readonly ObservedRow[],
): RunSummary {
  const training = rows.filter((row) => row.purpose === 'train');
  const count = (outcome: ObservedRow['outcome']) => rows.filter((row) => row.outcome === outcome).length;
  const { virtualMs, certificate, metric } = resultOf(rows, scenario.targets);
  const { up, down } = simulation.bytes;
  const { run } = simulation.coordinator.disk;
  return {
    seed,
    stopped: run?.finish ?? null,
    rounds: {
      aggregated: count('aggregated'),
      abandoned: count('abandoned'),
      certifying: rows.length - training.length,
    },
    virtualMs,
    responders: {
      wanted: scenario.responders ?? null,
      waitMs: waitMs ?? null,
      observed: meanOf(training.map((row) => row.responders / Math.max(1, row.active))),
    },
    bytes: {
      up,
      down,
      upPerParticipantRound: perParticipantRound(rows, (row) => row.bytesUp),
      downPerParticipantRound: perParticipantRound(rows, (row) => row.bytesDown),
    },
    certificate,
    metric,
    ...reportedIn(rows),
    ...privacyOf(simulation),
    rejections: Object.fromEntries(simulation.coordinator.state?.rejections ?? []),
    badFrames: simulation.coordinator.badFrames,
    participants: participantsOf(simulation, rows.at(-1)),
  };
}

/** From the close of the first round on: joining and scaling happen once. */
function perParticipantRound(rows: readonly ObservedRow[], bytes: (row: ObservedRow) => number): number {
  const later = rows.slice(1);
  const rounds = later.reduce((sum, row) => sum + row.active, 0);
  return rounds === 0 ? 0 : (bytes(rows.at(-1)!) - bytes(rows[0])) / rounds;
}

function participantsOf(simulation: Simulation, last: ObservedRow | undefined): ParticipantSummary[] {
  const answered = new Map<string, number>();
  for (const { purpose, responders } of simulation.rows) {
    if (purpose !== 'train') continue;
    for (const id of responders) answered.set(id, (answered.get(id) ?? 0) + 1);
  }
  const contributions = contributionsOf(simulation);
  return [...simulation.participants.values()].map(({ id, data }) => ({
    id,
    rows: data.profile.rows,
    hardware: data.hardware,
    answered: answered.get(id) ?? 0,
    metric: last?.metric.participants[id] ?? null,
    ...contributions.get(id),
  }));
}

function reportedIn(rows: readonly ObservedRow[]): Pick<RunSummary, 'tests'> {
  const tests = rows.findLast((row) => row.tests)?.tests;
  return tests ? { tests } : {};
}

function privacyOf({ coordinator, rows }: Simulation): Pick<RunSummary, 'privacy'> {
  const { dp } = coordinator.state?.options ?? {};
  const spent = rows.at(-1)?.privacy;
  return dp && spent ? { privacy: { settings: dp, spent } } : {};
}

/** By participant; nobody without a defence. */
function contributionsOf({
  coordinator: { state },
  participants,
  rows,
}: Simulation): ReadonlyMap<string, { readonly contribution: ContributionSummary }> {
  if (!state?.options.defence) return new Map();
  const known = new Map(standings(state).map((standing) => [standing.id, standing]));
  const shortened = new Map<string, number>();
  for (const row of rows)
    for (const { id } of row.shortened ?? []) shortened.set(id, (shortened.get(id) ?? 0) + 1);
  return new Map(
    [...participants.keys()].map((id) => {
      const { contribution, suspicions = [] } = known.get(id) ?? {};
      const { cosine, normRatio, ownShare } = contribution ?? {};
      const means = { cosine: meanIn(cosine), normRatio: meanIn(normRatio), ownShare: meanIn(ownShare) };
      return [id, { contribution: { ...means, shortened: shortened.get(id) ?? 0, suspicions } }];
    }),
  );
}

function meanIn(running: Running | undefined): number | null {
  return running && running.count > 0 ? running.mean : null;
}
