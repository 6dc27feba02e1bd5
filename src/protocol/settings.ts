/**
 * The settings of a federation as JSON text (u32 length, UTF-8): sent once, and worth reading in a dump. Strict: a
 * participant that does not know a setting cannot honour it.
 */

import { mostMappedFeatures } from '../settings/feature-map.ts';
import { Refused, sentenceOf } from '../settings/refused.ts';
import { type FederationSettings, wireKind } from '../settings/wire.ts';
import type { Field } from './fields.ts';
import type { Reader } from './payload.ts';

/** What a refusal repeats of a peer's text. */
const QUOTED_CHARACTERS = 200;

export const settingsText: Field<FederationSettings> = {
  write(out, value, name) {
    const checked = settingsFrom(value, (refused) => out.fail(`${name}: ${sentenceOf(refused)}`));
    // In the order of the declaration, not the caller's: the same settings are the same bytes.
    const bytes = new TextEncoder().encode(JSON.stringify(checked));
    out.u32(bytes.length);
    out.raw(bytes);
  },
  read(input, name) {
    const length = input.length(name, input.u32(name), input.limits.maxTextBytes, 'bytes');
    const json = parse(input, name, input.text(name, length));
    const settings = settingsFrom(json, (refused) => {
      // JSON has no infinity, but 1e999 reads as one.
      const code = refused.got === Infinity || refused.got === -Infinity ? 'NOT_FINITE' : 'BAD_FRAME';
      return input.refuse(code, `${name}: ${sentenceOf(refused).slice(0, QUOTED_CHARACTERS)}`);
    });
    const { maxFeatures } = input.limits;
    const most = Math.min(maxFeatures, mostMappedFeatures(settings.map));
    input.length(`${name}.features`, settings.features, most, 'features');
    input.length(`${name}.map.count`, settings.map?.count ?? 0, maxFeatures, 'features');
    return settings;
  },
};

function settingsFrom(given: unknown, refuse: (refused: Refused) => never): FederationSettings {
  try {
    return wireKind.read(given, { path: [], missing: 'refused' });
  } catch (error) {
    if (error instanceof Refused) return refuse(error);
    throw error;
  }
}

function parse(input: Reader, name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return input.refuse('BAD_FRAME', `${name}: expected JSON, got other text`);
  }
}
