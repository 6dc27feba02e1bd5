/** A refusal where there is no HTTP response to send it with, only a socket; and the end of that socket. */
import type { Duplex } from 'node:stream';
import type { ApiError } from './api-error.ts';

/** Long enough to read the answer. */
const GOODBYE_MS = 1000;

export function answerSocket(socket: Duplex, { status, code, message }: ApiError): void {
  const body = JSON.stringify({ error: { code, message } });
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  // The other side may keep its half open for ever.
  setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
}
