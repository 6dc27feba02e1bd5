/** Option values from text, strictly: "abc", "1e", "0x10" and "" are not numbers. */
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { parseDecimal } from '../data/number.ts';

/** A number, or the text itself where it is none: `resolveOptions` refuses that, and names option and range. */
export function numberOrText(text: string): number | string {
  const value = parseDecimal(text);
  if (Number.isFinite(value)) return value;
  return text === '' ? '""' : text;
}

/** A parser for commander: a whole number within bounds. */
export function wholeNumber(option: string, least: number, most = 1_000_000_000): (text: string) => number {
  return (text) => {
    const value = parseDecimal(text);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    const range = most === 1_000_000_000 ? `of at least ${least}` : `from ${least} to ${most}`;
    throw inputError('BAD_OPTION', `option ${option}: expected a whole number ${range}, got ${text || '""'}`);
  };
}

/** A parser for commander: one of some words. */
export function oneOf<T extends string>(option: string, words: readonly T[]): (text: string) => T {
  return (text) => {
    const word = words.find((candidate) => candidate === text);
    if (word !== undefined) return word;
    throw inputError('BAD_OPTION', `${option}: expected one of ${words.join(', ')}, got ${text || '""'}`);
  };
}

/** "a, b" and a second --drop add up. */
export function nameList(text: string, previous: readonly string[] | undefined): readonly string[] {
  const names = text.split(',').map((name) => name.trim());
  return [...(previous ?? []), ...names.filter((name) => name !== '')];
}

/** `about` says what is spread over the threads. */
export function addThreadsOption(command: Command, about: string): Command {
  return command.option('--threads <number>', about, wholeNumber('--threads', 1, 1024));
}

export function addJsonOption(command: Command): Command {
  return command.option('--json', 'print one JSON document on stdout');
}

export function example(command: Command, ...lines: readonly string[]): Command {
  const title = lines.length === 1 ? 'Example' : 'Examples';
  return command.addHelpText('after', `\n${title}:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
}
