export type { ParticipantEffect, ParticipantInput, SolveRequest, SolveResult } from './effects.ts';
export { personalRequest } from './finishing.ts';

export { step } from './machine.ts';
export { acceptedSolution } from './outcome.ts';
export { type RawRows, scaledShard } from './scaled-rows.ts';
export { carryOut, type Effort, planned, type SolveOutcome } from './solve.ts';
export {
  NOTHING_STORED,
  newParticipant,
  type ParticipantStart,
  type ParticipantState,
  type Phase,
  type Profile,
  type SecureProfile,
  type SecureStored,
  type Stored,
  type UsableModel,
} from './state.ts';
