/** All that a command touches beside files and the network, so that tests run commands in-process. */

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
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds from any start. */
  readonly now: () => number;
  /** Calls back at the first wish that the program should stop (ctrl-c); the second stops it. Gives what takes it back. */
  readonly onInterrupt?: (act: () => void) => () => void;
}

/** The reader has gone (`kindred ... | head`): the rest of the work is for nobody, and nothing is wrong. */
export class OutputClosed extends Error {}

/** One JSON document on stdout. */
export async function writeJson(io: Io, document: unknown): Promise<void> {
  await io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
}

export async function writeLines(io: Io, lines: readonly string[]): Promise<void> {
  await io.stdout.write(`${lines.join('\n')}\n`);
}

/** A sentence beside the result. */
export async function tell(io: Io, kind: 'note' | 'warning', sentence: string): Promise<void> {
  await io.stderr.write(`kindred: ${kind}: ${sentence}\n`);
}
