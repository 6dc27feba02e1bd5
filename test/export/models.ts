/** Random models with all that exports must fold in, and rows for them. */
import { stream } from '../../src/base/random.ts';
import { tableFrom } from '../../src/data/arrays.ts';
import type { Table } from '../../src/data/table.ts';
import { featureMoments, type ScaleMode, scalingFrom } from '../../src/math/scaling.ts';
import type { Model } from '../../src/solver/model.ts';

export const SCALES: readonly ScaleMode[] = ['none', 'center', 'standard'];
export const KINDS = ['two classes', 'one against the rest', 'regression'] as const;
export type Kind = (typeof KINDS)[number];

export const PARTICIPANTS = ['7', 'Ada', '=sum(A1), "quoted"', ''];
const D = 6;

interface Wanted {
  readonly kind: Kind;
  readonly scale: ScaleMode;
  readonly bias: boolean;
  readonly seed: number;
}

/** Features of different size and offset; the last is constant. */
export function randomRows(seed: number, n = 40): Table {
  const random = stream(seed, 'rows');
  const x = Array.from({ length: n }, () =>
    Array.from({ length: D }, (_, j) =>
      j === D - 1 ? 0.3 : 10 ** (j - 2) * (random.normal() + (j === 2 ? 3 : 0.2)),
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
  const columns = D + (bias ? 1 : 0);
  const part = () => Float64Array.from({ length: columns }, () => random.normal());
  const isRegression = kind === 'regression';
  return {
    method: 'mtl',
    objective: isRegression ? 'regression' : 'classification',
    features: table.features,
    bias,
    scaling: scalingFrom(featureMoments(table.x, D, all), scale),
    target: isRegression ? { shift: 22, scale: 7.5 } : undefined,
    classes: isRegression
      ? undefined
      : { positive: 'sitting', negative: kind === 'two classes' ? 'standing, still' : undefined },
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
