/**
 * Training with the participants spread over worker threads. Each thread holds the rows of its participants; this one asks
 * (methods/questions.ts) and does what a coordinator does. Replies are put in the order of participants before anything is
 * added, so the result is that of one thread, to the bit.
 */
import { availableParallelism } from 'node:os';
import { classificationTargets, headsOf } from '../../data/labels.ts';
import type { Table } from '../../data/table.ts';
import { type ResolvedOptions, resolveOptions } from '../../methods/options.ts';
import { columnsIn, type PlacedRows } from '../../methods/prepare.ts';
import type { Answerers, Asked } from '../../methods/questions.ts';
import {
  askingMethodOf,
  type TrainContext,
  type TrainResult,
  train,
  trainWith,
} from '../../methods/train.ts';
import type { TrainOptions } from '../../settings/training.ts';
import type { ProblemSettings } from '../../solver/problem.ts';
import { type SolveForm, solveForms } from '../../solver/shard.ts';
import { inSharedMemory, Thread } from './threads.ts';

/** What a thread is given to hold: some participants, whom it knows by their place among them. */
export interface HeldRows {
  readonly rows: PlacedRows;
  readonly forms: readonly SolveForm[];
  readonly problem: ProblemSettings;
}

export type ToAnswerer = HeldRows | Asked;

/** Fewer values (rows x columns x heads) are trained sooner than threads start: see "Threads" in docs/architecture.md. */
const PAYS_FROM = 10e6;

/** On at most so many threads, by default one for each core where that pays; methods that cannot ask train on this one. */
export async function trainOnThreads(
  threads: number | undefined,
  table: Table,
  options: TrainOptions = {},
  context: TrainContext = {},
): Promise<TrainResult> {
  const resolved = resolveOptions(options, table);
  const columns = resolved.features?.count ?? table.features.length;
  const work = table.n * columns * headsIn(table, resolved);
  const wanted = threads ?? (work < PAYS_FROM ? 1 : availableParallelism());
  const most = Math.min(wanted, table.participants.length);
  if (most <= 1 || !askingMethodOf(resolved)) return train(table, options, context);
  return trainWith(new AnsweringThreads(most), table, options, context);
}

function headsIn(table: Table, { objective, positive }: ResolvedOptions): number {
  return objective === 'regression' ? 1 : headsOf(classificationTargets(table, { positive }).classes);
}

class AnsweringThreads implements Answerers {
  private readonly threads: readonly Thread<ToAnswerer, never, readonly unknown[]>[];
  /** Participant to its thread and its place there. */
  private seats: readonly { readonly thread: number; readonly place: number }[] = [];

  /** Threads start while rows are still being prepared. */
  constructor(threads: number) {
    this.threads = Array.from({ length: threads }, () => new Thread('threads/training-worker', undefined));
  }

  async hold(rows: PlacedRows, problem: ProblemSettings): Promise<void> {
    const n = rows.own.map((own) => own.n);
    const d = columnsIn(rows);
    const forms = solveForms(n, d);
    const x = inSharedMemory(rows.x);
    const shares = sharesOf(n, d, this.threads.length);
    this.seats = n.map((_, k) => {
      const thread = shares.findIndex((members) => members.includes(k));
      return { thread, place: shares[thread].indexOf(k) };
    });
    await Promise.all(
      shares.map((members, t) =>
        this.threads[t].ask({
          rows: { ...rows, x, own: members.map((k) => rows.own[k]) },
          forms: members.map((k) => forms[k]),
          problem,
        }),
      ),
    );
  }

  async ask({ kind, members, questions }: Asked): Promise<readonly unknown[]> {
    const replies: unknown[] = new Array(members.length);
    await Promise.all(
      this.threads.map(async (thread, t) => {
        const asked = [...members.keys()].filter((i) => this.seats[members[i]].thread === t);
        if (asked.length === 0) return;
        const own = await thread.ask({
          kind,
          members: asked.map((i) => this.seats[members[i]].place),
          questions: asked.map((i) => questions[i]),
        });
        for (const [at, i] of asked.entries()) replies[i] = own[at];
      }),
    );
    return replies;
  }

  async release(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.end()));
  }
}

/** Who is held by which thread: the largest first, each where there is least to do so far. */
function sharesOf(n: readonly number[], d: number, threads: number): number[][] {
  const all = Array.from({ length: threads }, () => ({ work: 0, members: [] as number[] }));
  for (const k of [...n.keys()].sort((a, b) => n[b] - n[a] || a - b)) {
    const least = all.reduce((best, one) => (one.work < best.work ? one : best));
    least.members.push(k);
    least.work += n[k] * (n[k] + d);
  }
  return all.map(({ members }) => members);
}
