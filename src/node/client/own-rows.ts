/** A participant's rows and the thread that solves for them, from raw rows to answers. */
import { pack } from '../../base/packed.ts';
import type { ClassMapping } from '../../data/labels.ts';
import { featuresOf } from '../../data/participants.ts';
import type { Moments, Scaling } from '../../math/scaling.ts';
import { decide, type Model } from '../../methods/model.ts';
import type { SolveResult } from '../../participant/effects.ts';
import type { FederationSettings } from '../../protocol/messages.ts';
import type { BoxContext } from '../../solver/member.ts';
import { type Metrics, measure } from '../../solver/metrics.ts';
import type { Objective } from '../../solver/problem.ts';
import { type OwnData, type OwnTargets, ownTargets } from './own-data.ts';
import { Solver } from './solver.ts';

export interface OwnRowsEvents {
  ready(moments: Moments, benchmarkMs: number): void;
  prepared(problem: BoxContext): void;
  solved(result: SolveResult): void;
  failed(error: Error): void;
}

export interface OwnRowsOptions {
  readonly positive: string | undefined;
  readonly slowdown: number;
}

export class OwnRows {
  readonly solver: Solver;
  private readonly data: OwnData;
  private readonly positive: string | undefined;
  private readonly events: OwnRowsEvents;
  private readonly targets = new Map<Objective, OwnTargets>();
  /** What the thread has prepared, or is preparing. */
  private asked:
    | { readonly key: Uint8Array; readonly y: Float64Array; readonly settings: FederationSettings }
    | undefined;
  private problem: BoxContext | undefined;

  constructor(data: OwnData, { positive, slowdown }: OwnRowsOptions, events: OwnRowsEvents) {
    this.data = data;
    this.positive = positive;
    this.events = events;
    const { table, split } = data;
    const x = featuresOf(table, split.train);
    const shape = { n: split.train.length, d: table.features.length };
    this.solver = new Solver(
      { x, ...shape, slowdown },
      {
        ready: ({ moments, benchmarkMs }) => events.ready(moments, benchmarkMs),
        prepared: ({ cap }) => this.onPrepared(cap),
        solved: (result) => events.solved(result),
        failed: (error) => events.failed(error),
      },
    );
  }

  /** What +1 and -1 stand for, where the objective has classes; refuses targets that do not fit it. */
  classesFor(objective: Objective): ClassMapping | undefined {
    return this.targetsFor(objective).classes;
  }

  /** Scales the rows, unless they are scaled so already; answered by `prepared` in any case. */
  prepare(settings: FederationSettings, scaling: Scaling): void {
    const key = pack({ settings, scaling });
    if (this.asked && Buffer.compare(this.asked.key, key) === 0) {
      const { problem } = this;
      if (problem) setImmediate(() => this.events.prepared(problem));
      return;
    }
    const { y: all } = this.targetsFor(settings.objective);
    const y = Float64Array.from(this.data.split.train, (i) => all[i]);
    this.asked = { key, y, settings };
    this.problem = undefined;
    this.solver.prepare(settings, scaling, y);
  }

  /** How a model does on the rows kept aside; undefined where there are none. */
  test(model: Model): (Metrics & { readonly rows: number }) | undefined {
    const { table, split } = this.data;
    if (split.test.length === 0) return undefined;
    const { y } = this.targetsFor(model.objective);
    const expected = Float64Array.from(split.test, (i) => y[i]);
    return {
      rows: split.test.length,
      ...measure(model.objective, expected, decide(model, table, split.test)),
    };
  }

  private targetsFor(objective: Objective): OwnTargets {
    const known = this.targets.get(objective) ?? ownTargets(this.data, objective, this.positive);
    this.targets.set(objective, known);
    return known;
  }

  private onPrepared(cap: Float64Array): void {
    const { y, settings } = this.asked!;
    this.problem = { y, cap, settings };
    this.events.prepared(this.problem);
  }
}
