export {
  closeAttesting,
  closeDealing,
  closeMasking,
  closeRevealing,
  newCoordinator,
  openSecureRound,
  type Summed,
  takeAttested,
  takeDealt,
  takeMasked,
  takeRevealed,
} from './coordinator.ts';
export type { Abandoned, Answers, CoordinatorState, Phase } from './coordinator-round.ts';
export { drawFrom } from './entropy.ts';
export { decode, encode, type FixedPoint, finestScaleBits } from './fixed-point.ts';
export { defaultSecurity, type GraphParameters, graphParameters, type Security } from './graph.ts';
export { type Entropy, noblePrimitives, type Primitives } from './keys.ts';
export { acceptRoster, advertise, type Identities, newParticipant } from './membership.ts';
export type {
  Advertisement,
  Attestations,
  Attested,
  Counted,
  Dealt,
  Delivered,
  Masked,
  Revealed,
  Roster,
  RoundPlan,
} from './messages.ts';
export { attest, deal, mask, reveal } from './participant.ts';
export type { ParticipantState } from './participant-state.ts';
export { layoutOf, makeRoster } from './roster.ts';
export { type SecureCode, SecureError } from './secure-error.ts';
