/** Flags of the command line: from the settings they are for, or from the kind of value that they take. */
import { type Command, Option } from 'commander';
import { inputError } from '../base/errors.ts';
import { parseDecimal } from '../data/number.ts';
import { type Fields, isObject, type Json, type Kind } from '../settings/kind.ts';
import { choice, whole } from '../settings/kinds.ts';
import { object, partial, readSettings } from '../settings/objects.ts';
import { OPTIONS } from '../settings/refused.ts';
import { fieldsOf, settingFlags } from '../settings/setting-flags.ts';
import { offer } from './offered.ts';

/**
 * A flag for each of these settings: its name follows from the key, help and default from the declaration. Values are left as they were
 * typed: whoever uses them checks them, and what was not given stays undefined.
 */
export function addSettings(command: Command, fields: Fields): Command {
  for (const { path, setting, flag } of settingFlags(fields)) {
    const { is, declared } = setting;
    const [name] = flag.split(' ');
    const text = helpOf(setting);
    const isSwitch = !flag.includes('<');
    const option = new Option(flag, isSwitch ? text.replace(' (default: none)', '') : text);
    if (is.choices && !isSwitch) offer(option, is.choices);
    if (path[0] === 'waiting') option.argParser(waitingFrom);
    else if (path[0] === 'levels') option.argParser(levelsFrom);
    else if (is.form === 'time') option.argParser(durationValue(name));
    else if (is.form === 'list') option.argParser(nameList);
    else if (is.form === 'numbers')
      option.argParser((given: string) => nameList(given, []).map(numberOrText));
    else if (is.form === 'number') option.argParser(numberOrText);
    command.addOption(option);
    if (is.form === 'switch') command.option(`--no-${path.join('-')}`, `do not ${declared.about}`);
  }
  return command;
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
  if (is.form === 'list' && (value as readonly unknown[]).length === 0) return 'none';
  return String(isObject(value) ? value.kind : value);
}

/** Only what was given, by key; what is inside of objects, inside of objects. */
export function settingsGiven(flags: object, fields: Fields): Json {
  const given: Record<string, unknown> = {};
  for (const { path, setting, flag } of settingFlags(fields)) {
    const value = (flags as Json)[attributeOf(flag)];
    if (value !== undefined) put(given, path, switchedOn(setting, value));
  }
  return given;
}

/** What a switch stands for: the one choice, or an object with all its defaults. */
function switchedOn(setting: Kind<unknown, unknown>, value: unknown): unknown {
  if (value !== true) return value;
  if (fieldsOf(setting)) return {};
  return setting.is.choices?.[0] ?? value;
}

function put(into: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    into[key] = value;
    return;
  }
  const inner = isObject(into[key]) ? { ...into[key] } : {};
  put(inner, rest, value);
  into[key] = inner;
}

/** The same, and each is checked by itself. */
export function checkedSettings(flags: object, fields: Fields): Json {
  const given = settingsGiven(flags, fields);
  readSettings(object(loose(fields)), given, OPTIONS);
  return given;
}

/** Each may be missing, inside of objects too. */
function loose(fields: Fields): Fields {
  const entries = Object.entries(partial(fields)).map(([key, kind]) => {
    const inner = fieldsOf(kind);
    return [key, inner ? object(loose(inner)).optional() : kind];
  });
  return Object.fromEntries(entries);
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
  const option = new Option(flags, about).default(fallback).argParser(kindValue(flags.split(' ')[0], kind));
  return kind.is.choices ? offer(option, kind.is.choices) : option;
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

/** color=red,green; a second --levels adds another column. */
function levelsFrom(
  text: string,
  previous: Readonly<Record<string, readonly string[]>> | undefined,
): Readonly<Record<string, readonly string[]>> {
  const at = text.indexOf('=');
  if (at < 1) return refuse('--levels', 'a column and its levels, such as color=red,green', text);
  return { ...previous, [text.slice(0, at).trim()]: nameList(text.slice(at + 1), undefined) };
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
