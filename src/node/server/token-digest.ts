/** Of the token of an invitation, under which it is stored: hex. The token itself is kept nowhere. */
import { createHash } from 'node:crypto';

export function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
