/**
 * Commands that this program suggests, whole and ready for a shell: flags come from the declarations of settings and options, so one that is
 * added later is in every suggestion by itself.
 */
import type { Option } from 'commander';
import { type Fields, isObject, type Json } from '../settings/kind.ts';
import { type SettingFlag, settingFlags } from '../settings/setting-flags.ts';

/** What the reader has to fill in: shown as it is, not quoted. */
export class Placeholder {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Word = string | Placeholder;

/** `program` as it is called here: one word or several. */
export function commandLine(program: string, ...words: readonly Word[]): string {
  return [program, ...words.map((word) => (typeof word === 'string' ? quoted(word) : word.text))].join(' ');
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Flags of the settings whose values are not the default ones; of those in `always` in any case. */
export function settingWords(fields: Fields, values: Json, always: readonly string[] = []): string[] {
  return settingFlags(fields).flatMap((one) => {
    const value = one.path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), values);
    const isDefault = JSON.stringify(value) === JSON.stringify(one.setting.declared.fallback);
    return value === undefined || (isDefault && !always.includes(one.path.join('.')))
      ? []
      : wordsOf(one, value);
  });
}

function wordsOf({ flag, setting: { is } }: SettingFlag, value: unknown): string[] {
  const [name, placeholder] = flag.split(' ');
  if (is.form === 'switch') return [value === true ? name : `--no-${name.slice(2)}`];
  if (placeholder === undefined) return [name];
  // Objects by name come from programs: no flag takes them.
  if (isObject(value)) return [];
  return [name, is.form === 'time' ? `${value}ms` : String(value)];
}

/** The same for options that are no settings, from the values that commander has of them. */
export function optionWords(options: readonly Option[], flags: object): string[] {
  const values = flags as Json;
  return options.flatMap((option) => {
    const value = values[option.attributeName()];
    if (value === undefined || value === option.defaultValue || option.long == null) return [];
    if (typeof value === 'boolean') return value === !option.negate ? [option.long] : [];
    return [option.long, Array.isArray(value) ? value.join(',') : String(value)];
  });
}
