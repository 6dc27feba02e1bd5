/** A file of participants that may take part, by their keys: a line for each, its name and then its key. */
import { inputError } from '../../base/errors.ts';
import { readText } from '../../node/files/files.ts';
import { participantId, publicKey } from '../../node/server/schemas.ts';

export interface Allowed {
  readonly participant: string;
  readonly key: string;
}

export async function readAllowList(path: string): Promise<Allowed[]> {
  const lines = (await readText(path)).split('\n');
  return lines.flatMap((line, i) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return [];
    const [, participant = '', key = ''] = /^(.*\S)\s+(\S+)$/.exec(text) ?? [];
    if (participantId.safeParse(participant).success && publicKey.safeParse(key).success)
      return [{ participant, key }];
    throw inputError(
      'BAD_ALLOW_LIST',
      `${path}, line ${i + 1}: expected a name and a key of 43 characters (base64url), got ${text.slice(0, 80)}`,
    );
  });
}
