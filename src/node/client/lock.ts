/**
 * One process per state folder. A lock names its process by number and by when it started: numbers are used again. The
 * lock of a process that is gone blocks nobody, however it went.
 */
import { randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputError } from '../../base/errors.ts';
import { fileError } from '../files/file-error.ts';
import { readIfThere } from '../files/files.ts';

interface Holder {
  readonly pid: number;
  /** Of the process, and of the machine, where the system knows; empty elsewhere. */
  readonly started: string;
  readonly boot: string;
}

const ATTEMPTS = 10;
/** Codes of file systems that know no hard links. */
const WITHOUT_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Gives what releases it; refuses a folder that a living process uses. */
export function lockFolder(folder: string): () => void {
  const path = join(folder, 'lock');
  const { pid } = process;
  const own = JSON.stringify({ pid, started: startOf(pid)?.started ?? '', boot: bootId() });
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (create(path, own)) return () => release(path, own);
    const found = read(path);
    if (found === undefined) continue;
    const holder = holderFrom(found);
    if (holder && isAlive(holder)) throw inUse(folder, holder.pid);
    removeStale(path, found);
  }
  throw inputError('STATE_IN_USE', `${folder}: could not acquire the lock; try again`);
}

/** Appears complete under its name or not at all: whoever reads a lock reads all of it. */
function create(path: string, content: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, content, { flag: 'wx', mode: 0o600 });
    try {
      linkSync(draft, path);
    } catch (error) {
      if (!WITHOUT_LINKS.has((error as { code?: string }).code ?? '')) throw error;
      writeFileSync(path, content, { flag: 'wx', mode: 0o600 });
    }
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === 'EEXIST') return false;
    throw fileError(error, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function read(path: string): string | undefined {
  const bytes = readIfThere(path);
  return bytes && new TextDecoder().decode(bytes);
}

/** Two may find the same stale lock: the slower one may not remove the new lock of the faster. */
function removeStale(path: string, stale: string): void {
  const aside = `${path}.${randomUUID()}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== stale) linkSync(aside, path);
  } catch {
    // Somebody else was faster: the next attempt reads it again.
  } finally {
    rmSync(aside, { force: true });
  }
}

function release(path: string, own: string): void {
  try {
    if (read(path) === own) rmSync(path, { force: true });
  } catch {
    // What is left blocks nobody once this process has ended.
  }
}

/** Undefined for what is no lock: an empty file after a power cut, say. */
function holderFrom(text: string): Holder | undefined {
  try {
    const { pid, started, boot } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isInteger(pid) || pid! < 1) return undefined;
    return { pid: pid!, started: String(started ?? ''), boot: String(boot ?? '') };
  } catch {
    return undefined;
  }
}

function isAlive({ pid, started, boot }: Holder): boolean {
  if (boot !== bootId()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    if ((error as { code?: string }).code !== 'EPERM') return false;
  }
  const found = startOf(pid);
  if (!found || started === '') return true;
  return found.started === started && !found.isDead;
}

/** Field 22 of /proc/<pid>/stat, and whether only its entry is left; undefined where there is no /proc. */
function startOf(pid: number): { started: string; isDead: boolean } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program, in brackets, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { started: fields[19], isDead: fields[0] === 'Z' || fields[0] === 'X' };
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function inUse(folder: string, pid: number): Error {
  const who = pid === process.pid ? 'this process itself' : `process ${pid}`;
  return inputError(
    'STATE_IN_USE',
    `${folder}: expected an unused state folder, got one in use by ${who}; stop it, or give another --state`,
  );
}
