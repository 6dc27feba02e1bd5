/** The one token of a process that is no coordinator: for reading its metrics, and nothing else. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Tokens } from '../server/tokens.ts';

export function singleToken(expected: string | undefined): Pick<Tokens, 'actorOf'> {
  return {
    actorOf: (given) =>
      expected !== undefined && isSame(given, expected) ? { name: 'metrics', role: 'read' } : undefined,
  };
}

function isSame(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
