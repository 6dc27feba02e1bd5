/**
 * A tuning's work in one piece: some points of the grid, of the same features under one scaling and one class weight, trained on one fold's training rows and
 * applied to its held-out rows. Chains are independent of each other: who does them, and when, changes nothing.
 *
 * Along C1 (rising) every training starts from the solution of the one before, and the first of a C2 from that of the C2
 * before. Duals are taken as they are: letting them rise with C1 makes a worse start than none (docs/decisions.md).
 */

import type { Split } from '../../data/split.ts';
import { Arena } from '../../math/arena.ts';
import { withScaledEpsilon } from '../../math/target-scaling.ts';
import { textOfMap } from '../../settings/feature-map.ts';
import { decide } from '../../solver/model.ts';
import type { MethodResult, WarmStart } from '../method.ts';
import type { ResolvedOptions } from '../options.ts';
import { type Placed, type Prepared, tasksOf } from '../prepare.ts';
import { assembleModel, METHOD } from '../train.ts';
import { Workspace } from '../workspace.ts';
import { type Candidate, mapFrom } from './grid.ts';

/** What all chains of a tuning have in common. Plain data: chains may be done by other threads. */
export interface TuneWork {
  readonly prepared: Prepared;
  readonly options: ResolvedOptions;
  readonly splits: readonly Split[];
}

/** How long a training may take. */
export type Effort = Pick<ResolvedOptions, 'gap' | 'rounds'>;

export interface Chain extends Pick<Candidate, 'scale' | 'features' | 'classWeight'> {
  /** By number. */
  readonly fold: number;
  readonly effort: Effort;
  readonly points: readonly Pick<Candidate, 'c1' | 'c2' | 'lambda' | 'epsilon'>[];
}

/** Does chains one after another. Rows and Gram matrices are kept as long as the next chain needs the same. */
export class ChainSolver {
  private readonly work: TuneWork;
  private held: { readonly of: string; readonly placed: Placed; readonly workspace: Workspace } | undefined;

  constructor(work: TuneWork) {
    this.work = work;
  }

  /** Decisions on the fold's held-out rows, for each point. `onSolved` is called after every training. */
  decide(chain: Chain, onSolved: () => void): Float64Array[] {
    const { prepared, options: given, splits } = this.work;
    const { scale, features, classWeight, fold, effort, points } = chain;
    const options = { ...given, ...effort, scale, features: mapFrom(features), classWeight };
    const { placed, workspace } = this.hold(options, fold);
    const starts = new Starts();
    return points.map((point) => {
      const settings = withScaledEpsilon({ ...options, ...point }, placed.target);
      const result = METHOD[options.method]({ workspace, settings, warmStart: starts.near(point) });
      starts.solved(point, result);
      const model = assembleModel(prepared, options, placed, result);
      onSolved();
      return decide(model, prepared.table, splits[fold].test);
    });
  }

  release(): void {
    this.held?.workspace.release();
    this.held = undefined;
  }

  private hold(options: ResolvedOptions, fold: number) {
    const of = `${textOfMap(options.features)} ${options.scale} ${options.classWeight} ${fold}`;
    if (this.held?.of === of) return this.held;
    this.release();
    const placed = tasksOf(this.work.prepared, this.work.splits[fold].train, options);
    this.held = { of, placed, workspace: new Workspace(new Arena(), placed.tasks, placed.columns) };
    return this.held;
  }
}

/** Solutions to start from, of points in the order of C1 rising fastest. */
class Starts {
  private before: { readonly c1: number; readonly start: WarmStart } | undefined;
  /** Of the first point of the C2 before. */
  private first: WarmStart | undefined;

  near({ c1 }: Pick<Candidate, 'c1'>): WarmStart | undefined {
    return this.before && c1 > this.before.c1 ? this.before.start : this.first;
  }

  /** Methods without duals leave nothing to start from. */
  solved({ c1 }: Pick<Candidate, 'c1'>, { w, duals }: MethodResult): void {
    if (!duals) return;
    const start = { w, duals };
    if (!this.before || c1 <= this.before.c1) this.first = start;
    this.before = { c1, start };
  }
}
