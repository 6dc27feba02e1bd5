/** Tuning with its chains spread over worker threads, each stored as soon as it is done. */
import { availableParallelism } from 'node:os';
import type { JobRunner } from '../../base/job-runner.ts';
import type { Table } from '../../data/table.ts';
import { type Chain, ChainSolver, type TuneWork } from '../../methods/tune/chain.ts';
import { mapFrom } from '../../methods/tune/grid.ts';
import { search } from '../../methods/tune/search.ts';
import type { TuneContext, TuneOptions, TunePlan, TuneResult } from '../../methods/tune.ts';
import { planTuning, TuneProgress, tuneResult } from '../../methods/tune.ts';
import { type CachePlace, ChainCache } from './chain-cache.ts';
import { inSharedMemory, newThreads, spread, type Thread } from './threads.ts';

/** What is done sooner than this is done sooner than threads start. */
const PAYS_FROM_MS = 1000;

interface TuningPoolContext extends TuneContext {
  /** Where finished chains are stored; default: nowhere. */
  readonly cache?: CachePlace | undefined;
  /** Who does the chains, of this work; default: threads of this process. */
  readonly runnerFor?: ((work: TuneWork) => JobRunner<Chain, Float64Array[]>) | undefined;
  /** Called before the first training: how long one is guessed to take, in milliseconds, and by how many threads they are done. */
  readonly onStart?: (trainingMs: number, threads: number) => void;
}

/** On at most so many threads, by default one for each core where that pays. */
export async function tuneOnThreads(
  threads: number | undefined,
  table: Table,
  options: TuneOptions = {},
  { cache: place, onStart, runnerFor, ...context }: TuningPoolContext = {},
): Promise<TuneResult> {
  const plan = planTuning(table, options);
  const progress = new TuneProgress(context);
  const trainingMs = guessedMs(plan);
  const pays = trainingMs * plan.search.candidates.length * 2 >= PAYS_FROM_MS;
  const most = threads ?? (pays ? availableParallelism() : 1);
  onStart?.(trainingMs, most);
  const cache = place && (await ChainCache.open(place, table, plan));
  const runner =
    (runnerFor && counted(runnerFor(plan.work), progress.solved)) ??
    (most > 1 ? new Workers(plan.work, most, progress.solved) : new ThisThread(plan.work, progress.solved));
  try {
    const result = await run(plan, runner, cache, progress);
    await cache?.complete();
    return result;
  } finally {
    await runner.end();
  }
}

async function run(
  plan: TunePlan,
  runner: JobRunner<Chain, Float64Array[]>,
  cache: ChainCache | undefined,
  progress: TuneProgress,
): Promise<TuneResult> {
  const searching = search(plan.search);
  let step = searching.next([]);
  while (!step.done) {
    const { chains, expected } = step.value;
    progress.expect(expected);
    const known = await Promise.all(chains.map((chain) => cache?.stored(chain)));
    for (const [i, chain] of chains.entries()) if (known[i]) for (const _ of chain.points) progress.solved();
    const open = chains.filter((_, i) => !known[i]);
    const storing: (Promise<void> | undefined)[] = [];
    const store = (decisions: Float64Array[], i: number) => storing.push(cache?.store(open[i], decisions));
    // What is done is stored, whatever happens to the rest.
    const done = await runner.run(open, store).finally(() => Promise.all(storing));
    step = searching.next(chains.map((chain, i) => known[i] ?? done[open.indexOf(chain)]));
  }
  return tuneResult(plan, step.value);
}

type OnDecided = (decisions: Float64Array[], place: number) => void;

/** Whoever does chains elsewhere says when one is done, not each training. */
function counted(runner: JobRunner<Chain, Float64Array[]>, onSolved: () => void): typeof runner {
  return {
    run: (chains, onDecided) =>
      runner.run(chains, (decisions, i) => {
        for (const _ of chains[i].points) onSolved();
        onDecided(decisions, i);
      }),
    end: () => runner.end(),
  };
}

class ThisThread implements JobRunner<Chain, Float64Array[]> {
  private readonly solver: ChainSolver;
  private readonly onSolved: () => void;

  constructor(work: TuneWork, onSolved: () => void) {
    this.solver = new ChainSolver(work);
    this.onSolved = onSolved;
  }

  async run(chains: readonly Chain[], onDecided: OnDecided): Promise<Float64Array[][]> {
    const results: Float64Array[][] = [];
    for (const [i, chain] of chains.entries()) {
      results.push(this.solver.decide(chain, this.onSolved));
      onDecided(results[i], i);
      // Whoever shows progress, or is interrupted, has its turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    return results;
  }

  end(): void {
    this.solver.release();
  }
}

class Workers implements JobRunner<Chain, Float64Array[]> {
  private readonly threads: readonly Thread<Chain, 'solved', Float64Array[]>[];

  constructor(work: TuneWork, count: number, onSolved: () => void) {
    this.threads = newThreads('threads/tuning-worker', inThreads(work), count, onSolved);
  }

  run(chains: readonly Chain[], onDecided: OnDecided): Promise<Float64Array[][]> {
    return spread(this.threads, chains, onDecided);
  }

  async end(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.end()));
  }
}

/** With its rows in shared memory. */
export function inThreads({ prepared, ...rest }: TuneWork): TuneWork {
  const { table } = prepared;
  return { ...rest, prepared: { ...prepared, table: { ...table, x: inSharedMemory(table.x) } } };
}

/** Of one training, from two measurements (docs/decisions.md): so much for each participant and for each value. */
const PARTICIPANT_MS = 0.5;
const VALUE_MS = 2e-4;

function guessedMs({ work: { prepared }, search: { grid } }: TunePlan): number {
  const { table, split } = prepared;
  const columns = Math.max(...grid.features.map((one) => mapFrom(one)?.count ?? table.features.length));
  return PARTICIPANT_MS * table.participants.length + VALUE_MS * split.train.length * columns;
}
