export { type ExplainedMasks, explainMasks } from './brute-force-masks.ts';
export type { Candidate } from './candidate.ts';
export { changesOf, type ObservedChange } from './changes.ts';
export type { Span } from './linear.ts';
export { type PlaneSearch, rowsOnMargin } from './margin-planes.ts';
export { type MaskFit, MOST as MOST_MASKED_ROWS, nearestSubset } from './mask-search.ts';
export { type LabelledRow, membershipByMargin, membershipBySpan } from './membership.ts';
export * from './observation.ts';
export {
  calibrate,
  type DualSums,
  dualSumsByLabel,
  meanDecision,
  positiveShareOfSteps,
} from './property.ts';
export {
  chooseRowCount,
  EQUATION_DEFAULTS,
  type EquationFit,
  type EquationSearch,
  EXPLAINED,
  recoverByEquations,
} from './recover-by-equations.ts';
export { recoverPersonal } from './recover-personal.ts';
export { type RecoveredRows, recoverRows, rowSpace } from './recover-rows.ts';
export { type Roc, rocOf } from './roc.ts';
export {
  guessRows,
  RECOVERED,
  type RowScore,
  type ShareScore,
  scoreRows,
  scoreShares,
  scoreVector,
  type VectorScore,
} from './score.ts';
export { type RecoveredRow, singleRows } from './single-rows.ts';
