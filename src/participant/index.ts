export type { ParticipantEffect, ParticipantInput, SolveRequest, SolveResult } from './effects.ts';
export { beginParticipant, type ParticipantLife } from './life.ts';
export { step } from './machine.ts';
export { settled } from './settled.ts';
export { carryOut, type Effort, type SolveOutcome } from './solve.ts';
export {
  newParticipant,
  type ParticipantState,
  type Phase,
  type Profile,
  type SecureProfile,
  type SecureStored,
  type Stored,
} from './state.ts';
