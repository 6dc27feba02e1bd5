/** A file of participants by their keys: a line for each, its name and then its key. `serve --allow` and `join --peers` read it. */
import { inputError } from '../base/errors.ts';
import { readText } from '../node/files/files.ts';

export interface ListedKey {
  readonly participant: string;
  /** Raw Ed25519 public key, base64url. */
  readonly key: string;
  readonly file: string;
  readonly line: number;
}

/** `code`: of the refusal of a line; `isName` may refuse names. */
export async function readKeyList(
  path: string,
  code: 'BAD_ALLOW_LIST' | 'BAD_PEERS',
  isName: (name: string) => boolean = () => true,
): Promise<ListedKey[]> {
  const lines = (await readText(path)).split('\n');
  return lines.flatMap((line, i) => {
    const text = line.trim();
    if (text === '' || text.startsWith('#')) return [];
    const [, participant = '', key = ''] = /^(.*\S)\s+([\w-]{43})$/.exec(text) ?? [];
    if (participant !== '' && isName(participant)) return [{ participant, key, file: path, line: i + 1 }];
    throw inputError(
      code,
      `${path}, line ${i + 1}: expected a name and a key of 43 characters (base64url), got ${text.slice(0, 80)}`,
    );
  });
}
