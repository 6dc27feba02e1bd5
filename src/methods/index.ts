export { METHODS } from '../settings/training.ts';
export { type DescribeOptions, describeTable, type TableDescription } from './describe.ts';
export { type Evaluation, evaluate, type ParticipantResult } from './evaluate.ts';
export type { HistoryRow, MethodName, RoundView, Stopped } from './method.ts';
export { type Metrics, meanMetrics, measure } from './metrics.ts';
export { decide, type Model, modelFor, modelFromJson, modelToJson } from './model.ts';
export { type ResolvedOptions, resolveOptions, type TrainOptions } from './options.ts';
export { type PersonalisedParticipant, type PersonaliseResult, personalise } from './personalise.ts';
export type { PersonaliseOptions, ResolvedPersonaliseOptions } from './personalise-options.ts';
export type { ClassSummary, NumberSummary } from './target-summary.ts';
export { type TrainContext, type TrainResult, train } from './train.ts';
export {
  type TuneContext,
  type TuneMetric,
  type TuneOptions,
  type TuneResult,
  type TuneRow,
  tune,
} from './tune.ts';
export type { TuneGrid } from './tune-grid.ts';
