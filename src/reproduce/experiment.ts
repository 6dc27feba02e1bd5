/**
 * An experiment: which constants it needs, which jobs it consists of once they are known, and what its results show. Pure
 * all the way: whoever runs it decides where and in which order the jobs are done.
 *
 *   tunings -> (run) -> constants -> jobs -> (run) -> results -> findings -> figures, tables, verdicts
 *
 * Jobs come in whatever nesting of objects and lists suits the experiment; results come back in the same nesting.
 */
import type { Figure } from '../charts/figure.ts';
import type { Constants, Job, ResultOf, TuneJob } from './jobs.ts';
import type { Profile } from './profile.ts';
import type { Table } from './report/report.ts';

export type JobTree = Job | readonly JobTree[] | { readonly [name: string]: JobTree };

/** The results of a tree of jobs, in the same places. */
export type Results<J> = J extends { readonly kind: infer K extends keyof ResultOf }
  ? ResultOf[K]
  : J extends readonly (infer E)[]
    ? readonly Results<E>[]
    : { readonly [P in keyof J]: Results<J[P]> };

type TuningTree = { readonly [name: string]: readonly TuneJob[] };
/** Constants of every tuning, one for each repeat. */
type ConstantsOf<T extends TuningTree> = { readonly [P in keyof T]: readonly Constants[] };

/** What an experiment shows. `findings` are plain numbers, from which claims are decided. */
interface Outcome<F> {
  readonly text: readonly string[];
  readonly figures: readonly Figure[];
  readonly tables: readonly Table[];
  readonly findings: F;
}

export interface Experiment<T extends TuningTree = TuningTree, J extends JobTree = JobTree, F = unknown> {
  readonly title: string;
  readonly paper: string;
  tunings(profile: Profile): T;
  jobs(profile: Profile, constants: ConstantsOf<T>): J;
  outcome(profile: Profile, constants: ConstantsOf<T>, results: Results<J>): Outcome<F>;
}

/** For inference of the types. */
export function experiment<T extends TuningTree, J extends JobTree, F>(
  definition: Experiment<T, J, F>,
): Experiment<T, J, F> {
  return definition;
}

export type FindingsOf<E> = E extends Experiment<infer _T, infer _J, infer F> ? F : never;

export function jobsOf(tree: JobTree): Job[] {
  if (isJob(tree)) return [tree];
  return (Array.isArray(tree) ? tree : Object.values(tree)).flatMap(jobsOf);
}

/** Puts the result of each job into its place. */
export function resultsIn(tree: JobTree, resultOf: (job: Job) => unknown): unknown {
  if (isJob(tree)) return resultOf(tree);
  if (Array.isArray(tree)) return tree.map((branch) => resultsIn(branch, resultOf));
  const branches = Object.entries(tree).map(([name, branch]) => [name, resultsIn(branch, resultOf)]);
  return Object.fromEntries(branches);
}

function isJob(tree: JobTree): tree is Job {
  return !Array.isArray(tree) && typeof (tree as { kind?: unknown }).kind === 'string';
}
