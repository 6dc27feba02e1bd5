/** Codes of messages and their numbers on the wire: why something is refused, declined, or has gone wrong. */

/** By code, its number on the wire. */
export const DECLINE_NUMBERS = {
  /** A protection that its policy asks for is not there. */
  REQUIREMENT: 1,
  /** More work than its policy allows. */
  EFFORT: 2,
  /** Too few to be summed with. */
  PEERS: 3,
  /** Somebody would stand out in the sum. */
  HIDING: 4,
  /** Others attest to something else than it was asked. */
  STATEMENT: 5,
} as const;
export type DeclineCode = keyof typeof DECLINE_NUMBERS;
export const DECLINE_CODES = Object.keys(DECLINE_NUMBERS) as DeclineCode[];

/** By code, its number on the wire. */
export const FAULT_NUMBERS = {
  /** None of the others. */
  OTHER: 1,
  /** The solver has stopped. */
  SOLVER_FAILED: 2,
  OUT_OF_MEMORY: 3,
  /** Its state could not be stored. */
  STORAGE_FAILED: 4,
  /** Targets or columns do not fit what was agreed on. */
  ROWS_REFUSED: 5,
  /** It was started for another kind of federation: secure aggregation, or reports of tests. */
  WRONG_OPTIONS: 6,
  /** Its numbers are too large for secure sums. */
  SECURE_OVERFLOW: 7,
  /** Others attest to something else than it was asked, again and again. */
  CONTRADICTED: 8,
  /** It knows of another accepted answer than the coordinator. */
  STATE_MISMATCH: 9,
  /** Frames that it could not read. */
  BAD_FRAME: 10,
} as const;
export type FaultCode = keyof typeof FAULT_NUMBERS;
export const FAULT_CODES = Object.keys(FAULT_NUMBERS) as FaultCode[];

/** By code, its number on the wire. 10 was TOO_LATE of version 2, and is not used again. */
export const REJECT_NUMBERS = {
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
  WRONG_CLASSES: 15,
  /** Its shares in a secure sum were wrong: it takes part in none until the operator has it forgotten. */
  EXPELLED: 16,
} as const;
export type RejectCode = keyof typeof REJECT_NUMBERS;
export const REJECT_CODES = Object.keys(REJECT_NUMBERS) as RejectCode[];
