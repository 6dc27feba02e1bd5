/** The federation that `serve` is to run: from a file, from flags, or as it is in the store already. */
import { inputError } from '../../base/errors.ts';
import { type CoordinatorOptions, optionsToJson, parseOptions } from '../../coordinator/options.ts';
import { readText } from '../../node/files/files.ts';
import { FEDERATION_FLAGS, STOP } from '../../settings/federation.ts';
import { isObject, type Json } from '../../settings/kind.ts';
import { checkedSettings } from '../flags.ts';
import type { ServeFlags } from './server-options.ts';

export interface WantedFederation {
  readonly name: string;
  /** What was asked for, without defaults. */
  readonly given: Json;
  readonly options: CoordinatorOptions;
}

interface WrittenFederation {
  readonly name?: string;
  readonly options: Json;
}

/** Flags go before the file. */
export async function wantedFederation(flags: ServeFlags): Promise<WantedFederation> {
  const typed = checkedSettings(flags, FEDERATION_FLAGS);
  const file = flags.federationFile;
  const written: WrittenFederation = file === undefined ? { options: {} } : await readFederation(file);
  const entries = Object.entries(typed);
  const stop = Object.fromEntries(entries.filter(([key]) => key in STOP));
  const flagged = Object.fromEntries(entries.filter(([key]) => !(key in STOP)));
  const given = over(written.options, Object.keys(stop).length > 0 ? { ...flagged, stop } : flagged);
  return {
    name: flags.federation ?? written.name ?? 'default',
    given,
    options: parseOptions(file ?? 'options of the federation', given),
  };
}

/** What was typed before what was written, inside of objects too. */
function over(written: Json, typed: Json): Json {
  const merged: Record<string, unknown> = { ...written };
  for (const [key, value] of Object.entries(typed)) {
    const before = merged[key];
    // Kinds of waiting are not mixed.
    const isMerged = isObject(before) && isObject(value) && !('kind' in value);
    merged[key] = isMerged ? over(before, value) : value;
  }
  return merged;
}

/** {name?, options}, or the options alone. */
async function readFederation(file: string): Promise<WrittenFederation> {
  const text = await readText(file);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw inputError('NOT_JSON', `${file}: expected options as JSON, got ${(error as Error).message}`);
  }
  if (!isObject(json))
    throw inputError('BAD_OPTIONS', `${file}: expected an object of options, got ${text.slice(0, 40)}`);
  if (!('options' in json) && !('name' in json)) return { options: json };
  const { name, options = {}, ...rest } = json;
  const [other] = Object.keys(rest);
  if (other !== undefined)
    throw inputError('BAD_OPTIONS', `${file}: ${other}: expected only name and options`);
  if (name !== undefined && typeof name !== 'string')
    throw inputError('BAD_OPTIONS', `${file}: name: expected text, got ${JSON.stringify(name)}`);
  if (!isObject(options)) throw inputError('BAD_OPTIONS', `${file}: options: expected an object`);
  return { ...(name !== undefined && { name }), options };
}

/** Names of what was asked for and is otherwise in the store. */
export function contradictions({ given, options }: WantedFederation, stored: CoordinatorOptions): string[] {
  const wanted = optionsToJson(options) as Json;
  const found = optionsToJson(stored) as Json;
  return Object.keys(given).flatMap((name) => {
    // Of `stop` only what was given: the rest of it is default.
    const [a, b] = [wanted[name], found[name]];
    const inner = given[name];
    if (!isObject(inner) || !isObject(a) || !isObject(b)) return isSame(a, b) ? [] : [name];
    return Object.keys(inner).flatMap((key) => (isSame(a[key], b[key]) ? [] : [`${name}.${key}`]));
  });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
