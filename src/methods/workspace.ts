/**
 * The rows of all tasks in kernel memory, for as many trainings as one likes: rows and Gram matrices do not depend on
 * C1 and C2, so a search over them builds them once. Two arrangements, made when first asked for: a shard for each task,
 * or one shard with everybody's rows (the global model).
 */
import type { Arena } from '../math/arena.ts';
import type { ProblemSettings } from '../solver/problem.ts';
import { Shard, type SolveForm, solveForms } from '../solver/shard.ts';
import type { TableRows } from '../solver/table-rows.ts';
import { concatenate } from '../solver/vector.ts';

/** One participant's training rows as the methods see them. */
export interface Task {
  readonly id: string;
  readonly n: number;
  readonly table: TableRows;
  /** A block of n for each head. */
  readonly y: Float64Array;
  /** c_ik, likewise; undefined: 1. */
  readonly weights: Float64Array | undefined;
}

export class Workspace {
  readonly tasks: readonly Task[];
  /** Length of vectors: the columns of all heads. */
  readonly d: number;
  readonly heads: number;
  private readonly columns: number;
  private readonly arena: Arena;
  private eachShard: Shard[] | undefined;
  private pooledShard: Shard | undefined;

  /** `columns` with the bias. */
  constructor(arena: Arena, tasks: readonly Task[], columns: number) {
    this.arena = arena;
    this.tasks = tasks;
    this.columns = columns;
    this.heads = headsIn(tasks[0]);
    this.d = this.heads * columns;
  }

  /** One shard per task, set to these settings. */
  each(settings: ProblemSettings): readonly Shard[] {
    if (!this.eachShard) {
      const forms = solveForms(
        this.tasks.map(({ n }) => n),
        this.columns,
      );
      this.eachShard = this.tasks.map((task, k) => this.shardOf(settings, task, forms[k]));
    } else {
      for (const shard of this.eachShard) shard.retarget(settings);
    }
    return this.eachShard;
  }

  pooled(settings: ProblemSettings): Shard {
    if (!this.pooledShard) this.pooledShard = this.shardOf(settings, pool(this.tasks), 'auto');
    else this.pooledShard.retarget(settings);
    return this.pooledShard;
  }

  release(): void {
    for (const shard of this.eachShard ?? []) shard.release();
    this.pooledShard?.release();
    this.eachShard = undefined;
    this.pooledShard = undefined;
  }

  private shardOf(settings: ProblemSettings, task: Task, form: SolveForm): Shard {
    return new Shard(this.arena, settings, { ...task, d: this.columns }, form);
  }
}

function pool(tasks: readonly Task[]): Task {
  const index = new Uint32Array(tasks.reduce((sum, task) => sum + task.n, 0));
  let at = 0;
  for (const { n, table } of tasks) {
    index.set(table.index, at);
    at += n;
  }
  const weighted = tasks.some((task) => task.weights);
  return {
    id: 'all',
    n: index.length,
    // All tasks are of one table, scaled alike.
    table: { ...tasks[0].table, index },
    y: pooledBlocks(tasks, ({ y }) => y),
    weights: weighted
      ? pooledBlocks(tasks, ({ weights, y }) => weights ?? new Float64Array(y.length).fill(1))
      : undefined,
  };
}

function headsIn({ n, y }: TaskRows): number {
  return y.length / n;
}

type TaskRows = Pick<Task, 'n' | 'y'>;

/** What all tasks have for each of their rows in each head, as one task with all rows has it. */
export function pooledBlocks<T extends TaskRows>(
  tasks: readonly T[],
  of: (task: T, k: number) => Float64Array,
): Float64Array {
  const blocks = Array.from({ length: headsIn(tasks[0]) }, (_, head) =>
    tasks.map((task, k) => of(task, k).subarray(head * task.n, (head + 1) * task.n)),
  );
  return concatenate(blocks.flat());
}

/** The other way round. */
export function blocksOfTasks(tasks: readonly TaskRows[], pooled: Float64Array): Float64Array[] {
  const rows = tasks.reduce((sum, { n }) => sum + n, 0);
  let first = 0;
  return tasks.map((task) => {
    const from = first;
    first += task.n;
    const blocks = Array.from({ length: headsIn(task) }, (_, head) =>
      pooled.subarray(head * rows + from, head * rows + from + task.n),
    );
    return concatenate(blocks);
  });
}
