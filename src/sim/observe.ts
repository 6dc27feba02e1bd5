/**
 * What an onlooker with access to everything sees of a run: one row for each round, when it closes. The certificate is
 * about the model in use when the round closed: the best of those that were asked about, or with which rounds began. So is the metric, on rows that
 * nobody trains on; where no best model is known, it is about the latest. A participant counts from its joining until it is forgotten.
 */
import { quoted } from '../charts/csv.ts';
import type { RoundRow } from '../coordinator/round-row.ts';
import type { CoordinatorState } from '../coordinator/state.ts';
import { combinerOf, inquiryOf, sharedPart } from '../coordinator/training.ts';
import { inTargetUnits } from '../math/target-scaling.ts';
import { acceptedSolution } from '../participant/outcome.ts';
import { headsBy } from '../protocol/agreement.ts';
import { columnsOf, seededMap } from '../settings/feature-map.ts';
import { type Metrics, measure } from '../solver/metrics.ts';
import { rowWriter } from '../solver/row-writer.ts';
import { plusScaled } from '../solver/vector.ts';
import type { TestRows } from './scenario-plan.ts';
import type { Simulation } from './simulation.ts';

export const METRIC_NAME = { classification: 'balancedAccuracy', regression: 'r2' } as const;
export type MetricName = (typeof METRIC_NAME)[keyof typeof METRIC_NAME];

type RowKey = 'atMs' | 'round' | 'purpose' | 'outcome' | 'primal' | 'dual' | 'relativeGap' | 'certified';

/** Under differential privacy primal, dual and gap are unknown: NaN here, null in JSON. */
export interface ObservedRow extends Pick<RoundRow, RowKey | 'privacy' | 'tests'> {
  readonly seed: number;
  /** How many answered in time, of how many who were there. */
  readonly responders: number;
  readonly active: number;
  /** Since the beginning, all participants together. */
  readonly bytesUp: number;
  readonly bytesDown: number;
  readonly metric: {
    readonly name: MetricName;
    /** Null where nobody has test rows. */
    readonly mean: number | null;
    readonly worst: number | null;
    readonly participants: Readonly<Record<string, number>>;
  };
}

/** The metric of the models with which a round began. */
interface Seen {
  readonly round: number;
  readonly metric: ObservedRow['metric'];
}

export class Observer {
  private readonly simulation: Simulation;
  private readonly seed: number;
  private readonly tests: ReadonlyMap<string, TestRows>;
  /** Test rows, scaled as soon as the scaling is known, with the bias as last column. */
  private readonly scaled = new Map<string, Float64Array>();
  private latest: Seen | undefined;
  private inUse: Seen | undefined;

  constructor(simulation: Simulation, seed: number, tests: ReadonlyMap<string, TestRows>) {
    this.simulation = simulation;
    this.seed = seed;
    this.tests = tests;
  }

  observe(row: RoundRow): ObservedRow {
    const state = this.simulation.coordinator.state!;
    const { up: bytesUp, down: bytesDown } = this.simulation.bytes;
    const { atMs, round, purpose, outcome, primal, dual, relativeGap, certified, privacy, tests } = row;
    const active = [...state.members.values()].filter(({ presence }) => presence === 'here').length;
    return {
      seed: this.seed,
      atMs,
      round,
      purpose,
      outcome,
      responders: row.responders.length,
      active,
      bytesUp,
      bytesDown,
      primal,
      dual,
      relativeGap,
      certified,
      ...(privacy && { privacy }),
      ...(tests && { tests }),
      metric: this.metricInUse(state),
    };
  }

  /** Of the best model that is known, or of the latest: as a participant chooses what to predict with. */
  private metricInUse(state: CoordinatorState): ObservedRow['metric'] {
    if (inquiryOf(state)) return this.metric(state);
    const current = { round: state.round, metric: this.metric(state) };
    const best = [this.latest, this.inUse].find((seen) => seen?.round === state.best?.round);
    this.latest = current;
    this.inUse = best ?? current;
    return this.inUse.metric;
  }

  /** How well the shared part alone would serve somebody who has test rows, as at a newcomer's before its first round. */
  sharedPartFor(id: string): number | undefined {
    const state = this.simulation.coordinator.state!;
    const w = sharedPart(state);
    return w && this.metricOf(state, id, w)?.[METRIC_NAME[state.options.objective]];
  }

  private metric(state: CoordinatorState): ObservedRow['metric'] {
    const name = METRIC_NAME[state.options.objective];
    const values = new Map<string, number>();
    for (const [id, { servedBy }] of this.tests) {
      const model = this.modelOf(state, servedBy);
      const value = model && this.metricOf(state, id, model)?.[name];
      if (value !== undefined) values.set(id, value);
    }
    return metricOver(name, values);
  }

  private modelOf(state: CoordinatorState, node: string): Float64Array | undefined {
    const { members, options } = state;
    const member = members.get(node);
    const combiner = combinerOf(state);
    if (!member || !state.trainer) return undefined;
    if (!combiner) return this.answeredModel(state, node);
    const own = this.ownPart(state, node);
    return own ? plusScaled(combiner.w, 1 / options.c2, own) : combiner.modelOf(member.index);
  }

  /** w with the participant's own answer to it: to the best query, or to the one it predicts with meanwhile. */
  private answeredModel(state: CoordinatorState, id: string): Float64Array | undefined {
    const node = this.simulation.participants.get(id);
    const known = [node?.state?.latest, node?.disk?.model];
    const model = known.find((one) => one && one.round === state.best?.round) ?? known[1] ?? known[0];
    if (!model) return sharedPart(state);
    return model.u ? plusScaled(model.w, 1 / state.options.c2, model.u) : model.w;
  }

  private metricOf(state: CoordinatorState, id: string, model: Float64Array): Metrics | undefined {
    const tests = this.tests.get(id);
    if (!tests || tests.y.length === 0) return undefined;
    const rows = this.scaledRows(state, id, tests);
    const { target } = state.agreement ?? {};
    const heads = headsBy(state.agreement);
    const columns = model.length / heads;
    const decisions = new Float64Array(heads * tests.y.length);
    for (let i = 0; i < decisions.length; i++) {
      const head = i % heads;
      const own = model.subarray(head * columns, (head + 1) * columns);
      decisions[i] = inTargetUnits(product(rows, Math.floor(i / heads) * columns, own), target);
    }
    return measure(state.options.objective, tests.y, decisions, heads);
  }

  /**
   * Where the participant's own u is not what it sent (the paper's masking), or nobody sees it (secure aggregation): its own, with an
   * update that was taken just now committed.
   */
  private ownPart({ options, members }: CoordinatorState, id: string): Float64Array | undefined {
    if (options.mask?.semantics !== 'paper' && !options.secure) return undefined;
    const node = this.simulation.participants.get(id);
    const { committed, pending } = node?.disk ?? {};
    const accepted = members.get(id)?.accepted;
    const problem = node?.state?.problem;
    if (!committed || !accepted) return undefined;
    if (!problem || pending?.message.round !== accepted.round) return committed.u;
    return acceptedSolution(problem, committed, pending.solution, accepted).u;
  }

  private scaledRows(state: CoordinatorState, id: string, { x, y }: TestRows): Float64Array {
    const known = this.scaled.get(id);
    if (known) return known;
    const { features, seed, bias } = state.options;
    const form = { scaling: state.scaling!, map: seededMap(features, seed), bias };
    const columns = columnsOf({ ...form, features: state.features });
    const write = rowWriter(form);
    const rows = new Float64Array(y.length * columns);
    for (let i = 0; i < y.length; i++) write(x, i, rows, i * columns);
    this.scaled.set(id, rows);
    return rows;
  }
}

export function metricOver(name: MetricName, values: ReadonlyMap<string, number>): ObservedRow['metric'] {
  const participants = Object.fromEntries(values);
  const list = [...values.values()];
  if (list.length === 0) return { name, mean: null, worst: null, participants };
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  return { name, mean, worst: list.reduce((a, b) => Math.min(a, b)), participants };
}

function product(rows: Float64Array, at: number, model: Float64Array): number {
  let sum = 0;
  for (let j = 0; j < model.length; j++) sum += rows[at + j] * model[j];
  return sum;
}

export function* jsonLines(rows: Iterable<ObservedRow>): Generator<string> {
  for (const row of rows) yield `${JSON.stringify(row)}\n`;
}

const COUNTS = ['seed', 'atMs', 'round', 'purpose', 'outcome', 'responders', 'active'] as const;
const VALUES = ['bytesUp', 'bytesDown', 'primal', 'dual', 'relativeGap', 'certified'] as const;
const COLUMNS = [...COUNTS, ...VALUES];

/** One line per row, one column per participant at the end; what is not known is empty. */
export function* csvLines(rows: Iterable<ObservedRow>, participants: readonly string[]): Generator<string> {
  const all = [...rows];
  const isPrivate = all.some(({ privacy }) => privacy);
  const isReported = all.some(({ tests }) => tests);
  const names = [
    ...COLUMNS,
    ...(isPrivate ? ['epsilonSpent'] : []),
    ...(isReported ? ['testReports', 'testOwnMean', 'testSharedMean'] : []),
    'metricMean',
    'metricWorst',
    ...participants.map((id) => `metric ${id}`),
  ];
  yield `${names.map(quoted).join(',')}\n`;
  for (const row of all) {
    const { mean, worst, participants: own } = row.metric;
    const metrics = [mean, worst, ...participants.map((id) => own[id])];
    const { tests, privacy } = row;
    const cells = [
      ...COLUMNS.map((name) => row[name]),
      ...(isPrivate ? [privacy?.epsilon] : []),
      ...(isReported ? [tests?.participants, tests?.own.mean, tests?.shared?.mean] : []),
      ...metrics,
    ];
    yield `${cells.map((value) => (Number.isNaN(value) ? '' : (value ?? ''))).join(',')}\n`;
  }
}
