/** From experiments to a report: constants first, then all jobs, then what they show. Whoever calls it runs the jobs. */
import { verdicts } from './claims/all.ts';
import type { Findings } from './claims/claim.ts';
import { type Experiment, type JobTree, jobsOf, resultsIn } from './experiment.ts';
import { EXPERIMENTS, type ExperimentId } from './experiments/all.ts';
import type { Constants, Job, JobResult } from './jobs.ts';
import type { Profile } from './profile.ts';
import type { Section, VerdictRow } from './report/report.ts';

/** Results in the order of the jobs, which are all different. */
export type Execute = (jobs: readonly Job[]) => Promise<readonly JobResult[]>;

export interface Reproduction {
  readonly sections: readonly Section[];
  readonly verdicts: readonly VerdictRow[];
  readonly findings: Partial<Findings>;
}

export async function reproduce(
  ids: readonly ExperimentId[],
  profile: Profile,
  execute: Execute,
): Promise<Reproduction> {
  const list = ids.map((id) => EXPERIMENTS[id] as unknown as Experiment);
  const constants = await results(
    list.map((experiment) => experiment.tunings(profile)),
    execute,
  );
  const done = await results(
    list.map((experiment, i) => experiment.jobs(profile, constants[i] as never)),
    execute,
  );
  const outcomes = list.map((experiment, i) =>
    experiment.outcome(profile, constants[i] as never, done[i] as never),
  );
  const findings = Object.fromEntries(ids.map((id, i) => [id, outcomes[i].findings])) as Partial<Findings>;
  const sections = list.map(({ title, paper }, i): Section => {
    const { text, figures, tables } = outcomes[i];
    const files = figures.flatMap((figure) => [`figures/${figure.id}.svg`, `data/${figure.id}.csv`]);
    return { id: ids[i], title, paper, text, figures, tables, files: [...files, `data/${ids[i]}.json`] };
  });
  return { sections, verdicts: verdicts(findings, profile.seeds.length), findings };
}

/** Runs every job of some trees once, however often it occurs. */
async function results(trees: readonly JobTree[], execute: Execute): Promise<unknown[]> {
  const unique = uniqueJobs(trees);
  const jobs = [...unique.values()];
  const found = await execute(jobs);
  const byKey = new Map([...unique.keys()].map((key, i) => [key, found[i]]));
  return trees.map((tree) => resultsIn(tree, (job) => byKey.get(keyOf(job))));
}

function uniqueJobs(trees: readonly JobTree[]): Map<string, Job> {
  return new Map(trees.flatMap(jobsOf).map((job) => [keyOf(job), job]));
}

/** The content of a job: jobs are made in one way only, so the order of keys is part of it. */
export function keyOf(job: Job): string {
  return JSON.stringify(job);
}

/** How many jobs of each kind there will be, before anything is known: constants do not change the number of jobs. */
export function expectedJobs(ids: readonly ExperimentId[], profile: Profile): Job[] {
  const list = ids.map((id) => EXPERIMENTS[id] as unknown as Experiment);
  const tunings = list.map((experiment) => experiment.tunings(profile));
  const guess: Constants = { method: 'mtl', scale: 'standard', c1: 1, c2: 1, score: 0, metric: '', tried: 0 };
  const jobs = list.map((experiment, i) =>
    experiment.jobs(profile, resultsIn(tunings[i], ({ ...job }) => ({ ...guess, of: keyOf(job) })) as never),
  );
  return [...uniqueJobs([...tunings, ...jobs]).values()];
}
