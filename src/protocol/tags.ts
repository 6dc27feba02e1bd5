/** Numbers that stand for names inside payloads. Those of messages are in layouts.ts. */
import type { FinishReason, RejectCode, RoundMessage, SumPurpose } from './messages.ts';

export const PURPOSES: Readonly<Record<RoundMessage['purpose'], number>> = { train: 1, certify: 2 };

export const SUM_PURPOSES: Readonly<Record<SumPurpose, number>> = {
  measure: 1,
  train: 2,
};

export const REASONS: Readonly<Record<FinishReason, number>> = {
  gap: 1,
  stall: 2,
  rounds: 3,
  time: 4,
  operator: 5,
  left: 6,
  budget: 7,
};

/** 10 was TOO_LATE of version 2, and is not used again. */
export const CODES: Readonly<Record<RejectCode, number>> = {
  BAD_FRAME: 1,
  BAD_VERSION: 2,
  NOT_JOINED: 3,
  WRONG_FEATURES: 4,
  NOT_FINITE: 5,
  WRONG_SHAPE: 6,
  STATE_MISMATCH: 7,
  FORGOTTEN: 8,
  INFEASIBLE: 9,
  FUTURE_ROUND: 11,
  TOO_LARGE: 12,
  WRONG_IDENTITY: 13,
  RATE_LIMITED: 14,
};
