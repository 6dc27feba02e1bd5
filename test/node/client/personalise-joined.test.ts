/** kindred personalise with what a federation leaves behind: the state folder of a participant. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeCsv } from '../../../src/data/write-csv.ts';
import { run, runJson } from '../../cli/helpers.ts';
import { smallHar } from '../../helpers/tables.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { temporaryFolder } from './helpers.ts';

interface Document {
  readonly participants: readonly {
    readonly id: string;
    readonly part: string;
    readonly relativeGap: number;
  }[];
}

test('w of a state folder: own rows replace the own part, other people are added', async () => {
  const root = temporaryFolder();
  const table = smallHar(3, 3, 40);
  const everybody = join(root, 'everybody.csv');
  writeFileSync(everybody, [...writeCsv(table)].join(''));
  const server = await TestServer.start(optionsLike({ gap: 1e-3 }, { minParticipants: 3 }));
  try {
    const joined = table.participants.map((id) =>
      run(['join', server.url, '--data', everybody, '--task', id, '--state', join(root, id)]),
    );
    for (const { code, stderr } of await Promise.all(joined)) expect([code, stderr]).toEqual([0, '']);
  } finally {
    await server.close();
  }
  const mine = join(root, 'mine.json');
  const argv = ['--model', join(root, table.participants[2]), everybody, '--class-weight', 'none'];
  const { participants } = await runJson<Document>('personalise', ...argv, '--out', mine);
  expect(participants.map(({ part }) => part)).toEqual(['added', 'added', 'replaced']);
  for (const { relativeGap } of participants) expect(relativeGap).toBeLessThanOrEqual(1e-6);
  const { newcomers } = await runJson<{ newcomers: string[] }>('evaluate', '--model', mine, everybody);
  expect(newcomers).toEqual([]);
});
