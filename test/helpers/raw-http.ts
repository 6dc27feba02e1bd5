/** HTTP by the byte, for what no client would send. */
import { connect, type Socket } from 'node:net';

/** Open, and never closed by itself: not even when the other side has closed its half. */
export function rawConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      // Being cut off is what is expected of most of them.
      socket.on('error', () => {});
      resolve(socket);
    });
  });
}

export interface RawAnswer {
  /** 0: it was closed, or nothing came, without an answer. */
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends bytes and gives the first answer; waits so long for one at the most. */
export async function rawAnswer(url: string, bytes: Uint8Array | string, waitMs = 1000): Promise<RawAnswer> {
  const socket = await rawConnection(url);
  let heard = '';
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, waitMs);
    const look = () => {
      if (!isComplete(heard) && !socket.closed && !socket.readableEnded) return;
      clearTimeout(timer);
      resolve();
    };
    socket.on('data', (chunk) => {
      heard += chunk.toString('latin1');
      look();
    });
    socket.on('end', look);
    socket.on('close', look);
    socket.write(bytes);
  });
  socket.destroy();
  return parsedAnswer(heard);
}

/** The first that is not only a word to go on; what comes after it is another one. */
function parsedAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = end < 0 ? text : text.slice(0, end);
  const rest = end < 0 ? '' : text.slice(end + 4);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  if (status === 100) return parsedAnswer(rest);
  return { status, head, body: rest.slice(0, lengthIn(head)) };
}

function lengthIn(head: string): number | undefined {
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  return length === undefined ? undefined : Number(length);
}

function isComplete(text: string): boolean {
  const { head, body } = parsedAnswer(text);
  return body.length === lengthIn(head);
}
