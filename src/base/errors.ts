/**
 * Errors that people meet. A bad file, a bad option or a bad peer is an expected outcome: it has a stable code
 * (scripts may match on it) and one sentence that says where, what was expected and what was found.
 * A programmer's error is a plain `Error` from `invariant`, and is never caught.
 */

/** `input`: what was given is wrong (exit code 2). `run`: what was given is fine, but the run failed (exit code 1). */
export type ErrorKind = 'input' | 'run';

export class KindredError extends Error {
  readonly code: string;
  readonly kind: ErrorKind;

  constructor(code: string, message: string, kind: ErrorKind = 'input') {
    super(message);
    this.name = 'KindredError';
    this.code = code;
    this.kind = kind;
  }
}

/** Shorthand for the usual case: what was given from outside is wrong. */
export function inputError(code: string, message: string): KindredError {
  return new KindredError(code, message, 'input');
}

/** A condition that only a mistake in this code base can break. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}
