/** Sees what goes into a machine and what comes out of it, at once: afterwards effects and state may share what changes. */
import type { CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorStart } from '../coordinator/stored.ts';
import type { ParticipantInput } from '../participant/effects.ts';
import type { ParticipantStart } from '../participant/state.ts';

export interface MachineObserver {
  /** A machine begins. */
  started(start: CoordinatorStart | ParticipantStart): void;
  step(input: CoordinatorInput | ParticipantInput, effects: readonly unknown[]): void;
}
