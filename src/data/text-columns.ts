/**
 * Text among the features while a table is being read. A column is text if more than half of its values are: fewer are mistakes among
 * numbers, and the first of them is refused. In a text column numbers are text, too, in their canonical form: "7" and "7.0" are one level.
 *
 * Which it is is known at the end. Until then a text stands in x as a number that no feature can be: (its place + 1) * 2^500.
 */
import { inputError, type KindredError } from '../base/errors.ts';
import { count } from './memory.ts';
import { dropHint, optionWord, parseDecimal, shown } from './number.ts';
import { naturallySorted } from './participants.ts';
import type { CategoricalRule, Table } from './table.ts';

const UNIT = 2 ** 500;
/** A column with no more text than this is one of numbers: to make a feature of every number would hide a mistake. */
const MISTAKES = 0.5;
/** More different texts are ids, or prose; nobody wants them in memory. */
const MOST_TEXTS = 1 << 16;

interface Found {
  readonly places: Map<string, number>;
  /** What is wrong with its first text, if it is a column of numbers; undefined: it is text whatever it holds. */
  readonly mistake: KindredError | undefined;
}

export class TextColumns {
  private readonly source: string;
  private readonly names: readonly string[];
  private readonly rule: CategoricalRule;
  private readonly found = new Map<number, Found>();

  /** Of features with these names. */
  constructor(source: string, names: readonly string[], rule: CategoricalRule = 'auto') {
    this.source = source;
    this.names = names;
    this.rule = rule;
    if (typeof rule === 'string') return;
    for (const [j, name] of names.entries()) {
      if (rule.includes(name)) this.found.set(j, { places: new Map(), mistake: undefined });
    }
  }

  /** Whether the values of column j are levels, whatever they look like. */
  isListed(j: number): boolean {
    const found = this.found.get(j);
    return found !== undefined && !found.mistake;
  }

  /** What stands in x for a text of column j, trimmed and not missing. `mistake`: what is wrong with it as a number. */
  take(j: number, text: string, mistake: () => KindredError): number {
    let found = this.found.get(j);
    if (!found) {
      if (this.rule === 'refuse') throw mistake();
      found = { places: new Map(), mistake: mistake() };
      this.found.set(j, found);
    }
    return UNIT * (1 + this.placeOf(j, found, canonicalLevel(text)));
  }

  /** Makes places of what is text, in x of so many rows, and gives the texts; undefined: there are none. */
  finish(x: Float64Array, n: number): Table['levels'] {
    if (this.found.size === 0) return undefined;
    for (const [j, found] of this.found) this.settle(x, n, j, found);
    return this.names.map((_, j) => {
      const found = this.found.get(j);
      return found && naturallySorted(found.places.keys());
    });
  }

  private settle(x: Float64Array, n: number, j: number, found: Found): void {
    const d = this.names.length;
    if (found.mistake) {
      let texts = 0;
      let known = 0;
      for (let at = j; at < n * d; at += d) {
        if (x[at] >= UNIT) texts++;
        if (!Number.isNaN(x[at])) known++;
      }
      if (texts <= MISTAKES * known) throw this.mistaken(j, found.mistake);
    }
    for (let at = j; at < n * d; at += d) {
      const value = x[at];
      if (Number.isNaN(value)) continue;
      x[at] = value >= UNIT ? value / UNIT - 1 : this.placeOf(j, found, levelOf(value));
    }
    const place = new Map(naturallySorted(found.places.keys()).map((text, p) => [text, p]));
    const sorted = Float64Array.from(found.places.keys(), (text) => place.get(text)!);
    for (let at = j; at < n * d; at += d) if (!Number.isNaN(x[at])) x[at] = sorted[x[at]];
  }

  private placeOf(j: number, { places }: Found, text: string): number {
    let place = places.get(text);
    if (place === undefined) {
      place = places.size;
      if (place === MOST_TEXTS) throw this.tooMany(this.names[j]);
      places.set(text, place);
    }
    return place;
  }

  private mistaken(j: number, { code, message }: KindredError): KindredError {
    return inputError(
      code,
      `${message}, --categorical ${optionWord(this.names[j])} takes its values as categories`,
    );
  }

  private tooMany(name: string): KindredError {
    return inputError(
      'TOO_MANY_LEVELS',
      `${this.source}, column ${shown(name)}: expected categories, got more than ${count(MOST_TEXTS)} different values; ` +
        `ids and free text are no features${dropHint(name)}`,
    );
  }
}

/** A number as a level. */
export function levelOf(value: number): string {
  return String(value + 0);
}

/** One for all ways to write the same number. */
export function canonicalLevel(text: string): string {
  const value = parseDecimal(text);
  return Number.isNaN(value) ? text : levelOf(value);
}
