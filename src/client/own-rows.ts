/**
 * A participant's own rows: which of them train, what their targets are, a digest by which they are known again, and the solver that has
 * them. The training rows go to the solver; what stays here are targets and the rows to test on.
 */

import { utf8Bytes } from '../base/bytes.ts';
import { KindredError } from '../base/errors.ts';
import type { Clock } from '../base/ports.ts';
import { sameData } from '../base/same-data.ts';
import { hexOf, Sha256 } from '../base/sha256.ts';
import { labelsOf, mappingOf } from '../data/agreed-classes.ts';
import { type ColumnSummary, isPlain, summarise } from '../data/column-summary.ts';
import { encodedRows, type PlacedCode, placedNamed } from '../data/encoding.ts';
import { applyMapping, headsOf, headTargets, regressionTargets } from '../data/labels.ts';
import { checkColumns } from '../data/learn-encoding.ts';
import { featuresOf } from '../data/participants.ts';
import { type Split, splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import { meanOneWeights, weightedRows } from '../data/weights.ts';
import type { Scaling } from '../math/scaling.ts';
import { scaledTargets, targetMoments, withScaledEpsilon } from '../math/target-scaling.ts';
import type { SolveRequest, SolveResult } from '../participant/effects.ts';
import type { OwnTargets } from '../participant/state.ts';
import { TestedRows } from '../participant/tested-rows.ts';
import type { Agreement } from '../protocol/agreement.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { TestReport } from '../protocol/test-reports.ts';
import { columnsOf, seededMap } from '../settings/feature-map.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Sigmoids } from '../solver/calibration.ts';
import type { Metrics } from '../solver/metrics.ts';
import { decisionBy, type Model } from '../solver/model.ts';
import { metricsOf, testedRows } from '../solver/model-metrics.ts';
import { type BoxContext, rowWeights } from '../solver/problem.ts';
import { plusScaled } from '../solver/vector.ts';
import { codesFor, fillingCodes } from './column-codes.ts';
import { addRow } from './known-rows.ts';
import type { KeptRows } from './own-calibration.ts';
import type { OpenSolver, RowSolver, RowSolverEvents, StateStore } from './ports.ts';

/** Features of some rows, and which of all they are. */
export interface MeasuredRows {
  readonly x: Float64Array;
  readonly rows: Uint32Array;
}

export interface OwnData extends Pick<Table, 'features' | 'levels'> {
  /** To be given away. */
  readonly trainX: Float64Array;
  /** Of the training rows, with a mean of 1; undefined: all weigh the same. */
  readonly weights: Float64Array | undefined;
  /** Of the training rows, where there is text or something is missing. */
  readonly columns: readonly ColumnSummary[] | undefined;
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
  const { train, test } = splitRows(named, { testFraction, seed });
  return { train: weightedRows(given, train), test };
}

/** Of a table with targets. */
export function ownData(table: Table, { train, test: tested }: Split): OwnData {
  const { source, lines, features, levels, targets } = table;
  const columns = isPlain(table) ? undefined : summarise(table, features.length, train);
  if (columns) checkColumns(table, columns);
  return {
    ...{ features, levels, train, columns },
    trainX: featuresOf(table, train),
    weights: meanOneWeights(table, train, table.participants[table.participantOf[0]]),
    labels: { source, targets, lines },
    test: { x: featuresOf(table, tested), rows: tested },
    digest: digestOf(table, train),
  };
}

function digestOf(table: Table, rows: Uint32Array): string {
  const hash = new Sha256();
  for (const i of rows) addRow(hash, table, i);
  return hexOf(hash.digest());
}

/** What is known of the targets before the federation says what is learnt from them. Labels of all rows: those to test on are told apart, too. */
export function ownTargets(
  { labels, train }: Pick<OwnData, 'labels' | 'train'>,
  positive: string | undefined,
): OwnTargets {
  const found = labelsOf(labels.targets!);
  const { maxLabels, maxIdBytes } = DEFAULT_LIMITS;
  const areClasses =
    found.length <= maxLabels && found.every((label) => utf8Bytes(label).length <= maxIdBytes);
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
  /** Whether the training rows are kept here, too, for `calibrate`. */
  readonly keep?: boolean | undefined;
  readonly slowdown: number;
  readonly open: OpenSolver;
  readonly clock: Clock;
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
  /** Test rows as they were last scaled; made when they are first asked for. */
  private tested: TestedRows | undefined;

  constructor({ trainX: x, ...data }: OwnData, options: OwnRowsOptions, events: OwnRowsEvents) {
    this.data = data;
    this.kept = options.keep ? x.slice() : undefined;
    this.options = options;
    this.events = events;
    const { train, features, levels, weights } = data;
    const shape = { n: train.length, d: features.length };
    this.solver = options.open(
      { x, ...shape, slowdown: options.slowdown, ...(levels && { levels }), ...(weights && { weights }) },
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
    this.tested = undefined;
    this.solver.prepare(
      withScaledEpsilon(settings, target),
      scaling,
      y,
      codesFor(this.data, settings, agreement, scaling),
    );
  }

  /** Stores sigmoids for the model that a participant has; undefined: rows were not to be kept for it, or there are none for such a model. */
  async calibrate(store: StateStore): Promise<Sigmoids | undefined> {
    const kept = this.keptRows(store.file.participant);
    if (!kept) return undefined;
    const { storeCalibration } = await import('./own-calibration.ts');
    return storeCalibration(store, kept);
  }

  /** The training rows as they are scaled; undefined: they were not to be kept, or there is no scaling yet. */
  private keptRows(id: string): KeptRows | undefined {
    const { kept: x, asked } = this;
    if (!x || !asked) return undefined;
    const { settings, scaling, agreement, y } = asked;
    const { train, weights } = this.data;
    const n = train.length;
    const map = seededMap(settings.map, settings.seed);
    const features = this.encoded(x, n, codesFor(this.data, settings, agreement, scaling));
    const table = { x: features, index: Uint32Array.from({ length: n }, (_, i) => i), scaling, map };
    const d = columnsOf({ ...settings, features: features.length / n });
    return { rows: { id, n, d, table, y, weights: rowWeights(settings, y, n, weights) }, settings };
  }

  /** How good the models of an answer are on the rows kept aside; undefined where there are none. */
  report(request: SolveRequest, result: SolveResult): TestReport | undefined {
    if (!this.isTested || !this.asked) return undefined;
    this.tested ??= this.testedRows(this.asked);
    return this.tested.report(request, result);
  }

  private testedRows(agreed: NonNullable<typeof this.asked>): TestedRows {
    const { settings, scaling, agreement } = agreed;
    const { x, rows } = this.data.test;
    const all = this.targetsBy(agreement.classes && mappingOf(agreement.classes));
    const codes = codesFor(this.data, settings, agreement, scaling) ?? fillingCodes(x, scaling);
    const y = Float64Array.from(rows, (i) => all[i]);
    return new TestedRows({ x: this.encoded(x, rows.length, codes), y }, agreed);
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
    const codes = model.encoding
      ? placedNamed(model.encoding, this.data.features)
      : fillingCodes(x, model.scaling);
    const decision = decisionBy(model, this.encoded(x, rows.length, codes));
    const decisions = new Float64Array(heads * rows.length);
    for (let i = 0; i < rows.length; i++) decision(z, i, decisions, i * heads);
    const [id] = model.personal.keys();
    return { rows: rows.length, ...metricsOf(model, testedRows(model, { id, y: expected, decisions })) };
  }

  /** Features of n rows. */
  private encoded(x: Float64Array, n: number, codes: readonly PlacedCode[] | undefined): Float64Array {
    const { levels, labels } = this.data;
    return codes ? encodedRows({ source: labels.source, n, x, levels }, codes) : x;
  }

  /** Of all rows: -1 and +1, numbers of many classes, or values. */
  private targetsBy(classes: Model['classes']): Float64Array {
    const { labels } = this.data;
    return classes ? applyMapping(labels, classes) : regressionTargets(labels);
  }
}
