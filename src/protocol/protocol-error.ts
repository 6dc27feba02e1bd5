import type { RejectCode } from './codes.ts';

/**
 * What a peer sent cannot be taken. An expected outcome, never a reason to stop the process: `code` and `message` go
 * back to the peer in a `reject`. Sentences are bounded in length, whatever the peer sent.
 */
export class ProtocolError extends Error {
  readonly code: RejectCode;

  constructor(code: RejectCode, message: string) {
    super(message);
    this.name = 'ProtocolError';
    this.code = code;
  }
}
