/** A table by its content. */
import { createHash } from 'node:crypto';
import type { Table } from '../../data/table.ts';

export function fingerprint(table: Table): string {
  const { x, participants, participantOf, targets, features, levels, weights } = table;
  const more = levels || weights ? [levels, weights && [...weights]] : [];
  const hash = createHash('sha256');
  for (const part of [x, participantOf])
    hash.update(new Uint8Array(part.buffer, part.byteOffset, part.byteLength));
  hash.update(JSON.stringify([participants, targets, features, ...more]));
  return hash.digest('hex').slice(0, 32);
}
