export { AGGREGATIONS, type Aggregation, Aggregator } from './aggregate.ts';
export { MochaAggregator, type MochaOptions } from './aggregate-mocha.ts';
export {
  type Answer,
  type AnswerOptions,
  type AnswerScalars,
  answer,
  answerWith,
  boundsOf,
  loadQuery,
  scalarsAt,
  type WarmDuals,
} from './answer.ts';
export { type Certificate, certificate, certificateOf, type MemberScalars } from './certificate.ts';
export { type CertifiedAnswer, type CertifiedAnswerOptions, certifiedAnswer } from './certified-answer.ts';
export type {
  Combiner,
  CombinerMemory,
  IndexedScalars,
  IndexedUpdate,
  Joining,
  KnownMember,
  Order,
} from './combiner.ts';
export { Inquiry } from './inquiry.ts';
export type { InquiryMemory, InquiryOptions, SingleAnswer, Standing, SummedAnswer } from './inquiry-types.ts';
export { LocalSolve, type LocalSolveOptions, localTolerance } from './local-solve.ts';
export type { Objective } from './losses/loss.ts';
export {
  examine,
  newMember,
  type ProposeOptions,
  partOfStep,
  propose,
  type SentPart,
  type Solution,
  sentPart,
  solutionOf,
} from './member.ts';
export { type BoxContext, balancedWeights, type ProblemSettings } from './problem.ts';
export { type RowWriter, Shard, type ShardInput, type SolveForm, solveForms } from './shard.ts';
export { SummedSteps } from './summed-steps.ts';
export type { TableRows } from './table-rows.ts';
export { addScaled, dot, norm, plusScaled, weightedSum } from './vector.ts';
