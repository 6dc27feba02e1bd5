/** Every number that stands for a word on the wire. */
import type { FinishReason, Message, RejectCode, RoundMessage, SumPurpose } from './messages.ts';

type Kind = Message['kind'];

/** Written out, never derived: a tag outlives any order in which the kinds are listed. 0x80 marks the coordinator's. */
export const TAGS: Readonly<Record<Kind, number>> = {
  join: 0x01,
  moments: 0x02,
  answer: 0x0b,
  leave: 0x05,
  advertise: 0x06,
  dealt: 0x07,
  masked: 0x08,
  attested: 0x09,
  revealed: 0x0a,
  welcome: 0x81,
  round: 0x82,
  outcome: 0x83,
  finish: 0x84,
  reject: 0x85,
  roster: 0x86,
  plan: 0x87,
  delivered: 0x88,
  counted: 0x89,
  attestations: 0x8a,
};

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

/**
 * Bit 0 of the flags: vectors are f32. Only for what goes back and forth every round. Moments and scaling are said once, and
 * a mean or a sum of squares in f32 would lose the digits that standardisation needs, or overflow.
 */
export const F32_FLAG = 1;

const KIND_OF_TAG = new Map(Object.entries(TAGS).map(([kind, tag]) => [tag, kind as Kind]));

export function kindOfTag(tag: number): Kind | undefined {
  return KIND_OF_TAG.get(tag);
}
