/** One call for every format, from a file and from its bytes; the errors are those of the command line. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, expect, test } from 'vitest';
import { parseTable } from '../../src/data/parse-table.ts';
import { UCI_HAR_FILES } from '../../src/data/uci-har.ts';
import { readTable } from '../../src/node/files/read-table.ts';
import { bytesOf, refused } from '../data/helpers.ts';

const folder = mkdtempSync(join(tmpdir(), 'kindred-read-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);

const CSV = 'task,y,x1,x2\nb,1,0.5,2\na,-1,0,4\n';
const parquet = new Uint8Array(
  parquetWriteBuffer({
    columnData: [
      { name: 'task', data: ['b', 'a'], type: 'STRING' },
      { name: 'y', data: ['1', '-1'], type: 'STRING' },
      { name: 'x1', data: [0.5, 0], type: 'DOUBLE' },
      { name: 'x2', data: [2, 4], type: 'DOUBLE' },
    ],
  }),
);

test('the same rows from every format', async () => {
  const files = {
    'rows.csv': bytesOf(CSV),
    'rows.csv.gz': new Uint8Array(gzipSync(CSV)),
    'rows.parquet': parquet,
    'rows.libsvm': bytesOf('1 1:0.5 2:2\n-1 2:4\n'),
  };
  writeFileSync(at('ids.txt'), 'b\na\n');
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(at(name), bytes);
    const libsvm = name.endsWith('libsvm');
    const table = await readTable(at(name), libsvm ? { taskFile: at('ids.txt') } : {});
    const tasks = { bytes: bytesOf('b\na\n'), source: 'ids' };
    const parsed = await parseTable(bytes, name, libsvm ? { tasks } : {});
    for (const { x, targets, participants, participantOf, features } of [table, parsed]) {
      expect([...x], name).toEqual([0.5, 2, 0, 4]);
      expect([targets, participants, [...participantOf], features]).toEqual([
        ['1', '-1'],
        ['a', 'b'],
        [1, 0],
        ['x1', 'x2'],
      ]);
    }
  }
});

test('other columns, and rows without targets', async () => {
  const csv = bytesOf('who,x1,x2\nb,1,2\n');
  const table = await parseTable(csv, 'new.csv', { task: 'who', need: 'neither', drop: ['x1'] });
  expect([table.targets, table.features, table.participants]).toEqual([undefined, ['x2'], ['b']]);
});

test('refusals name the file and the option', async () => {
  writeFileSync(at('plain.csv'), CSV);
  await refused(() => readTable(at('nothing.csv')), 'FILE_NOT_FOUND', 'nothing.csv');
  await refused(
    () => readTable(at('plain.csv'), { taskFile: 'nowhere' }),
    'BAD_OPTION',
    '--task-file',
    'LIBSVM',
  );
  await refused(() => readTable(at('plain.csv'), { uciTarget: 'sitting' }), 'BAD_OPTION', '--uci-target');
  await refused(() => readTable(at('plain.csv'), { label: 'z' }), 'MISSING_LABEL_COLUMN', '"z"');
  await refused(() => parseTable(bytesOf('1 1:2\n'), 'a.libsvm'), 'TASK_FILE_NEEDED', 'a.libsvm');
  mkdirSync(at('har'));
  await refused(() => readTable(at('har')), 'UCI_HAR_MISSING_FILE', UCI_HAR_FILES[0].path);
  await refused(() => readTable(at('har'), { taskFile: 'ids' }), 'BAD_OPTION', '--task-file');
});
