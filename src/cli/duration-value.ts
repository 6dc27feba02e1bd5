/** Times from text: 500ms, 2s, 10m, 12h, 7d. */
import { inputError } from '../base/errors.ts';
import { parseDecimal } from '../data/number.ts';

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
};

/** Milliseconds; undefined where it is no time. */
export function durationFrom(text: string): number | undefined {
  const [, number = '', unit = ''] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
  const ms = parseDecimal(number) * (UNITS[unit] ?? Number.NaN);
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

/** A parser for commander. */
export function durationValue(option: string, most: number): (text: string) => number {
  return (text) => {
    const ms = durationFrom(text);
    if (ms !== undefined && ms <= most) return ms;
    throw inputError(
      'BAD_OPTION',
      `option ${option}: expected a time such as 500ms, 2s, 10m, 12h or 7d, got ${text || '""'}`,
    );
  };
}
