/**
 * A participant's own rows: which of them train, what their targets are, a digest by which they are known again, and the solver that has
 * them. The training rows go to the solver; what stays here are targets and the rows to test on.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Clock } from '../base/ports.ts';
import { sameData } from '../base/same-data.ts';
import { type ClassMapping, ownClassificationTargets, regressionTargets } from '../data/labels.ts';
import { featuresOf } from '../data/participants.ts';
import { type Split, splitRows } from '../data/split.ts';
import type { Table } from '../data/table.ts';
import type { Scaling } from '../math/scaling.ts';
import type { Objective } from '../settings/losses.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { type Metrics, measure } from '../solver/metrics.ts';
import { decisionBy, type Model } from '../solver/model.ts';
import type { BoxContext } from '../solver/problem.ts';
import { plusScaled } from '../solver/vector.ts';
import { addRow } from './known-rows.ts';
import type { OpenSolver, RowSolver, RowSolverEvents } from './ports.ts';

export interface OwnData {
  readonly features: readonly string[];
  /** To be given away. */
  readonly trainX: Float64Array;
  readonly train: Uint32Array;
  /** Targets of all rows, and where they stand; no features. */
  readonly labels: Pick<Table, 'source' | 'targets' | 'lines'>;
  /** Features of the rows to test on, and which of all they are. */
  readonly testX: Float64Array;
  readonly tested: Uint32Array;
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
    testX: featuresOf(table, tested),
    tested,
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

interface Targets {
  /** Of all rows: -1 and +1, or values. */
  readonly y: Float64Array;
  /** Undefined for regression. */
  readonly classes: ClassMapping | undefined;
}

interface OwnRowsEvents extends Omit<RowSolverEvents, 'prepared'> {
  prepared(problem: BoxContext): void;
}

interface OwnRowsOptions {
  readonly positive: string | undefined;
  readonly slowdown: number;
  readonly open: OpenSolver;
  readonly clock: Clock;
}

export class OwnRows {
  readonly solver: RowSolver;
  private readonly data: Omit<OwnData, 'trainX'>;
  private readonly options: OwnRowsOptions;
  private readonly events: OwnRowsEvents;
  private readonly targets = new Map<Objective, Targets>();
  /** What the solver has prepared, or is preparing. */
  private asked:
    | { readonly y: Float64Array; readonly settings: FederationSettings; readonly scaling: Scaling }
    | undefined;
  private problem: BoxContext | undefined;

  constructor({ trainX: x, ...data }: OwnData, options: OwnRowsOptions, events: OwnRowsEvents) {
    this.data = data;
    this.options = options;
    this.events = events;
    const shape = { n: data.train.length, d: data.features.length };
    this.solver = options.open(
      { x, ...shape, slowdown: options.slowdown },
      {
        ...events,
        prepared: (cap) => {
          const { y, settings } = this.asked!;
          this.problem = { y, cap, settings };
          events.prepared(this.problem);
        },
      },
    );
  }

  /** What +1 and -1 stand for, where the objective has classes; refuses targets that do not fit it. */
  classesFor(objective: Objective): ClassMapping | undefined {
    return this.targetsFor(objective).classes;
  }

  /** Scales the rows, unless they are scaled so already; answered by `prepared` in any case. */
  prepare(settings: FederationSettings, scaling: Scaling): void {
    const { clock } = this.options;
    const { problem, asked } = this;
    if (asked && sameData([asked.settings, asked.scaling], [settings, scaling])) {
      if (problem) clock.at(clock.now(), () => this.events.prepared(problem));
      return;
    }
    const { y: all } = this.targetsFor(settings.objective);
    const y = Float64Array.from(this.data.train, (i) => all[i]);
    this.asked = { y, settings, scaling };
    this.problem = undefined;
    this.solver.prepare(settings, scaling, y);
  }

  /** How a model does on the rows kept aside; undefined where there are none. */
  measure(model: Model): (Metrics & { readonly rows: number }) | undefined {
    const { testX, tested } = this.data;
    if (tested.length === 0) return undefined;
    const { y } = this.targetsFor(model.objective);
    const expected = Float64Array.from(tested, (i) => y[i]);
    const [v] = model.personal.values();
    const z = plusScaled(model.w, 1, v);
    const decision = decisionBy(model, testX);
    const decisions = Float64Array.from(tested, (_, i) => decision(z, i));
    return { rows: tested.length, ...measure(model.objective, expected, decisions) };
  }

  private targetsFor(objective: Objective): Targets {
    const known = this.targets.get(objective) ?? this.readTargets(objective);
    this.targets.set(objective, known);
    return known;
  }

  private readTargets(objective: Objective): Targets {
    const { labels } = this.data;
    if (objective === 'regression') return { y: regressionTargets(labels), classes: undefined };
    const { positive } = this.options;
    const { y, ...classes } = ownClassificationTargets(labels, { positive });
    return { y, classes: { positive: classes.positive, negative: classes.negative } };
  }
}
