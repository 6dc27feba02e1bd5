/**
 * What the operator is sent when something goes wrong here: a code, and not the same again and again. One that no connection took is sent with the
 * next connection.
 */
import { KindredError } from '../base/errors.ts';
import type { Clock, Eventually } from '../base/ports.ts';
import type { FaultCode } from '../protocol/codes.ts';
import type { StateStore } from './ports.ts';

/** Between two reports of the same failure. */
const PAUSE_MS = 60_000;
/** How long a participant that ends waits for a connection to report why. */
const LAST_CHANCE_MS = 5000;

export class FaultReports {
  private readonly clock: Clock;
  /** False: there is no connection. */
  private readonly send: (code: FaultCode) => boolean;
  private readonly notBeforeMs = new Map<FaultCode, number>();
  private readonly unsent = new Set<FaultCode>();
  private allSent = () => {};
  private storageFailure: unknown;

  constructor(clock: Clock, send: (code: FaultCode) => boolean) {
    this.clock = clock;
    this.send = send;
  }

  report(code: FaultCode): void {
    const now = this.clock.now();
    if (now < (this.notBeforeMs.get(code) ?? Number.NEGATIVE_INFINITY)) return;
    this.notBeforeMs.set(code, now + PAUSE_MS);
    this.unsent.add(code);
    this.sendAll();
  }

  /** An error that ends the participant. */
  reportError(error: unknown): void {
    this.report(error === this.storageFailure ? 'STORAGE_FAILED' : faultOf(error));
  }

  /** Also after every new connection. */
  sendAll(): void {
    for (const code of this.unsent) if (this.send(code)) this.unsent.delete(code);
    if (this.unsent.size === 0) this.allSent();
  }

  /** Fulfilled when nothing is left to send, or it has taken too long. */
  sent(): Promise<void> {
    return new Promise((resolve) => {
      const takeBack = this.clock.at(this.clock.now() + LAST_CHANCE_MS, resolve);
      this.allSent = () => {
        takeBack();
        resolve();
      };
      this.sendAll();
    });
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
