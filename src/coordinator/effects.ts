/** What goes into the coordinator's machine and what comes out of it. */
import type { NoiseOrder } from '../privacy/dp/grid.ts';
import type { FaultCode } from '../protocol/codes.ts';
import type { ToCoordinator, ToParticipant } from '../protocol/messages.ts';
import type { RoundRow } from './round-row.ts';
import type { Timing } from './state.ts';
import type { StoredCoordinator } from './stored.ts';

export type CoordinatorInput = { readonly now: number } & (
  | { readonly type: 'start' }
  | { readonly type: 'message'; readonly from: string; readonly message: ToCoordinator }
  | { readonly type: 'timer' }
  /** Its connection is gone: who cannot receive is not waited for. */
  | { readonly type: 'away'; readonly id: string }
  /** It is connected, and has not joined since this process began. */
  | { readonly type: 'present'; readonly id: string }
  | { readonly type: 'summed'; readonly noise?: Float64Array }
  | { readonly type: 'forget'; readonly id: string }
  /** Everybody is asked again, and training goes on from the model in use. */
  | { readonly type: 'recount' }
  | { readonly type: 'pause' }
  | { readonly type: 'resume' }
  | { readonly type: 'finish' }
  /** Training goes on after a rest, also one that the operator began: limits count from here. */
  | { readonly type: 'reopen' }
  /** In a branch: from its parent. */
  | { readonly type: 'above'; readonly message: ToParticipant }
  /** In a branch: time to repeat what the parent may not have received. */
  | { readonly type: 'beat' }
  /** Rounds stay open for another time, from the next one on. */
  | { readonly type: 'timing'; readonly timing: Timing }
);

export type CoordinatorEffect =
  | { readonly type: 'persist'; readonly changes: StoredCoordinator }
  | { readonly type: 'send'; readonly to: string; readonly message: ToParticipant }
  /** In a branch: to its parent. */
  | { readonly type: 'up'; readonly message: ToCoordinator }
  /** One timer: a new one replaces it. */
  | { readonly type: 'timer'; readonly atMs: number }
  /**
   * Answer with `summed` after so long, and with the noise that is asked for: drawn afresh each time, from a source that nobody
   * can predict (in a simulation, from the seed).
   */
  | { readonly type: 'summation'; readonly ms: number; readonly noise?: NoiseOrder }
  | { readonly type: 'row'; readonly row: RoundRow }
  /** A participant has reported a failure: for the operator's log. */
  | { readonly type: 'fault'; readonly id: string; readonly code: FaultCode; readonly round: number }
  /** What the operator wants cannot be done, and why. */
  | { readonly type: 'refusal'; readonly message: string };
