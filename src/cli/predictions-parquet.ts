/** Predictions as Parquet: text as it is, numbers as doubles, rows as integers. */
import type { Prediction } from '../methods/predict.ts';
import type { PredictionColumn } from './prediction-columns.ts';

export async function predictionsParquet(
  predictions: readonly Prediction[],
  columns: readonly PredictionColumn[],
): Promise<Uint8Array> {
  // Loaded only where it is needed.
  const { parquetWriteBuffer } = await import('hyparquet-writer');
  const columnData = columns.map(({ name, value }) => {
    const data = predictions.map(value);
    return { name, data, type: typeOf(name, data), nullable: false };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function typeOf(name: string, [first]: readonly (string | number)[]): 'INT32' | 'DOUBLE' | 'STRING' {
  if (typeof first === 'string') return 'STRING';
  return name === 'row' ? 'INT32' : 'DOUBLE';
}
