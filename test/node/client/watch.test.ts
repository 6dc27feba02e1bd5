/** kindred join --watch and --unlearn, on a real server: rows come and go while it runs. */
import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { Io } from '../../../src/cli/io.ts';
import type { JoinResult } from '../../../src/client/participation-options.ts';
import { DEFAULT_OPTIONS } from '../../../src/coordinator/options.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import { writeCsv } from '../../../src/data/write-csv.ts';
import { readParticipantState } from '../../../src/node/client/state-folder.ts';
import { type CoordinatorServer, startServer } from '../../../src/node/server/server.ts';
import { run } from '../../cli/helpers.ts';
import { until } from '../../helpers/server.ts';
import { smallHar } from '../../helpers/tables.ts';
import { temporaryFolder, useBuilt } from './helpers.ts';

useBuilt();
const root = temporaryFolder();
const table = smallHar(3, 2, 60);
const everybody = join(root, 'all.csv');
writeFileSync(everybody, [...writeCsv(table)].join(''));
const [header, ...lines] = [...writeCsv(rowsOfParticipant(table, '1')!)].join('').trimEnd().split('\n');
const text = (rows: readonly string[]) => `${[header, ...rows].join('\n')}\n`;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
let runs = 0;

/** A command that goes on until it is interrupted. */
function going(...argv: string[]) {
  const said = { stderr: '' };
  let stop = () => {};
  const changes: Partial<Io> = {
    stderr: { isTerminal: false, write: (more: string) => void (said.stderr += more) },
    onInterrupt: (act) => {
      stop = act;
      return () => {};
    },
  };
  const ended = run(argv, changes);
  const end = async () => {
    stop();
    return ended;
  };
  ends.push(end);
  const says = (what: RegExp | string) =>
    until(() => (typeof what === 'string' ? said.stderr.includes(what) : what.test(said.stderr)), `${what}`);
  return { said, says, end };
}

async function serve(): Promise<{ server: CoordinatorServer; folder: string; mine: string }> {
  const folder = join(root, `run-${runs++}`);
  const server = await startServer({ store: `${folder}.db` });
  ends.push(() => server.close());
  const stop = { ...DEFAULT_OPTIONS.stop, gap: 1e-3 };
  await server.ensure('default', { ...DEFAULT_OPTIONS, minParticipants: 2, stop });
  return { server, folder, mine: `${folder}.csv` };
}

const rested = (server: CoordinatorServer) =>
  until(() => server.federation('default').host.state.phase === 'finished', 'a rest');

describe('join --watch', () => {
  test('takes rows in when their line is complete, lets them go when they are gone, and survives what it cannot read', async () => {
    const { server, folder, mine } = await serve();
    writeFileSync(mine, text(lines.slice(0, 40)));
    going('join', server.url, '--data', everybody, '--task', '2', '--state', `${folder}-2`, '--forever');
    const argv = ['join', server.url, '--data', mine, '--task', '1', '--state', folder, '--watch'];
    const ada = going(...argv, '--test-fraction', '0.25', '--json');
    await until(() => server.federation('default').host.state.members.size === 2, 'two members');
    await rested(server);
    const before = readParticipantState(folder);
    const known = () => readParticipantState(folder).known!;
    expect(known().train.length + known().test.length).toBe(40);
    // Half a line is no row; with the rest of it there are two.
    appendFileSync(mine, lines[40].slice(0, 10));
    appendFileSync(mine, `${lines[40].slice(10)}\n${lines[41]}`);
    await ada.says(/rows: 1 new, 0 gone/);
    await until(() => known().train.length + known().test.length === 41, 'one more row');
    appendFileSync(mine, '\n');
    await until(() => known().train.length + known().test.length === 42, 'two more rows');
    await rested(server);
    appendFileSync(mine, 'nonsense\n');
    await ada.says('the rows before stay in use until it is readable');
    // Replaced, without ten rows and the nonsense.
    writeFileSync(`${mine}.new`, text(lines.slice(10, 42)));
    renameSync(`${mine}.new`, mine);
    await ada.says('certificate in');
    expect(ada.said.stderr).toMatch(
      /your model is now fitted to them \(error on \d+ test rows [\d.]+% before, [\d.]+% now\)/,
    );
    await until(
      () => server.federation('default').host.state.members.get('1')!.rows === known().train.length,
      'rows',
    );
    await rested(server);
    const { code, stdout } = await ada.end();
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as JoinResult;
    const after = readParticipantState(folder);
    expect(after.stored.edition).toBeGreaterThan(before.stored.edition);
    expect(result.unlearned).toEqual(after.unlearned);
    const { removed, edition } = after.unlearned!.at(-1)!;
    expect(removed.training + removed.testing).toBe(10);
    const file = JSON.parse(readFileSync(join(folder, `unlearned-${edition}.json`), 'utf8'));
    expect(file).toEqual(after.unlearned!.at(-1));
    // The store bears it out.
    for (const end of ends.splice(0).reverse()) await end();
    const argvOfVerify = ['verify', `${folder}.db`, folder, `${folder}-2`];
    const verified = await run(argvOfVerify);
    expect([verified.code, verified.stderr]).toEqual([0, '']);
    expect(verified.stdout).toMatch(
      /Unlearned +10 rows of 1 since round \d+, relative gap \S+ before, \S+ after: holds/,
    );
  });

  test('without test rows it says how the model before did on the new rows', async () => {
    const { server, folder, mine } = await serve();
    writeFileSync(mine, text(lines.slice(0, 40)));
    going('join', server.url, '--data', everybody, '--task', '2', '--state', `${folder}-2`, '--forever');
    const ada = going('join', server.url, '--data', mine, '--task', '1', '--state', folder, '--watch');
    await until(() => server.federation('default').host.state.members.size === 2, 'two members');
    await rested(server);
    appendFileSync(mine, `${lines.slice(40, 50).join('\n')}\n`);
    await ada.says(
      /training rows: 10 new, 0 gone, 40 kept; .*error on 10 new rows [\d.]+% before, [\d.]+% now/,
    );
    // Written again with the same rows: nothing happens.
    const { edition } = readParticipantState(folder).stored;
    const said = ada.said.stderr;
    writeFileSync(mine, text(lines.slice(0, 50)));
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect([readParticipantState(folder).stored.edition, ada.said.stderr]).toEqual([edition, said]);
  });
});

describe('join --unlearn', () => {
  test('takes rows by their numbers in the file, or as a file', async () => {
    const { server, folder } = await serve();
    const joining = (id: string, ...more: string[]) =>
      run([
        'join',
        server.url,
        '--data',
        everybody,
        '--task',
        id,
        '--state',
        `${folder}-${id}`,
        '--json',
        ...more,
      ]);
    await Promise.all([joining('1'), joining('2')]);
    going('join', server.url, '--data', everybody, '--task', '1', '--state', `${folder}-1`, '--forever');
    await until(
      () => server.federation('default').host.state.members.get('1')?.presence === 'here',
      'the other',
    );
    const own = [...table.participantOf.keys()].filter(
      (i) => table.participants[table.participantOf[i]] === '2',
    );
    const numbers = [own[3] + 1, own[8] + 1];
    const byNumber = await joining('2', '--unlearn', numbers.join(','));
    expect(byNumber.code, byNumber.stderr).toBe(0);
    expect(byNumber.stderr).toContain('unlearned 2 training rows: ');
    const result = JSON.parse(byNumber.stdout) as JoinResult;
    expect(result.unlearned).toMatchObject([{ removed: { training: 2 }, kept: { rows: own.length - 2 } }]);
    const all = readFileSync(everybody, 'utf8').split('\n');
    writeFileSync(`${folder}.rows.csv`, `${[all[0], all[own[4] + 1]].join('\n')}\n`);
    const byFile = await joining('2', '--unlearn', `${folder}.rows.csv`);
    expect(byFile.code, byFile.stderr).toBe(0);
    expect(readParticipantState(`${folder}-2`).known!.train).toHaveLength(own.length - 3);
    const others = [...table.participantOf.keys()].find((i) => !own.includes(i))!;
    for (const wrong of ['0', '100000', `${others + 1}`]) {
      const refused = await joining('2', '--unlearn', wrong);
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('[UNKNOWN_ROWS]')]);
    }
  });
});
