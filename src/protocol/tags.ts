/** Numbers that stand for names inside payloads. Those of messages are in layouts.ts. */
import type { FinishReason, RoundMessage, SumPurpose } from './messages.ts';

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
