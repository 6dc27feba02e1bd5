/** The real process behind the `Io` interface. */
import type { WriteStream } from 'node:tty';
import { type Io, OutputClosed, type Writer } from './io.ts';

export function processIo(): Io {
  return {
    stdout: new StreamWriter(process.stdout),
    stderr: new StreamWriter(process.stderr),
    stdin: readStdin,
    env: process.env,
    now: () => performance.now(),
  };
}

class StreamWriter implements Writer {
  readonly isTerminal: boolean;
  private readonly stream: WriteStream;
  private failure: Error | undefined;

  constructor(stream: WriteStream) {
    this.stream = stream;
    this.isTerminal = stream.isTTY === true;
    // Without a listener a reader that leaves early would end the process with a stack trace.
    stream.on('error', (error: Error & { code?: string }) => {
      this.failure = error.code === 'EPIPE' ? new OutputClosed() : error;
    });
  }

  async write(text: string): Promise<void> {
    if (!this.failure && !this.stream.write(text)) {
      await new Promise<void>((resolve) => {
        this.stream.once('drain', resolve);
        this.stream.once('error', () => resolve());
      });
    }
    if (this.failure) throw this.failure;
  }
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
