/** A life of the coordinator, from a start to a crash or the end: all that its machine begins with. */
import type { CoordinatorOptions } from './options.ts';
import { type CoordinatorState, newCoordinator } from './state.ts';
import { restoreCoordinator, type StoredMember, type StoredRun } from './stored.ts';

export interface CoordinatorLife {
  readonly machine: 'coordinator';
  readonly options: CoordinatorOptions;
  /** What was stored in an earlier life; absent: this is the first. */
  readonly run?: StoredRun | undefined;
  readonly members?: readonly StoredMember[] | undefined;
}

export function beginCoordinator({ options, run, members = [] }: CoordinatorLife): CoordinatorState {
  return run ? restoreCoordinator(options, run, members) : newCoordinator(options);
}
