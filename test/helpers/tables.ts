/** Small tables with known structure. */
import { stream } from '../../src/base/random.ts';
import { makeHarLike } from '../../src/data/generate-har.ts';
import { makeRegression } from '../../src/data/generate-regression.ts';
import type { Table } from '../../src/data/table.ts';

export const smallHar = (seed = 1, participants = 5, rowsPerParticipant = 40): Table =>
  makeHarLike({ seed, participants, rowsPerParticipant, features: 24 });

export const smallRegression = (seed = 1): Table => makeRegression({ seed, tasks: 4, rows: 40, features: 8 });

/** n x d normal features, targets by `target`. */
export function tableOf(options: {
  readonly participants: number;
  readonly rows: number;
  readonly d: number;
  readonly seed?: number;
  readonly target: (x: Float64Array, k: number) => number | string;
}): Table {
  const { participants, rows, d } = options;
  const n = participants * rows;
  const x = new Float64Array(n * d);
  const random = stream(options.seed ?? 1, 'table');
  for (let i = 0; i < x.length; i++) x[i] = random.normal();
  return {
    source: 'made in a test',
    features: Array.from({ length: d }, (_, j) => `x${j + 1}`),
    n,
    x,
    participants: Array.from({ length: participants }, (_, k) => `p${k}`),
    participantOf: Uint32Array.from({ length: n }, (_, i) => Math.floor(i / rows)),
    targets: Array.from({ length: n }, (_, i) =>
      String(options.target(x.subarray(i * d, (i + 1) * d), Math.floor(i / rows))),
    ),
    lines: undefined,
  };
}

/** Three classes or more that overlap a little: who scores highest on directions that everybody shares but for a shift of its own. */
export function manyClasses(seed = 1, { participants = 5, rows = 30, d = 6, classes = 3 } = {}): Table {
  const random = stream(seed, 'many classes');
  const directions = Array.from({ length: classes }, () => Array.from({ length: d }, () => random.normal()));
  const shifts = Array.from({ length: participants }, () =>
    Array.from({ length: classes }, () => 0.7 * random.normal()),
  );
  return tableOf({
    participants,
    rows,
    d,
    seed,
    target(x, k) {
      const scores = directions.map((direction, c) =>
        direction.reduce((sum, value, j) => sum + value * x[j], shifts[k][c] + 0.5 * random.normal()),
      );
      return `class ${scores.indexOf(Math.max(...scores)) + 1}`;
    },
  });
}
