/** Predictions as files: the same columns as CSV and as Parquet, for data in any format. */
import * as arrow from '@uwdata/flechette';
import { parquetReadObjects } from 'hyparquet';
import { describe, expect, test } from 'vitest';
import { run, Sandbox, smallHar, smallRegression } from './helpers.ts';

const sandbox = new Sandbox();

/** The rows of a file of predictions, as text. */
async function rowsOf(name: string): Promise<string[][]> {
  const bytes = sandbox.bytes(name);
  if (name.endsWith('.csv')) {
    const lines = new TextDecoder().decode(bytes).trim().split('\n');
    return lines.map((line) => line.split(','));
  }
  const rows = await parquetReadObjects({ file: bytes.slice().buffer });
  return [Object.keys(rows[0]), ...rows.map((row) => Object.values(row).map(String))];
}

/** The same table as an Arrow file. */
function arrowFile(table: ReturnType<typeof smallHar>): Uint8Array {
  const d = table.features.length;
  const columns: Record<string, unknown[]> = {
    task: Array.from(table.participantOf, (k) => table.participants[k]),
    y: [...table.targets!],
  };
  for (const [j, name] of table.features.entries())
    columns[name] = Array.from({ length: table.n }, (_, i) => table.x[i * d + j]);
  return arrow.tableToIPC(arrow.tableFromArrays(columns), { format: 'file' })!;
}

describe.each([
  ['classification', smallHar()],
  ['regression', smallRegression()],
])('%s', (objective, table) => {
  test('the same predictions as CSV and as Parquet', async () => {
    const data = sandbox.write(`${objective}.arrow`, arrowFile(table));
    const model = sandbox.path(`${objective}.json`);
    expect((await run(['train', data, '--objective', objective, '--model', model])).code).toBe(0);
    for (const name of [`${objective}-out.csv`, `${objective}-out.parquet`]) {
      const { code, stdout, stderr } = await run([
        'predict',
        '--model',
        model,
        data,
        '--out',
        sandbox.path(name),
      ]);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`${table.n.toLocaleString('en')} predictions`);
    }
    const csv = await rowsOf(`${objective}-out.csv`);
    expect(csv[0]).toEqual(['row', 'participant', 'prediction', 'decision']);
    expect(csv).toHaveLength(table.n + 1);
    expect(await rowsOf(`${objective}-out.parquet`)).toEqual(csv);
  });
});

test('rows, numbers and text have types of their own in Parquet', async () => {
  const rows = await parquetReadObjects({ file: sandbox.bytes('regression-out.parquet').slice().buffer });
  expect(rows[0]).toMatchObject({ row: 1, participant: expect.any(String), prediction: expect.any(Number) });
});
