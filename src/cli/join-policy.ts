/** What `kindred join` accepts of a federation: a file, and flags that override it. */
import { inputError } from '../base/errors.ts';
import { readText } from '../node/files/files.ts';
import { isObject } from '../settings/kind.ts';
import { object, partial, readSettings } from '../settings/objects.ts';
import { POLICY, type Policy, parsePolicy } from '../settings/policy.ts';
import { OPTIONS } from '../settings/refused.ts';
import { settingsGiven } from './flags.ts';
import { readKeyList } from './key-list.ts';

export async function readPolicy(flags: { readonly policy?: string }): Promise<Policy> {
  const given: Record<string, unknown> = { ...settingsGiven(flags, POLICY) };
  if (typeof given.peers === 'string') given.peers = await readPeers(given.peers);
  readSettings(object(partial(POLICY)), given, OPTIONS);
  const file = flags.policy === undefined ? {} : await readPolicyFile(flags.policy);
  return parsePolicy('policy', { ...file, ...given });
}

async function readPolicyFile(path: string): Promise<object> {
  const json = parseJson(path, await readText(path));
  parsePolicy(path, json);
  return json as object;
}

function parseJson(path: string, text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    if (isObject(json)) return json;
  } catch {
    // Said below.
  }
  throw inputError('BAD_POLICY', `${path}: expected a JSON object`);
}

async function readPeers(path: string): Promise<Record<string, string>> {
  const peers = await readKeyList(path, 'BAD_PEERS');
  if (peers.length === 0)
    throw inputError('BAD_PEERS', `${path}: expected at least one name and key, got none`);
  return Object.fromEntries(peers.map(({ participant, key }) => [participant, key]));
}
