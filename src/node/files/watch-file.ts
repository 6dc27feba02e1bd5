/**
 * Notices when a file changes: grows, is overwritten, or is replaced by another of its name. The folder is watched, because a file that is
 * replaced is another file; where a file system reports nothing, the file is looked at again and again. A change is reported once the
 * file has been quiet for a while, or after the longest time where it never is.
 */
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';

export interface WatchTiming {
  /** The file is looked at so often, whatever is reported. */
  readonly pollMs: number;
  readonly quietMs: number;
  /** From the first change that was not reported. */
  readonly mostMs: number;
}

export const DEFAULT_WATCH: WatchTiming = { pollMs: 2000, quietMs: 300, mostMs: 5000 };

/** Returns a function that ends it. `since`: what is known of the file already, by `signatureOf`. */
export function watchFile(
  path: string,
  since: string,
  { pollMs, quietMs, mostMs }: WatchTiming,
  onChange: () => void,
): () => void {
  let reported = since;
  let seen = since;
  let changedMs = 0;
  let quiet: NodeJS.Timeout | undefined;
  const look = () => {
    const now = signatureOf(path);
    if (now === seen) return;
    if (quiet === undefined) changedMs = performance.now();
    seen = now;
    clearTimeout(quiet);
    const leftMs = changedMs + mostMs - performance.now();
    quiet = setTimeout(settle, Math.max(0, Math.min(quietMs, leftMs)));
  };
  const settle = () => {
    quiet = undefined;
    seen = signatureOf(path);
    // While it is being replaced there may be none.
    if (seen === reported || seen === MISSING) return;
    reported = seen;
    onChange();
  };
  const watcher = watchFolder(path, look);
  const poll = setInterval(look, pollMs);
  look();
  return () => {
    watcher?.close();
    clearInterval(poll);
    clearTimeout(quiet);
  };
}

const MISSING = 'missing';

/** Changes whenever the content does: another file, another size or another time. */
export function signatureOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat ? `${stat.ino} ${stat.size} ${stat.mtimeNs}` : MISSING;
}

/** Undefined: the system cannot watch here (limits, network drives), and looking has to do. */
function watchFolder(path: string, look: () => void): FSWatcher | undefined {
  const name = basename(path);
  try {
    const watcher = watch(dirname(resolve(path)), (_, changed) => {
      if (changed === null || changed === name) look();
    });
    return watcher.on('error', () => watcher.close());
  } catch {
    return undefined;
  }
}
