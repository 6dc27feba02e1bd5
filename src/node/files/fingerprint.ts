/** A table by its content. */
import { createHash } from 'node:crypto';
import type { Table } from '../../data/table.ts';

export function fingerprint({ x, participants, participantOf, targets, features }: Table): string {
  const hash = createHash('sha256');
  for (const part of [x, participantOf])
    hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  hash.update(JSON.stringify([participants, targets, features]));
  return hash.digest('hex').slice(0, 32);
}
