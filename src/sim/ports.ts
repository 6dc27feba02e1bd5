import type { CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorStart } from '../coordinator/stored.ts';
import type { ParticipantInput } from '../participant/effects.ts';
import type { ParticipantStart } from '../participant/state.ts';
import type { Primitives } from '../privacy/secure/keys.ts';
import type { EventQueue } from './events.ts';
import type { CrashPlan } from './faults.ts';
import type { Network } from './network.ts';
import type { Transcript } from './transcript.ts';

/** What the nodes of a simulation share. */
export interface NodePorts {
  readonly queue: EventQueue;
  readonly network: Network;
  readonly transcript: Transcript;
  readonly crashes: CrashPlan;
  readonly primitives: Primitives;
  readonly observerOf?: ((node: string) => MachineObserver | undefined) | undefined;
}

/** Sees what goes into a machine and what comes out of it, at once: afterwards effects and state may share what changes. */
export interface MachineObserver {
  started(start: CoordinatorStart | ParticipantStart): void;
  step(input: CoordinatorInput | ParticipantInput, effects: readonly unknown[]): void;
}
