/** Errors from one thread to another: a copied error keeps its message, and would lose its code and its kind. */
import { type ErrorKind, KindredError } from '../../base/errors.ts';

export interface ThreadFailure {
  readonly message: string;
  readonly stack: string | undefined;
  /** Of a KindredError. */
  readonly known: { readonly code: string; readonly kind: ErrorKind } | undefined;
}

export function failureOf(error: unknown): ThreadFailure {
  if (!(error instanceof Error)) return { message: String(error), stack: undefined, known: undefined };
  const { message, stack } = error;
  const known = error instanceof KindredError ? { code: error.code, kind: error.kind } : undefined;
  return { message, stack, known };
}

export function errorFrom({ message, stack, known }: ThreadFailure): Error {
  const error = known ? new KindredError(known.code, message, known.kind) : new Error(message);
  if (stack !== undefined) error.stack = stack;
  return error;
}
