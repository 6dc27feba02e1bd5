/** `kindred join --watch`: reads the data again when the file changes, and hands over the rows where they are others. */
import { inputError, KindredError } from '../base/errors.ts';
import { rowKeys } from '../client/known-rows.ts';
import type { Table } from '../data/table.ts';
import { kindOf } from '../node/files/files.ts';
import { DEFAULT_WATCH, signatureOf, watchFile } from '../node/files/watch-file.ts';
import { type Io, note } from './io.ts';
import { type JoinFlags, type JoinRows, readJoinData } from './join-data.ts';

export async function checkWatchable({ data = '' }: JoinFlags): Promise<void> {
  if (data !== '-' && (await kindOf(data)) !== 'folder') return;
  const got = data === '-' ? 'standard input' : 'a folder';
  throw inputError('BAD_OPTION', `option --watch: expected a file as --data, got ${got}`);
}

/** The rows of a file as it changes. What cannot be read is reported, and the rows before stay in use. */
export class WatchedRows {
  private readonly io: Io;
  private readonly flags: JoinFlags;
  /** Of the file before it was first read. */
  private readonly since: string;
  private current = '';
  private found: JoinRows | undefined;
  private deliver = () => {};
  private fail: (error: unknown) => void = () => {};
  private reading: Promise<void> = Promise.resolve();
  private stop = () => {};

  constructor(io: Io, flags: JoinFlags) {
    this.io = io;
    this.flags = flags;
    this.since = signatureOf(flags.data!);
  }

  /** With the rows that it takes part with at first. */
  begin({ table }: JoinRows): void {
    this.current = keysOf(table);
    this.stop = watchFile(this.flags.data!, this.since, DEFAULT_WATCH, () => {
      this.reading = this.reading.then(() => this.read()).catch((error: unknown) => this.fail(error));
    });
  }

  /** Fulfilled once there are other rows than those handed over last. One may wait at a time. */
  async next(): Promise<JoinRows> {
    while (!this.found) {
      await new Promise<void>((resolve, reject) => {
        this.deliver = resolve;
        this.fail = reject;
      });
    }
    const { found } = this;
    this.found = undefined;
    return found;
  }

  end(): void {
    this.stop();
  }

  private async read(): Promise<void> {
    try {
      const rows = await readJoinData(this.io, this.flags);
      const keys = keysOf(rows.table);
      if (keys === this.current) return;
      this.current = keys;
      this.found = rows;
      this.deliver();
    } catch (error) {
      if (!(error instanceof KindredError)) throw error;
      await note(
        this.io,
        `${error.message} [${error.code}]; the rows before stay in use until it is readable`,
      );
    }
  }
}

/** Rows in another order are the same rows. */
function keysOf(table: Table): string {
  return rowKeys(table).sort().join();
}
