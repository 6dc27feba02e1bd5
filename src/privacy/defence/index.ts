export {
  type Contribution,
  type Contributions,
  MEMORY,
  type RoundScore,
  type Running,
  recordRound,
  scoreRound,
} from './contribution.ts';
export {
  boundNorms,
  boundNormsRobustly,
  type Change,
  type NormVerdict,
  type OverBound,
  type RobustBoundOptions,
  robustBound,
} from './norm-bound.ts';
export { type Suspect, type Suspicion, type SuspicionThresholds, suspects, THRESHOLDS } from './suspects.ts';
