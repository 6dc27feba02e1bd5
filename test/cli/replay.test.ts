/** kindred replay: one line for each log; 0 if all come to the same, 1 if one does not, 2 if one cannot be read. */
import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { recordBytes } from '../../src/check/run-log.ts';
import { readRunLog } from '../../src/node/run-log.ts';
import { planFor } from '../helpers/federation.ts';
import { recorded } from '../helpers/recorded.ts';
import { smallHar } from '../helpers/tables.ts';
import { run, Sandbox } from './helpers.ts';

const sandbox = new Sandbox();

describe('kindred replay', () => {
  let coordinator: string;
  let participant: string;
  let changed: string;

  beforeAll(() => {
    const plan = planFor(smallHar(5, 3, 12), { rounds: 3, passes: 5, gap: 1e-4, testFraction: 0.25 });
    const { logs } = recorded(sandbox.folder, 'run', plan);
    coordinator = logs.get('coordinator')!;
    participant = logs.get('1')!;
    const records = [...readRunLog(coordinator)];
    const at = records.findIndex((record) => record.type === 'step' && record.input.type === 'timer');
    const other = at < 0 ? 3 : at;
    records[other] = { ...records[other], effects: '0'.repeat(64) } as never;
    changed = sandbox.path('changed.log');
    writeFileSync(changed, Buffer.concat(records.map((record) => recordBytes(record as never))));
  });

  test('says of each log how much it is, and that it comes to the same', async () => {
    const torn = sandbox.write('torn.log', readFileSync(participant).subarray(0, -5));
    const { code, stdout, stderr } = await run(['replay', coordinator, participant, torn]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBe(3);
    expect(lines[0]).toMatch(/run-coordinator\.log: 1 start, \d+ inputs, \d+ effects: identical$/);
    expect(lines[1]).toMatch(/run-1\.log: 1 start, \d+ inputs, \d+ effects: identical$/);
    expect(lines[2]).toMatch(/torn\.log: .*: identical \(the last record is cut short\)$/);
  });

  test('says where the first difference is, with exit code 1', async () => {
    const { code, stdout, stderr } = await run(['replay', coordinator, changed]);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /changed\.log: .*: differs in start 1, step \d+ \(\w+\): expected 0{64}, got [0-9a-f]{64}\n$/,
    );
    expect(stderr).toMatch(
      /^kindred: .*changed\.log: expected .* \(1 of 2 logs differ\) \[REPLAY_DIFFERS\]\n$/,
    );
  });

  test('--json: one document', async () => {
    const { code, stdout } = await run(['replay', participant, changed, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      logs: [
        {
          log: participant,
          lives: 1,
          inputs: expect.any(Number),
          effects: expect.any(Number),
          torn: false,
          identical: true,
        },
        expect.objectContaining({
          log: changed,
          identical: false,
          firstDifference: expect.objectContaining({ life: 1, expected: '0'.repeat(64) }),
        }),
      ],
    });
  });

  test.each([
    ['none', [], 'MISSING_ARGUMENT'],
    ['one that is not there', ['nowhere.log'], 'FILE_NOT_FOUND'],
    ['a folder', ['.'], 'IS_A_FOLDER'],
    ['another file', ['package.json'], 'CORRUPT'],
  ])('refuses %s in one sentence, with exit code 2', async (_, paths, code) => {
    const outcome = await run(['replay', ...paths]);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toMatch(new RegExp(`^kindred: .*\\[${code}\\]\n$`));
  });
});
