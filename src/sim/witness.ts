/** Sees what goes into a machine and what comes out of it, at once: afterwards effects and state may share what changes. */
import type { CoordinatorInput, CoordinatorLife } from '../coordinator/index.ts';
import type { ParticipantInput, ParticipantLife } from '../participant/index.ts';

export interface Witness {
  /** A machine begins. */
  life(life: CoordinatorLife | ParticipantLife): void;
  step(input: CoordinatorInput | ParticipantInput, effects: readonly unknown[]): void;
}
