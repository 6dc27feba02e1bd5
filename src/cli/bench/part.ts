/**
 * A part of `kindred bench`: what it measures, and the text for it. Machines are noisy, so everything is the median of several
 * alternating runs, as a ratio.
 */
import type { Table } from '../../data/table.ts';
import { median } from '../../reproduce/statistics.ts';
import type { Layout } from '../layout.ts';

export interface Bench {
  /** Milliseconds from any start. */
  readonly now: () => number;
  readonly table: Table;
  readonly show: (what: string) => void;
  /** `usual`: in about a minute; `full`: with the largest sizes, too. */
  readonly extent: 'usual' | 'full';
}

interface Measured {
  readonly result: unknown;
  /** A title, and what is below it. */
  readonly lines: (layout: Layout) => string[];
}

export type Part = (bench: Bench) => Promise<Measured>;

export function part<T>(
  measure: (bench: Bench) => T | Promise<T>,
  lines: (result: T, layout: Layout) => string[],
): Part {
  return async (bench) => {
    const result = await measure(bench);
    return { result, lines: (layout) => lines(result, layout) };
  };
}

export const ms = (value: number) => `${value < 10 ? value.toFixed(2) : value.toFixed(0)} ms`;
export const times = (value: number) => `${value.toFixed(2)}x`;

/** Median milliseconds of each candidate, in turns, after one round that is not counted. */
export function sideBySide<K extends string>(
  now: () => number,
  repeats: number,
  candidates: Readonly<Record<K, () => void>>,
): Record<K, number> {
  const names = Object.keys(candidates) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let r = 0; r <= repeats; r++) {
    for (const name of names) {
      const started = now();
      candidates[name]();
      if (r > 0) times[name].push(now() - started);
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])])) as Record<K, number>;
}
