/** Errors of the operating system as sentences that name the file. */
import { type ErrorKind, KindredError } from '../../base/errors.ts';

const SENTENCES: Readonly<Record<string, readonly [code: string, sentence: string, kind: ErrorKind]>> = {
  ENOENT: ['FILE_NOT_FOUND', 'there is no such file or folder', 'input'],
  EISDIR: ['IS_A_FOLDER', 'expected a file, got a folder', 'input'],
  ENOTDIR: ['FILE_NOT_FOUND', 'a part of this path is a file, not a folder', 'input'],
  EACCES: ['NO_PERMISSION', 'permission to use this file was denied', 'input'],
  EPERM: ['NO_PERMISSION', 'permission to use this file was denied', 'input'],
  EROFS: ['NO_PERMISSION', 'it lies on a file system that cannot be written', 'input'],
  ENAMETOOLONG: ['FILE_NOT_FOUND', 'the name is longer than file names may be', 'input'],
  ELOOP: ['FILE_NOT_FOUND', 'its symbolic links lead in a circle', 'input'],
  ENXIO: ['FILE_NOT_FOUND', 'there is nothing behind this special file', 'input'],
  EMFILE: ['TOO_MANY_FILES', 'too many files are open', 'run'],
  ENOSPC: ['DISK_FULL', 'no space is left on the disk', 'run'],
  EDQUOT: ['DISK_FULL', 'the disk quota is used up', 'run'],
  EFBIG: ['DISK_FULL', 'the file is larger than files may be', 'run'],
  EIO: ['DISK_FAILED', 'the disk could not be read or written', 'run'],
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
