/**
 * A participant's own rows: which of them train, what their targets are, a digest by which they are known again, and the solver that has
 * them. The training rows go to the solver; what stays here are targets and the rows to test on.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { KindredError } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import { sameData } from '../base/same-data.ts';
import { labelsOf, mappingOf } from '../data/agreed-classes.ts';
import { applyMapping, headsOf, headTargets, regressionTargets } from '../data/labels.ts';
import { featuresOf } from '../data/participants.ts';
import { type Split, splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import type { Scaling } from '../math/scaling.ts';
import { scaledTargets, targetMoments, withScaledEpsilon } from '../math/target-scaling.ts';
import type { OwnTargets } from '../participant/state.ts';
import type { Agreement } from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Metrics } from '../solver/metrics.ts';
import { decisionBy, type Model } from '../solver/model.ts';
import { metricsOf, testedRows } from '../solver/model-metrics.ts';
import type { FoldedRows } from '../solver/out-of-fold.ts';
import { type BoxContext, rowWeights } from '../solver/problem.ts';
import { plusScaled } from '../solver/vector.ts';
import { addRow } from './known-rows.ts';
import type { OpenSolver, RowSolver, RowSolverEvents } from './ports.ts';

/** Features of some rows, and which of all they are. */
export interface MeasuredRows {
  readonly x: Float64Array;
  readonly rows: Uint32Array;
}

export interface OwnData {
  readonly features: readonly string[];
  /** To be given away. */
  readonly trainX: Float64Array;
  readonly train: Uint32Array;
  /** Targets of all rows, and where they stand; no features. */
  readonly labels: Pick<Table, 'source' | 'targets' | 'lines'>;
  readonly test: MeasuredRows;
  /** Of the training rows, features and targets. */
  readonly digest: string;
}

/** The split of `train` for the participant that the rows name, where they name one. */
export function splitAsTrain(given: Table, participant: string, testFraction: number, seed: number): Split {
  const table = { ...given, participants: [participant], participantOf: new Uint32Array(given.n) };
  const named = given.participants.length === 1 && given.participants[0] !== '' ? given : table;
  return splitRows(named, { testFraction, seed });
}

/** Of a table with targets. */
export function ownData(table: Table, { train, test: tested }: Split): OwnData {
  const { source, lines, features } = table;
  const targets = table.targets!;
  const trainX = featuresOf(table, train);
  return {
    features,
    trainX,
    train,
    labels: { source, targets, lines },
    test: { x: featuresOf(table, tested), rows: tested },
    digest: digestOf(
      trainX,
      Array.from(train, (i) => targets[i]),
    ),
  };
}

function digestOf(x: Float64Array, targets: readonly string[]): string {
  const hash = sha256.create();
  for (const i of targets.keys()) addRow(hash, x, targets, i);
  return bytesToHex(hash.digest());
}

/** What is known of the targets before the federation says what is learnt from them. Labels of all rows: those to test on are told apart, too. */
export function ownTargets(
  { labels, train }: Pick<OwnData, 'labels' | 'train'>,
  positive: string | undefined,
): OwnTargets {
  const found = labelsOf(labels.targets!);
  const { maxLabels, maxIdBytes } = DEFAULT_LIMITS;
  const areClasses =
    found.length <= maxLabels && found.every((label) => utf8ToBytes(label).length <= maxIdBytes);
  return { labels: areClasses ? found : undefined, positive, values: ownValues(labels, train) };
}

function ownValues(labels: OwnData['labels'], train: Uint32Array): OwnTargets['values'] {
  try {
    const { mean, m2 } = targetMoments(regressionTargets(labels), train);
    return { mean: mean[0], m2: m2[0] };
  } catch (error) {
    if (!(error instanceof KindredError)) throw error;
    return error.message;
  }
}

interface OwnRowsEvents extends Omit<RowSolverEvents, 'prepared'> {
  prepared(problem: BoxContext): void;
}

interface OwnRowsOptions {
  /** Whether the training rows are kept here, too, for `keptRows`. */
  readonly keep?: boolean | undefined;
  readonly slowdown: number;
  readonly open: OpenSolver;
  readonly clock: Clock;
}

/** What a participant's own calibration needs (own-calibration.ts). */
export interface KeptRows {
  readonly rows: FoldedRows;
  readonly settings: FederationSettings;
}

export class OwnRows {
  readonly solver: RowSolver;
  private readonly data: Omit<OwnData, 'trainX'>;
  private readonly kept: Float64Array | undefined;
  private readonly options: OwnRowsOptions;
  private readonly events: OwnRowsEvents;
  /** What the solver has prepared, or is preparing. */
  private asked:
    | {
        readonly y: Float64Array;
        readonly settings: FederationSettings;
        readonly scaling: Scaling;
        readonly agreement: Agreement;
      }
    | undefined;
  private problem: BoxContext | undefined;

  constructor({ trainX: x, ...data }: OwnData, options: OwnRowsOptions, events: OwnRowsEvents) {
    this.data = data;
    this.kept = options.keep ? x.slice() : undefined;
    this.options = options;
    this.events = events;
    const shape = { n: data.train.length, d: data.features.length };
    this.solver = options.open(
      { x, ...shape, slowdown: options.slowdown },
      {
        ...events,
        prepared: (cap) => {
          const { y, settings } = this.asked!;
          this.problem = { y, cap, settings: withScaledEpsilon(settings, this.asked!.agreement.target) };
          events.prepared(this.problem);
        },
      },
    );
  }

  /** Scales rows and targets, unless they are scaled so already; answered by `prepared` in any case. Refuses targets that do not fit. */
  prepare(settings: FederationSettings, scaling: Scaling, agreement: Agreement): void {
    const { clock } = this.options;
    const { problem, asked } = this;
    if (asked && sameData([asked.settings, asked.scaling, asked.agreement], [settings, scaling, agreement])) {
      if (problem) clock.at(clock.now(), () => this.events.prepared(problem));
      return;
    }
    const { classes, target } = agreement;
    const mapping = classes && mappingOf(classes);
    const all = scaledTargets(this.targetsBy(mapping), target);
    const own = Float64Array.from(this.data.train, (i) => all[i]);
    const y = headTargets(own, headsOf(mapping));
    this.asked = { y, settings, scaling, agreement };
    this.problem = undefined;
    this.solver.prepare(withScaledEpsilon(settings, target), scaling, y);
  }

  /** The training rows as they are scaled; undefined: they were not to be kept, or there is no scaling yet. */
  keptRows(id: string): KeptRows | undefined {
    const { kept: x, asked } = this;
    if (!x || !asked) return undefined;
    const { settings, scaling, y } = asked;
    const n = this.data.train.length;
    const table = { x, index: Uint32Array.from({ length: n }, (_, i) => i), scaling };
    const d = this.data.features.length + (settings.bias ? 1 : 0);
    return { rows: { id, n, d, table, y, weights: rowWeights(settings, y, n) }, settings };
  }

  /** Whether rows are kept aside to test on. */
  get isTested(): boolean {
    return this.data.test.rows.length > 0;
  }

  /** How a model does on some rows, or on those kept aside; undefined where there are none. */
  measure(
    model: Model,
    { x, rows }: MeasuredRows = this.data.test,
  ): (Metrics & { readonly rows: number }) | undefined {
    if (rows.length === 0) return undefined;
    const y = this.targetsBy(model.classes);
    const expected = Float64Array.from(rows, (i) => y[i]);
    const [v] = model.personal.values();
    const z = plusScaled(model.w, 1, v);
    const heads = headsOf(model.classes);
    const decision = decisionBy(model, x);
    const decisions = new Float64Array(heads * rows.length);
    for (let i = 0; i < rows.length; i++) decision(z, i, decisions, i * heads);
    const [id] = model.personal.keys();
    return { rows: rows.length, ...metricsOf(model, testedRows(model, { id, y: expected, decisions })) };
  }

  /** Of all rows: -1 and +1, numbers of many classes, or values. */
  private targetsBy(classes: Model['classes']): Float64Array {
    const { labels } = this.data;
    return classes ? applyMapping(labels, classes) : regressionTargets(labels);
  }
}
