/** What the ports of participants and coordinators have in common. */

/** A port may answer at once or with a promise. */
export type Eventually<T> = T | Promise<T>;

export interface Clock {
  /** Monotonic milliseconds. */
  now(): number;
  /** Runs it once, when `now` has reached `atMs`, and never before this call has returned; the result cancels it. */
  at(atMs: number, run: () => void): () => void;
}
