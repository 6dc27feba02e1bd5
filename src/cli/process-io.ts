/** The real process behind the `Io` interface. */
import { relative } from 'node:path';
import type { WriteStream } from 'node:tty';
import { fileError } from '../node/files/file-error.ts';
import { plainBytes } from '../node/files/files.ts';
import { type Io, OutputClosed, type Writer } from './io.ts';

export function processIo(): Io {
  return {
    program: programName(process.argv[1] ?? ''),
    stdout: writerTo(process.stdout, (error) => {
      throw error.code === 'EPIPE' ? new OutputClosed() : fileError(error, 'stdout');
    }),
    // A closed stderr cannot be reported anywhere.
    stderr: writerTo(process.stderr, () => {}),
    stdin: readStdin,
    isInteractive: isInteractive(),
    env: process.env,
    now: () => performance.now(),
    onInterrupt,
  };
}

function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** Once for all signals: from the second one on they do what they do by themselves, which is to end the process. */
function onInterrupt(act: () => void): () => void {
  // A terminal that is closed. Without one, `nohup` may have asked to ignore it.
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', ...(isInteractive() ? ['SIGHUP' as const] : [])];
  const takeBack = () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
  const onSignal = () => {
    takeBack();
    act();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return takeBack;
}

/** Called through a link of npm's it is a command, called as a file it is not. */
function programName(script: string): string {
  return script.endsWith('.js') ? `node ${relative(process.cwd(), script)}` : 'kindred';
}

/** A write is over when the system has taken the text: a slow reader is waited for, a full disk is noticed. */
function writerTo(stream: WriteStream, failed: (error: Error & { code?: string }) => void): Writer {
  // Each write learns of its own failure; the event, without a listener, would end the process with a stack trace.
  stream.on('error', () => {});
  return {
    isTerminal: stream.isTTY === true,
    write: async (text) => {
      const error = await new Promise<Error | null | undefined>((resolve) => stream.write(text, resolve));
      if (error) failed(error);
    },
  };
}

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return plainBytes(Buffer.concat(chunks));
}
