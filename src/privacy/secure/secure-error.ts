/**
 * What a participant or the coordinator refuses in secure aggregation. A lying or broken peer is an expected outcome: the
 * refusal has a code, one sentence and, where one is known, the id of whoever is to blame. Whatever throws it has
 * changed nothing.
 */
import { KindredError } from '../../base/errors.ts';

export type SecureCode =
  /** A value is outside of the range that can be summed without wrapping. */
  | 'SECURE_OVERFLOW'
  /** No threshold or scale can give what was asked for. */
  | 'SECURE_PARAMETERS'
  /** Shares are too few, repeated, of the wrong size or contradict each other. */
  | 'SECURE_SHARES'
  /** A key, signature or identity is not what it should be. */
  | 'SECURE_IDENTITY'
  /** A message has the wrong size or names somebody who is not there. */
  | 'SECURE_MALFORMED'
  /** The message belongs to another round, roster or phase. */
  | 'SECURE_OUT_OF_TURN'
  /** The same question was asked twice with different content: answering both could give a secret away. */
  | 'SECURE_CONTRADICTION'
  /** Fewer took part than keeps everybody hidden. */
  | 'SECURE_TOO_FEW';

export class SecureError extends KindredError {
  declare readonly code: SecureCode;
  readonly blamed: string | undefined;

  constructor(code: SecureCode, message: string, blamed?: string) {
    super(code, message, 'run');
    this.name = 'SecureError';
    this.blamed = blamed;
  }
}

export function refuse(code: SecureCode, message: string, blamed?: string): never {
  throw new SecureError(code, message, blamed);
}

export function demandBytes(bytes: Uint8Array, length: number, where: string, blamed?: string): void {
  if (bytes instanceof Uint8Array && bytes.length === length) return;
  refuse('SECURE_MALFORMED', `${where}: expected ${length} bytes, got ${bytes?.length}`, blamed);
}
