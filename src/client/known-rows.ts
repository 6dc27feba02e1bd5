/**
 * Rows are recognised by their content, wherever they stand in a file: what is kept stays what it was (to train or to test on, with its dual as
 * a warm start), and only what is new is drawn for the one or the other. So adding rows never moves a test row into training.
 */
import { utf8Bytes } from '../base/bytes.ts';
import { stream } from '../base/random.ts';
import { Sha256 } from '../base/sha256.ts';
import type { Split } from '../data/split.ts';
import type { Table } from '../data/table.ts';

/** Keys of the rows of the last start, in the order of the duals, and how they were split. */
export interface KnownRows {
  readonly train: Float64Array;
  readonly test: Float64Array;
  readonly testFraction: number;
  readonly seed: number;
}

type Rows = Pick<Table, 'x' | 'targets' | 'levels' | 'weights'>;

/** Of every row, features, target and weight: 53 bits of their digest. */
export function rowKeys(table: Rows): Float64Array {
  return Float64Array.from(table.targets!, (_, i) => {
    const [high, low] = new Uint32Array(addRow(new Sha256(), table, i).digest().buffer);
    return (high >>> 11) * 2 ** 32 + low;
  });
}

/** Row i of as many as there are targets, into a digest. Of text the text itself: places in lists of texts change with other rows. */
export function addRow(hash: Sha256, { x, targets, levels, weights }: Rows, i: number) {
  const d = x.length / targets!.length;
  const row = x.slice(i * d, (i + 1) * d);
  const texts = levels?.flatMap((column, j) => {
    const text = column?.[row[j]];
    if (column) row[j] = 0;
    return column ? [text ?? null] : [];
  });
  const more = [...(texts ? [texts] : []), ...(weights ? [weights[i]] : [])];
  return hash
    .update(new Uint8Array(row.buffer))
    .update(utf8Bytes(`${[targets![i], ...more].map((value) => JSON.stringify(value)).join()}\n`));
}

/** For each row its place among others with the same content, each used once; -1: it is not among them. */
export function placesIn(others: Float64Array, rows: Float64Array): Int32Array {
  const places = new Map<number, number[]>();
  for (const [i, key] of [...others.entries()].reverse()) {
    const same = places.get(key);
    if (same) same.push(i);
    else places.set(key, [i]);
  }
  return Int32Array.from(rows, (key) => places.get(key)?.pop() ?? -1);
}

/** Known rows stay what they were, in the order they had; each new one is drawn by itself, and comes behind them. */
export function splitLikeBefore(keys: Float64Array, { train, test, testFraction, seed }: KnownRows): Split {
  const places = placesIn(new Float64Array([...train, ...test]), keys);
  const isTest = Array.from(places, (place, i) =>
    place < 0 ? stream(seed, 'split', 0, `${keys[i]}`).uniform() < testFraction : place >= train.length,
  );
  // Without a training row there would be no model.
  if (!isTest.includes(false)) isTest[0] = false;
  // -1, of a new one, is the largest without its sign.
  const all = Uint32Array.from(keys.keys()).sort((a, b) => (places[a] >>> 0) - (places[b] >>> 0));
  return { train: all.filter((i) => !isTest[i]), test: all.filter((i) => isTest[i]) };
}
