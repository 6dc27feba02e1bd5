/** Everything that a command uses but files and the network, so that tests run commands in-process. */
import { printable, printableJson } from './printable.ts';

export interface Writer {
  /** Await it: it waits for a slow reader, and rejects with `OutputClosed` where nobody reads any more. */
  write(text: string): void | Promise<void>;
  readonly isTerminal: boolean;
}

export interface Io {
  /** How this program is called here, for the commands it suggests. */
  readonly program: string;
  readonly stdout: Writer;
  readonly stderr: Writer;
  /** All of standard input. */
  readonly stdin: () => Promise<Uint8Array>;
  /** Somebody is there: standard input and output are a terminal. */
  readonly isInteractive?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds from any start. */
  readonly now: () => number;
  /** Calls back at the first interrupt (ctrl-c); the second ends the process. Returns a function that removes the handler. */
  readonly onInterrupt?: (act: () => void) => () => void;
}

/** The reader has gone (`kindred ... | head`): the rest of the work is for nobody, and nothing is wrong. */
export class OutputClosed extends Error {}

/** One JSON document on stdout. */
export async function writeJson(io: Io, document: unknown): Promise<void> {
  await io.stdout.write(`${printableJson(JSON.stringify(document, null, 2))}\n`);
}

/** On stderr, in one sentence. */
export async function note(io: Io, sentence: string): Promise<void> {
  await io.stderr.write(`kindred: note: ${printable(sentence)}\n`);
}

export async function warn(io: Io, sentence: string): Promise<void> {
  await io.stderr.write(`kindred: warning: ${printable(sentence)}\n`);
}
