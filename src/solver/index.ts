export { AGGREGATIONS, type Aggregation, Aggregator, atomsKept } from './aggregate.ts';
export { MochaAggregator, type MochaOptions } from './aggregate-mocha.ts';
export { commitStep, TotalAggregator, type TotalOptions, type TotalUpdate } from './aggregate-total.ts';
export type { IndexedUpdate } from './aggregation-rule.ts';
export { type Certificate, certificate, certificateOf, type MemberScalars } from './certificate.ts';
export type {
  Combiner,
  CombinerMemory,
  IndexedScalars,
  Joining,
  KnownMember,
  Order,
  Outcome,
} from './combiner.ts';
export { LocalSolve, type LocalSolveOptions, localTolerance } from './local-solve.ts';
export {
  type CommitContext,
  commit,
  examine,
  type MemberState,
  newMember,
  proposalOf,
  propose,
  type Solution,
  type Told,
  toldOf,
  type Update,
} from './member.ts';
export { balancedWeights, type Objective, type ProblemSettings } from './problem.ts';
export { type RowWriter, Shard, type ShardInput, type SolveForm } from './shard.ts';
export type { TableRows } from './table-rows.ts';
export { addScaled, dot, norm, plusScaled, weightedSum } from './vector.ts';
