import { describe, expect, test } from 'vitest';
import { csvOf, run, Sandbox, smallHar } from './helpers.ts';

const sandbox = new Sandbox();

describe('data convert', () => {
  test('a LIBSVM file with its participants becomes a CSV file that trains to the same model', async () => {
    const table = smallHar();
    const text = Array.from({ length: table.n }, (_, i) => {
      const d = table.features.length;
      const values = Array.from(table.x.subarray(i * d, (i + 1) * d), (x, j) => `${j + 1}:${x}`);
      return `${table.targets![i]} ${values.join(' ')}`;
    }).join('\n');
    const ids = Array.from(table.participantOf, (k) => table.participants[k]).join('\n');
    const data = [sandbox.write('har.svm', `${text}\n`), '--task-file', sandbox.write('ids', `${ids}\n`)];
    const out = sandbox.path('har.csv.gz');
    const { code, stdout } = await run(['data', 'convert', ...data, '--out', out, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ out, participants: table.participants.length, rows: table.n });
    const trained = async (from: readonly string[]) => {
      const { certificate, participants } = JSON.parse(
        (await run(['train', ...from, '--no-auto', '--json'])).stdout,
      );
      return { certificate, participants };
    };
    expect(await trained([out])).toEqual(await trained(data));
  });

  test('columns keep the names they were given', async () => {
    const csv = csvOf(smallHar()).replace('task,y,', 'who,what,');
    const out = sandbox.path('named.csv');
    const columns = ['--task', 'who', '--label', 'what'];
    await run(['data', 'convert', sandbox.write('who.csv', csv), ...columns, '--out', out]);
    expect(sandbox.read('named.csv')).toBe(csv);
  });
});
