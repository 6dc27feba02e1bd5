/** Which of n rows the known ones are, and what labels the others have: all possibilities, or random ones. */
import { stream } from '../../base/random.ts';

interface Arrangement {
  /** Place of each known row. */
  readonly places: readonly number[];
  /** Bit i: row i is positive. Means nothing at the place of a known row. */
  readonly labels: number;
  /** Counts the arrangements. */
  readonly draw: number;
}

interface ArrangementLimit {
  readonly seed: number;
  /** At most so many. */
  readonly arrangements: number;
}

export function* arrangements(
  n: number,
  known: number,
  start: number,
  { seed, arrangements: most }: ArrangementLimit,
): Generator<Arrangement> {
  if (countOf(n, known) <= most) {
    let draw = 0;
    for (const places of placements(n, known)) {
      const free = Array.from({ length: n }, (_, i) => i).filter((i) => !places.includes(i));
      for (let code = 0; code < 2 ** free.length; code++) {
        const labels = free.reduce((bits, i, f) => bits | (((code >>> f) & 1) << i), 0);
        yield { places, labels, draw: draw++ };
      }
    }
    return;
  }
  for (let draw = 0; draw < most; draw++) {
    const random = stream(seed, 'arrangement', start, `${n}/${draw}`);
    const places = Array.from({ length: n }, (_, i) => i);
    random.shuffle(places);
    yield { places: places.slice(0, known), labels: random.u32(), draw };
  }
}

/** n (n-1) ... (n-known+1) 2^(n-known) */
function countOf(n: number, known: number): number {
  let count = 2 ** (n - known);
  for (let i = 0; i < known; i++) count *= n - i;
  return count;
}

function* placements(n: number, known: number, taken: readonly number[] = []): Generator<number[]> {
  if (known === 0) {
    yield [...taken];
    return;
  }
  for (let i = 0; i < n; i++) if (!taken.includes(i)) yield* placements(n, known - 1, [...taken, i]);
}
