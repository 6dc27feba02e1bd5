/** What the operator is sent when something goes wrong here: a code, where there is a connection, and not the same again and again. */
import { KindredError } from '../base/errors.ts';
import type { Clock, Eventually } from '../base/ports.ts';
import type { FaultCode } from '../protocol/messages.ts';
import type { StateStore } from './ports.ts';

/** Between two reports of the same failure. */
const PAUSE_MS = 60_000;

export class FaultReports {
  private readonly clock: Clock;
  private readonly send: (code: FaultCode) => void;
  private readonly notBeforeMs = new Map<FaultCode, number>();
  private storageFailure: unknown;

  constructor(clock: Clock, send: (code: FaultCode) => void) {
    this.clock = clock;
    this.send = send;
  }

  report(code: FaultCode): void {
    const now = this.clock.now();
    if (now < (this.notBeforeMs.get(code) ?? Number.NEGATIVE_INFINITY)) return;
    this.notBeforeMs.set(code, now + PAUSE_MS);
    this.send(code);
  }

  /** An error that ends the participant. */
  reportError(error: unknown): void {
    this.report(error === this.storageFailure ? 'STORAGE_FAILED' : faultOf(error));
  }

  /** The same store, whose failures are known again. */
  watching(store: Pick<StateStore, 'save'>): Pick<StateStore, 'save'> {
    const note = (error: unknown): never => {
      this.storageFailure = error;
      throw error;
    };
    return {
      save: (changes): Eventually<void> => {
        try {
          return store.save(changes)?.catch(note);
        } catch (error) {
          return note(error);
        }
      },
    };
  }
}

function faultOf(error: unknown): FaultCode {
  if (!(error instanceof KindredError)) return 'OTHER';
  if (error.code === 'SOLVER_FAILED' || error.code === 'OUT_OF_MEMORY') return error.code;
  // Only rows are found wrong when it is connected.
  return error.kind === 'input' ? 'ROWS_REFUSED' : 'OTHER';
}
