/** Errors of the operating system as sentences that name the file. */
import { type ErrorKind, KindredError } from '../../base/errors.ts';

const SENTENCES: Readonly<Record<string, readonly [code: string, sentence: string, kind: ErrorKind]>> = {
  ENOENT: ['FILE_NOT_FOUND', 'no such file or folder', 'input'],
  EISDIR: ['IS_A_FOLDER', 'expected a file, got a folder', 'input'],
  ENOTDIR: ['FILE_NOT_FOUND', 'part of this path is a file, not a folder', 'input'],
  EACCES: ['NO_PERMISSION', 'permission denied', 'input'],
  EPERM: ['NO_PERMISSION', 'permission denied', 'input'],
  EROFS: ['NO_PERMISSION', 'the file system is read-only', 'input'],
  ENAMETOOLONG: ['FILE_NOT_FOUND', 'the file name is too long', 'input'],
  ELOOP: ['FILE_NOT_FOUND', 'too many levels of symbolic links', 'input'],
  ENXIO: ['FILE_NOT_FOUND', 'no such device', 'input'],
  EMFILE: ['TOO_MANY_FILES', 'too many open files', 'run'],
  ENOSPC: ['DISK_FULL', 'no space left on the disk', 'run'],
  EDQUOT: ['DISK_FULL', 'the disk quota is exceeded', 'run'],
  EFBIG: ['DISK_FULL', 'the file is too large', 'run'],
  EIO: ['DISK_FAILED', 'input/output error of the disk', 'run'],
};

/** Anything that is not a known file error comes back as it is. */
export function fileError(error: unknown, path: string): unknown {
  const known = SENTENCES[(error as { code?: string } | null)?.code ?? ''];
  if (!known) return error;
  const [code, sentence, kind] = known;
  return new KindredError(code, `${path === '' ? '""' : path}: ${sentence}`, kind);
}

/** Runs what touches one file; its failures name that file. */
export function onFileSync<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw fileError(error, path);
  }
}

export async function onFile<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw fileError(error, path);
  }
}
