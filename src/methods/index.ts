export { decide, METHODS, type MethodName, type Model, modelFor } from '../solver/model.ts';
export { type DescribeOptions, describeTable, type TableDescription } from './describe.ts';
export { type Evaluation, evaluate, type ParticipantResult } from './evaluate.ts';
export type { HistoryRow, RoundView, Stopped } from './method.ts';
export { type Metrics, meanMetrics, measure } from './metrics.ts';
export { modelFromJson, modelToJson } from './model.ts';
export { optionName, type ResolvedOptions, resolveOptions, type TrainOptions } from './options.ts';
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
