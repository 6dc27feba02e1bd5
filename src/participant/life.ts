/** A life of a participant, from a start to a crash or the end: all that its machine begins with. */
import { newParticipant, type ParticipantState, type Profile, type Stored } from './state.ts';

export interface ParticipantLife {
  readonly machine: 'participant';
  readonly profile: Profile;
  readonly stored: Stored;
}

export function beginParticipant({ profile, stored }: ParticipantLife): ParticipantState {
  return newParticipant(profile, stored);
}
