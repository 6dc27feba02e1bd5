/** From a row of the data to the row that is solved: scaled, mapped where there is a map, and the bias. */
import { type Scaling, scaleRow } from '../math/scaling.ts';
import { columnsOf, type FeatureMap } from '../settings/feature-map.ts';
import { randomFeatures } from './feature-map.ts';

export interface RowForm {
  readonly scaling: Pick<Scaling, 'shift' | 'factor'>;
  /** Undefined: the features stay what they are. */
  readonly map: FeatureMap | undefined;
  readonly bias: boolean;
}

/** Writes row i of a table to `out` from position `at` on: `columnsOf` values. */
export type RowWriter = (x: Float64Array, i: number, out: Float64Array | Float32Array, at: number) => void;

export function rowWriter({ scaling, map, bias }: RowForm): RowWriter {
  const write = map ? mappedWriter(scaling, map) : scaledWriter(scaling);
  if (!bias) return write;
  const biasAt = columnsOf({ features: scaling.shift.length, map, bias: false });
  return (x, i, out, at) => {
    write(x, i, out, at);
    out[at + biasAt] = 1;
  };
}

function scaledWriter(scaling: RowForm['scaling']): RowWriter {
  return (x, i, out, at) => scaleRow(x, i, scaling, out, at);
}

function mappedWriter(scaling: RowForm['scaling'], map: FeatureMap): RowWriter {
  const mapping = randomFeatures(map, scaling.shift.length);
  const scaled = mapping.input;
  return (x, i, out, at) => {
    scaleRow(x, i, scaling, scaled, 0);
    mapping.put(out, at);
  };
}
