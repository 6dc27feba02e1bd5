export { curvesCsv } from '../charts/csv.ts';
export { drawFigure } from '../charts/draw.ts';
export { type Figure, levelColour, type Panel } from '../charts/figure.ts';
export { EXPERIMENT_IDS, EXPERIMENTS, type ExperimentId } from './experiments/index.ts';
export { isTimed, type Job, type JobResult } from './jobs.ts';
export { passOver } from './measured-pass.ts';
export {
  type ClassificationData,
  embeddedData,
  PARTICIPANTS,
  type Profile,
  profileFor,
} from './profile.ts';
export { type Report, reportHtml, type VerdictRow, verdictMarkdown } from './report/index.ts';
export { type Execute, expectedJobs, keyOf, type Reproduction, reproduce } from './reproduce.ts';
export { runJob } from './run-job.ts';
export { median, powerLaw } from './statistics.ts';
export { type TableSpec, Tables } from './table-spec.ts';
