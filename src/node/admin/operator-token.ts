/** The operator's token in a file that only its owner can read. */
import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { inputError } from '../../base/errors.ts';
import { onFileSync } from '../files/file-error.ts';
import { readIfThere } from '../files/files.ts';
import { placeOfStore } from '../store/store-address.ts';

const TOKEN_BYTES = 24;
/** Whoever else may read it is an operator, too. */
const OTHERS = 0o077;

/** Beside the store that it is for. */
export function tokenFileOf(store: string): string {
  return `${placeOfStore(store)}.token`;
}

/** Undefined where there is no such file. */
export function readToken(path: string): string | undefined {
  const bytes = readIfThere(path);
  return bytes && checkToken(new TextDecoder().decode(bytes).trim(), path);
}

/** What is there, or a new one. */
export function ensureToken(path: string): string {
  const known = readToken(path);
  if (known !== undefined) return known;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  onFileSync(path, () => writeFileSync(path, `${token}\n`, { mode: 0o600, flag: 'wx' }));
  return token;
}

export function isReadByOthers(path: string): boolean {
  return process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0;
}

/** It travels in a header: whatever would not fit there is a mistake. */
export function checkToken(token: string, source: string): string {
  if (/^[\x21-\x7e]{8,500}$/.test(token)) return token;
  throw inputError('BAD_TOKEN', `${source}: expected a token of 8 to 500 visible characters`);
}
