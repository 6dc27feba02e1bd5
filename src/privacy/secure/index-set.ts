/** A set of indices below n as ceil(n / 8) bytes: index i is bit i & 7 of byte i >> 3. Spare bits are 0. */
import { demandBytes, refuse } from './secure-error.ts';

export type IndexSet = Uint8Array;

export function setOf(indices: Iterable<number>, size: number): IndexSet {
  const set = new Uint8Array(Math.ceil(size / 8));
  for (const i of indices) set[i >> 3] |= 1 << (i & 7);
  return set;
}

export function has(set: IndexSet, index: number): boolean {
  return ((set[index >> 3] >> (index & 7)) & 1) === 1;
}

export function members(set: IndexSet): number[] {
  const found: number[] = [];
  for (let i = 0; i < 8 * set.length; i++) if (has(set, i)) found.push(i);
  return found;
}

export function checkSet(set: IndexSet, size: number, where: string, blamed?: string): void {
  demandBytes(set, Math.ceil(size / 8), where, blamed);
  const spare = set.length > 0 ? set[set.length - 1] >> (((size - 1) & 7) + 1) : 0;
  if (spare !== 0)
    refuse('SECURE_MALFORMED', `${where}: expected indices below ${size}, got a larger one`, blamed);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
