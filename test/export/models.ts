/** Random models with all that exports must fold in, and rows for them. */
import { expect } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { tableFrom } from '../../src/data/arrays.ts';
import { type ClassMapping, headsOf } from '../../src/data/labels.ts';
import type { Table } from '../../src/data/table.ts';
import { featureMoments, type ScaleMode, scalingFrom } from '../../src/math/scaling.ts';
import type { Model } from '../../src/solver/model.ts';

export const SCALES: readonly ScaleMode[] = ['none', 'center', 'standard'];
export const KINDS = ['two classes', 'one against the rest', 'many classes', 'regression'] as const;
export type Kind = (typeof KINDS)[number];

export const PARTICIPANTS = ['7', 'Ada', '=sum(A1), "quoted"', ''];
const D = 6;

const CLASSES: Readonly<Record<Kind, ClassMapping | undefined>> = {
  'two classes': { positive: 'sitting', negative: 'standing, still' },
  'one against the rest': { positive: 'sitting', negative: undefined },
  'many classes': { labels: ['lying', 'sitting', 'walking', '=1+1'] },
  regression: undefined,
};

interface Wanted {
  readonly kind: Kind;
  readonly scale: ScaleMode;
  readonly bias: boolean;
  readonly seed: number;
}

/** Features of different size; one has an offset, the last is constant. */
export function randomRows(seed: number, n = 40): Table {
  const random = stream(seed, 'rows');
  const x = Array.from({ length: n }, () =>
    Array.from({ length: D }, (_, j) =>
      j === D - 1 ? 0.3 : 10 ** (j - 2) * (3 * random.normal() + (j === 2 ? 5 : 0.2)),
    ),
  );
  const ids = [...PARTICIPANTS, 'newcomer'];
  return tableFrom(
    ids.map((id, k) => ({ id, x: x.filter((_, i) => i % ids.length === k).flat() })),
    { features: ['x1', 'height, cm', '"q"', '+x', 'ä', 'const'] },
  );
}

export function randomModel({ kind, scale, bias, seed }: Wanted): Model {
  const table = randomRows(seed);
  const random = stream(seed, 'model');
  const all = Uint32Array.from({ length: table.n }, (_, i) => i);
  const classes = CLASSES[kind];
  const columns = D + (bias ? 1 : 0);
  // A small bias: a large one would decide for all rows alike.
  const part = () =>
    Float64Array.from(
      { length: headsOf(classes) * columns },
      (_, j) => random.normal() * (j % columns === D ? 0.01 : 1),
    );
  const isRegression = kind === 'regression';
  return {
    method: 'mtl',
    objective: isRegression ? 'regression' : 'classification',
    features: table.features,
    bias,
    scaling: scalingFrom(featureMoments(table.x, D, all), scale),
    map: undefined,
    target: isRegression ? { shift: 22, scale: 7.5 } : undefined,
    classes,
    w: part(),
    personal: new Map(PARTICIPANTS.map((id) => [id, part()])),
    servesNewcomers: true,
    options: {},
    seed,
    certificate: undefined,
  };
}

export function* everyKind(): Generator<Wanted> {
  let seed = 1;
  for (const kind of KINDS)
    for (const scale of SCALES) for (const bias of [true, false]) yield { kind, scale, bias, seed: seed++ };
}

/** Equal but for the order in which f64 were added. */
export function expectClose(got: number, expected: number): void {
  expect(Math.abs(got - expected)).toBeLessThanOrEqual(1e-11 * Math.max(1, Math.abs(expected)));
}

/** The same rows as if all were of one participant. */
export function servedAs(table: Table, participant: string): Table {
  return { ...table, participants: [participant], participantOf: new Uint32Array(table.n) };
}
