/** Flags of the command line: from the settings they are for, or from the kind of value that they take. */
import { type Command, Option } from 'commander';
import { inputError } from '../base/errors.ts';
import { parseDecimal } from '../data/number.ts';
import { type Fields, isObject, type Json, type Kind } from '../settings/kind.ts';
import { choice, whole } from '../settings/kinds.ts';
import { object, partial, readSettings } from '../settings/objects.ts';
import { flagOf, OPTIONS } from '../settings/refused.ts';

/**
 * A flag for each of these settings: its name follows from the key, help and default from the declaration. Values are left as they were
 * typed: whoever uses them checks them, and what was not given stays undefined.
 */
export function addSettings(command: Command, fields: Fields): Command {
  for (const key of flagKeys(fields)) {
    const { is, declared } = fields[key];
    const flag = declared.flag ?? `${flagOf(key)}${placeholder(is)}`;
    const text = helpOf(fields[key]);
    if (!flag.includes('<')) command.option(flag, text.replace(' (default: none)', ''));
    else if (key === 'waiting') command.option(flag, text, waitingFrom);
    else if (is.form === 'time') command.option(flag, text, durationValue(flagOf(key)));
    else if (is.form === 'list') command.option(flag, text, nameList);
    else if (is.form === 'number') command.option(flag, text, numberOrText);
    else command.option(flag, text);
    if (is.form === 'switch') command.option(`--no-${key}`, `do not ${declared.about}`);
  }
  return command;
}

/** Of all that one value can say; what is made of parts has a flag where its declaration names one. */
function flagKeys(fields: Fields): string[] {
  return Object.keys(fields).filter((key) => fields[key].declared.flag || !fields[key].is.parts);
}

function placeholder({ form, choices }: Kind<unknown>['is']): string {
  if (form === 'switch') return '';
  if (form === 'number' || form === 'time') return form === 'time' ? ' <time>' : ' <number>';
  return choices ? ' <kind>' : ' <value>';
}

function helpOf(setting: Kind<unknown, unknown>): string {
  const { about, fallback, derived } = setting.declared;
  const { choices = [] } = setting.is;
  const values = choices.length > 1 ? `: ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` : '';
  const usual = derived ?? (fallback === undefined ? undefined : defaultText(setting, fallback));
  return `${about}${values}${usual === undefined ? '' : ` (default: ${usual})`}`;
}

function defaultText({ is }: Kind<unknown, unknown>, value: unknown): string {
  if (value === Infinity) return 'no limit';
  if (is.form === 'time') return `${(value as number) / 1000}s`;
  return String(isObject(value) ? value.kind : value);
}

/** Only what was given, by key. */
export function settingsGiven(flags: object, fields: Fields): Json {
  const values = flags as Json;
  const entries = flagKeys(fields).map((key) => [
    key,
    values[attributeOf(fields[key].declared.flag ?? flagOf(key))],
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The same, and each is checked by itself. */
export function checkedSettings(flags: object, fields: Fields): Json {
  const given = settingsGiven(flags, fields);
  readSettings(object(partial(fields)), given, OPTIONS);
  return given;
}

/** --max-wait <time> -> maxWait, as commander calls it. */
function attributeOf(flag: string): string {
  return flag.replace(/^--| .*/g, '').replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A number, or the text itself where it is none: the kind refuses that, and names option and range. */
function numberOrText(text: string): number | string {
  const value = parseDecimal(text);
  return Number.isFinite(value) ? value : text;
}

/** A parser for commander: a value of a kind. `where`: the option, or the argument. */
export function kindValue<T>(where: string, kind: Kind<T, unknown>): (text: string) => T {
  const name = where.startsWith('--') ? `option ${where}` : where;
  return (text) =>
    readSettings(kind, kind.is.form === 'number' ? numberOrText(text) : text, {
      code: 'BAD_OPTION',
      name,
      typed: true,
    });
}

/** An option that takes a value of a kind. */
export function valued<T>(flags: string, about: string, kind: Kind<T, unknown>, fallback?: T): Option {
  return new Option(flags, about).default(fallback).argParser(kindValue(flags.split(' ')[0], kind));
}

export function oneOf<T extends string>(where: string, words: readonly T[]): (text: string) => T {
  return kindValue(where, choice(...words));
}

/** "a, b" and a second --drop add up. */
export function nameList(text: string, previous: readonly string[] | undefined): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...(previous ?? []), ...names.filter((name) => name !== '')];
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
};
/** Timers of all runtimes take at most this many milliseconds. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

/** 500ms, 2s, 10m, 12h, 7d in milliseconds; undefined where it is no time. */
export function durationFrom(text: string, most = LONGEST_WAIT_MS): number | undefined {
  const [, number = '', unit = ''] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
  const ms = parseDecimal(number) * (UNITS[unit] ?? Number.NaN);
  return ms > 0 && ms <= most ? ms : undefined;
}

export function durationValue(option: string, most = LONGEST_WAIT_MS): (text: string) => number {
  return (text) =>
    durationFrom(text, most) ?? refuse(option, 'a time such as 500ms, 2s, 10m, 12h or 7d', text);
}

/** all, benchmarks, a time, or a share of the participants. */
function waitingFrom(text: string): object {
  if (text === 'all' || text === 'benchmarks') return { kind: text };
  const ms = durationFrom(text, LONGEST_WAIT_MS);
  if (ms !== undefined) return { kind: 'fixed', ms };
  const percent = text.endsWith('%') ? parseDecimal(text.slice(0, -1)) : Number.NaN;
  if (percent > 0 && percent <= 100) return { kind: 'share', share: percent / 100 };
  return refuse('--wait', 'all, benchmarks, a time such as 500ms or 2s, or a share such as 90%', text);
}

export function refuse(option: string, expected: string, text: string): never {
  throw inputError('BAD_OPTION', `option ${option}: expected ${expected}, got ${text || '""'}`);
}

/** `about` says what is spread over the threads. */
export function addThreadsOption(command: Command, about: string): Command {
  return command.addOption(valued('--threads <number>', about, whole(1, 1024)));
}

/** The last option of a command, and the examples below its help. */
export function finish(command: Command, ...examples: readonly string[]): void {
  command.option('--json', 'print one JSON document on stdout');
  example(command, ...examples);
}

export function example(command: Command, ...lines: readonly string[]): void {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
}
