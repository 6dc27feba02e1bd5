/** Does a job. The same functions that the commands use: trainings, tunings and simulations, and nothing else. */
import type { Table } from '../data/table.ts';
import { train } from '../methods/train.ts';
import { tune } from '../methods/tune.ts';
import { TRAINING } from '../settings/training.ts';
import { type ObservedRow, Observer } from '../sim/observe.ts';
import { runScenario } from '../sim/run.ts';
import { parseScenario, type ScenarioInput } from '../sim/scenario.ts';
import { computeModel, planFrom } from '../sim/scenario-plan.ts';
import { sequenceChart } from '../sim/sequence-chart.ts';
import { Simulation } from '../sim/simulation.ts';
import type { Job, JobResult, ResultOf } from './jobs.ts';
import { passOver } from './measured-pass.ts';
import { median } from './statistics.ts';
import type { TableSpec } from './table-spec.ts';

type JobOf<K> = Extract<Job, { readonly kind: K }>;

/** `now` is for jobs that measure times. */
export function runJob(job: Job, tableOf: (spec: TableSpec) => Table, now: () => number): JobResult {
  switch (job.kind) {
    case 'tune':
      return runTune(job, tableOf(job.table));
    case 'simulate':
      return runSimulate(job, tableOf(job.table));
    case 'train':
      return runTrain(job, tableOf(job.table));
    case 'newcomer':
      return runNewcomer(job, tableOf(job.table));
    case 'sequence':
      return runSequence(job, tableOf(job.table));
    case 'timing':
      return runTiming(job, tableOf(job.table), now);
    case 'complexity':
      return runComplexity(job, now);
  }
}

function runTune({ options, grid, folds }: JobOf<'tune'>, table: Table): ResultOf['tune'] {
  const metric = options.objective === 'regression' ? 'r2' : 'balancedAccuracy';
  // The paper's methods are compared at the best of one grid, all of it, and as their problems are written.
  const plain = { epsilon: TRAINING.epsilon.declared.fallback, classWeight: 'none' as const };
  const {
    method,
    best,
    table: tried,
  } = tune(table, { ...plain, ...options, grid, folds, metric, search: 'grid' });
  const { standardError: _s, folds: _f, ...chosen } = best;
  return { method, ...chosen, metric, tried: tried.length };
}

function inputsOf(given: ScenarioInput, table: Table) {
  const scenario = parseScenario('experiment', given);
  return { scenario, inputs: { source: 'experiment', table, compute: computeModel(scenario) } };
}

function runSimulate({ scenario: given }: JobOf<'simulate'>, table: Table): ResultOf['simulate'] {
  const { scenario, inputs } = inputsOf(given, table);
  const { summary, rows } = runScenario(scenario, inputs, { seed: scenario.seed, transcript: 'off' });
  return {
    ...curveOf(rows),
    responders: summary.responders.observed,
    upPerParticipantRound: summary.bytes.upPerParticipantRound,
    downPerParticipantRound: summary.bytes.downPerParticipantRound,
  };
}

/** Only where something changed: most rows of a converged training are alike. */
function curveOf(rows: readonly ObservedRow[]): { atMs: number[]; metric: number[] } {
  const [atMs, metric]: [number[], number[]] = [[], []];
  for (const [i, row] of rows.entries()) {
    const value = row.metric.mean;
    if (value === null || (value === metric.at(-1) && i < rows.length - 1)) continue;
    atMs.push(row.atMs);
    metric.push(value);
  }
  return { atMs, metric };
}

function runTrain({ options }: JobOf<'train'>, table: Table): ResultOf['train'] {
  const result = train(table, options);
  const values = result.participants.map((p) => [p.id, p.balancedAccuracy ?? p.r2] as const);
  const known = values.filter((pair): pair is readonly [string, number] => pair[1] !== undefined);
  return { metric: metricOf(result), participants: Object.fromEntries(known) };
}

/** A federation without the newcomer first; it joins when that is trained, and is watched from there. */
function runNewcomer(job: JobOf<'newcomer'>, table: Table): ResultOf['newcomer'] {
  const id = table.participants[job.newcomer];
  const late = { startMs: { [id]: job.joinsMs }, trainRows: { [id]: job.newcomerRows } };
  const { scenario, inputs } = inputsOf({ ...job.scenario, ...late }, table);
  const plan = planFrom(scenario, inputs, scenario.seed);
  const simulation = new Simulation(plan);
  const observer = new Observer(simulation, scenario.seed, plan.tests);
  let cold = Number.NaN;
  const own: number[] = [];
  simulation.onRow = (row) => {
    const value = observer.observe(row).metric.participants[id];
    if (value === undefined) cold = observer.sharedPartFor(id) ?? cold;
    else own.push(value);
  };
  simulation.run();
  const final = own.at(-1) ?? cold;
  const rounds = own.findIndex((value) => value >= final - 0.01) + 1;
  return { cold, first: own[0] ?? cold, final, rounds };
}

function runSequence({ scenario: given, rounds }: JobOf<'sequence'>, table: Table): { svg: string } {
  const { scenario, inputs } = inputsOf(given, table);
  const { transcript } = runScenario(scenario, inputs, { seed: scenario.seed, transcript: 'on' });
  return { svg: sequenceChart(scenario.name, transcript, table.participants, rounds) };
}

function runTiming(job: JobOf<'timing'>, table: Table, now: () => number): ResultOf['timing'] {
  const { runs } = job;
  const candidates = job.until === 'the end' ? job.candidates : upToSameMetric(job.candidates, table);
  const names = Object.keys(candidates);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  const last = new Map<string, ReturnType<typeof train>>();
  // One turn that is not counted, so that nobody pays for warming up.
  for (let run = -1; run < runs; run++) {
    for (const name of names) {
      const result = train(table, candidates[name], { now });
      if (run >= 0) times.get(name)!.push(result.timing.solveMs);
      last.set(name, result);
    }
  }
  const rows = names.map((name) => {
    const { rounds, passes } = last.get(name)!;
    return [name, { ms: times.get(name)!, rounds, passes, metric: metricOf(last.get(name)!) }];
  });
  return { candidates: Object.fromEntries(rows) };
}

/** The same trainings, cut at the first round that is good enough. */
function upToSameMetric(
  candidates: JobOf<'timing'>['candidates'],
  table: Table,
): JobOf<'timing'>['candidates'] {
  const ends = Object.values(candidates).map((options) => metricOf(train(table, options)));
  const target = Math.min(...ends) - 0.005;
  const cut = Object.entries(candidates).map(([name, options]) => {
    let rounds = 1;
    while (rounds < (options.rounds ?? 200) && metricOf(train(table, { ...options, rounds })) < target)
      rounds++;
    return [name, { ...options, rounds }];
  });
  return Object.fromEntries(cut);
}

function metricOf({ mean }: ReturnType<typeof train>): number {
  return (mean.balancedAccuracy ?? mean.r2)!;
}

/** A pass as the paper counts it: every row is read, and moves. */
function runComplexity(
  { objective, shapes, repeats }: JobOf<'complexity'>,
  now: () => number,
): ResultOf['complexity'] {
  const points = shapes.map(([n, d]) => {
    const pass = passOver({ objective, n, d });
    const many = Math.max(1, Math.ceil(2e6 / (n * d)));
    const times: number[] = [];
    for (let r = -1; r < repeats; r++) {
      const started = now();
      for (let m = 0; m < many; m++) pass();
      if (r >= 0) times.push((now() - started) / many);
    }
    return { n, d, passMs: median(times) };
  });
  return { points };
}
