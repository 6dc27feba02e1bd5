/** kindred join as people use it: in this process, and as a program that is killed, interrupted and started again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { JoinResult } from '../../../src/client/participation-options.ts';
import { DEFAULT_SECURE } from '../../../src/coordinator/options.ts';
import { rowsOfParticipant } from '../../../src/data/participants.ts';
import { writeCsv } from '../../../src/data/write-csv.ts';
import { type TrainResult, train } from '../../../src/methods/train.ts';
import { modelFromFolder, readParticipantState } from '../../../src/node/client/state-folder.ts';
import { run } from '../../cli/helpers.ts';
import { smallHar } from '../../helpers/tables.ts';
import { optionsLike, TestServer } from '../../helpers/test-server.ts';
import { difference, launcher, temporaryFolder, until, useBuilt } from './helpers.ts';

useBuilt();
const root = temporaryFolder();
const table = smallHar(3, 3, 40);
const everybody = join(root, 'everybody.csv');
writeFileSync(everybody, [...writeCsv(table)].join(''));

/** The rows of one, without a participant column. */
function ownFile(id: string): string {
  const path = join(root, `own-${id}.v2.csv`);
  const lines = [...writeCsv(rowsOfParticipant(table, id)!)].join('').trimEnd().split('\n');
  writeFileSync(path, lines.map((line) => `${line.slice(line.indexOf(',') + 1)}\n`).join(''));
  return path;
}

const open: { close(): Promise<unknown> }[] = [];
const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const thing of open.splice(0).reverse()) await thing.close();
});
async function serve(...[options, changes]: Parameters<typeof optionsLike>): Promise<TestServer> {
  const server = await TestServer.start(optionsLike(options, { minParticipants: 3, ...changes }));
  open.push(server);
  return server;
}
let folders = 0;
const newFolder = () => join(root, `state-${folders++}`);

/** The program itself. */
function start(...argv: string[]) {
  const child = spawn(process.execPath, [launcher, ...argv]);
  children.push(child);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      written[name] += chunk;
    });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, ...written })),
  );
  return { child, ended };
}

const joining = (server: TestServer, id: string, state: string, ...more: string[]) => [
  ...['join', server.url, '--data', everybody, '--task', id, '--state', state, ...more],
];

/** Without the note that comes where the others take seconds to start. */
function unhurried(stderr: string): string {
  return stderr.replace(/^kindred: note: .*: waiting for \d+ more participants?; .*\n/gm, '');
}

/** What everybody holds is what `train` comes to. */
function expectSameAsTrain(trained: TrainResult, folders: readonly string[]): void {
  for (const folder of folders) {
    const { w, personal } = modelFromFolder(folder);
    expect(difference(w, trained.model.w)).toBeLessThan(1e-9);
    for (const [id, v] of personal) expect(difference(v, trained.model.personal.get(id)!)).toBeLessThan(1e-9);
  }
}

describe('kindred join', () => {
  test('takes part with the rows of one, tests, and says how to go on', async () => {
    const options = { gap: 1e-3, testFraction: 0.25, seed: 5 } as const;
    const server = await serve(options);
    const states = table.participants.map(() => newFolder());
    const more = ['--test-fraction', '0.25', '--seed', '5'];
    const outcomes = await Promise.all(
      table.participants.map((id, k) =>
        run(
          joining(server, id, states[k], ...more, ...(k === 0 ? ['--json'] : k === 1 ? ['--verbose'] : [])),
        ),
      ),
    );
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    const document = JSON.parse(outcomes[0].stdout) as JoinResult;
    const [{ id: _i, rows: _r, testRows, ...metrics }] = train(table, options).participants;
    expect(Object.keys(document)).toEqual([
      ...['participant', 'key', 'federation', 'reason', 'rounds', 'base', 'participants', 'missing'],
      ...['passes', 'test', 'classes', 'state'],
    ]);
    expect(document).toMatchObject({ participant: '1', federation: server.federation, reason: 'gap' });
    expect(document.classes).toEqual({ labels: ['-1', '1'], positive: '1' });
    expect(document.test).toEqual({ rows: testRows, ...metrics });
    expect(unhurried(outcomes[0].stderr)).toBe('');
    expect(outcomes[1].stderr).toContain(`connected to federation default (${server.federation.id})`);
    expect(outcomes[1].stderr).toMatch(/round 1: solved with \d+ passes in /);
    const [, , { stdout, stderr }] = outcomes;
    expect(unhurried(stderr)).toBe('');
    expect(stdout).toMatch(/^Participant +3, federation default$/m);
    expect(stdout).toMatch(/^Training +\d+ rounds: the relative duality gap is below its target$/m);
    expect(stdout).toMatch(/^Classes +"-1" is -1, "1" is \+1$/m);
    expect(stdout).toMatch(/^Test +\d+ rows: error \d+\.\d\d%, balanced accuracy [\d.]+$/m);
    expect(stdout).toContain(`kindred predict --model ${states[2]} new.csv`);

    const own = await run(['evaluate', '--model', states[2], everybody, '--json']);
    const evaluated = JSON.parse(own.stdout);
    expect(evaluated.participants).toHaveLength(3);
    expect(evaluated.newcomers).toEqual(['1', '2']);
  });

  test.each([
    ['in the clear', []],
    ['in sums', ['--secure']],
  ])(
    '--report-tests, %s: metrics of the test rows go with the answers of a real process',
    async (_, secure) => {
      const isSecure = secure.length > 0;
      const options = { gap: 1e-3, testFraction: 0.25, seed: 5 } as const;
      const server = await serve(options, isSecure ? { secure: DEFAULT_SECURE } : {});
      const more = ['--test-fraction', '0.25', '--seed', '5', '--report-tests', ...secure];
      const outcomes = await Promise.all(
        table.participants.map((id) => run(joining(server, id, newFolder(), ...more, '--json'))),
      );
      expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
      const rows = server.rows.filter(({ outcome }) => outcome !== 'abandoned');
      const { tests } = rows.at(-1)!;
      expect(tests).toMatchObject({ metric: 'balancedAccuracy', participants: 3 });
      const accuracies = outcomes.map(
        ({ stdout }) => (JSON.parse(stdout) as JoinResult).test!.balancedAccuracy!,
      );
      const mean = accuracies.reduce((sum, one) => sum + one, 0) / 3;
      // The last query may not be the best one: the models at the end are a little different.
      expect(Math.abs(tests!.own.mean - mean)).toBeLessThan(0.05);
      expect(tests!.own.worst === null).toBe(isSecure);
      expect(tests!.shared!.mean).toBeLessThan(tests!.own.mean + 0.05);
    },
  );

  test('[ADMIT-13] a server of another version: it says so once and waits; with --no-wait-for-upgrade it ends', async () => {
    const server = await serve({ gap: 1e-3 }, { minParticipants: 1 });
    server.protocol = 8;
    const ended = await run(joining(server, '1', newFolder(), '--no-wait-for-upgrade'));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('[WRONG_PROTOCOL]');
    expect(ended.stderr).toContain('expected protocol version 7, got 8; update this program');
    const { requests } = server;
    const waiting = run(joining(server, '1', newFolder()));
    await expect.poll(() => server.requests, { timeout: 60_000 }).toBeGreaterThan(requests + 1);
    server.protocol = 7;
    const { code, stderr } = await waiting;
    expect(code).toBe(0);
    const lines = unhurried(stderr).trim().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /expected protocol version 7, got 8; update this program; waiting until the versions fit, next attempt in /,
    );
  });

  test('--report-tests without test rows, or under differential privacy, is refused with a sentence', async () => {
    const server = await serve({ gap: 1e-3 });
    const none = await run(joining(server, '1', newFolder(), '--report-tests'));
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('option --report-tests: expected test rows, got none');
    const dp = { clip: 0.1, noiseMultiplier: 3, epsilon: 4, delta: 1e-5 };
    const hidden = await serve({ scale: 'none', aggregation: 'safe' }, { dp });
    const refused = await run(joining(hidden, '1', newFolder(), '--report-tests', '--test-fraction', '0.3'));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('[REPORT_NOT_PRIVATE]');
    expect(refused.stderr).toContain('join without --report-tests');
  });

  test('declines by its own policy, with a sentence and exit code 1', async () => {
    const server = await serve({ gap: 1e-3 }, { minParticipants: 1 });
    const declined = await run(joining(server, '1', newFolder(), '--require', 'scale:none,dp:eps<=4'));
    expect(declined.code).toBe(1);
    expect(declined.stderr).toBe(
      'kindred: participant "1": declined by its policy: expected scale:none (--require), got scale:standard [DECLINED]\n',
    );
    expect(server.state.declines).toEqual(new Map([['REQUIREMENT', 1]]));
    const policy = join(root, 'policy.json');
    writeFileSync(policy, JSON.stringify({ require: ['mask'], maxPasses: 5 }));
    const byFile = await run(joining(server, '2', newFolder(), '--policy', policy));
    expect([byFile.code, byFile.stderr]).toEqual([1, expect.stringContaining('expected mask (--require)')]);
    // A flag overrides the file.
    const fine = await run(
      joining(server, '3', newFolder(), '--policy', policy, '--require', 'scale:standard'),
    );
    expect(fine.code).toBe(0);
  });

  test('refuses a policy that is none', async () => {
    const server = await serve({ gap: 1e-3 });
    const file = (text: string) => {
      const path = join(root, `bad-${folders++}`);
      writeFileSync(path, text);
      return path;
    };
    for (const [flags, sentence] of [
      [['--require', 'privacy'], /option --require: expected secure, mask, dp/],
      [['--min-peers', '1'], /option --min-peers: expected/],
      [['--peers', file('ada short')], /line 1: expected a name and a key of 43 characters/],
      [['--peers', file('# nobody')], /expected at least one name and key/],
      [['--policy', file('[]')], /expected a JSON object/],
      [['--policy', file('{"minPears": 3}')], /minPears: there is no such field/],
    ] as const) {
      const { code, stderr } = await run(joining(server, '1', newFolder(), ...flags));
      expect([code, stderr]).toEqual([2, expect.stringMatching(sentence)]);
    }
  });

  test('takes a whole file as one participant, and predicts for it offline', async () => {
    const server = await serve({ gap: 1e-3 });
    const states = table.participants.map(() => newFolder());
    const outcomes = await Promise.all(
      table.participants.map((id, k) => {
        const name = k === 0 ? [] : ['--name', `person ${id}`];
        const argv = ['join', server.url, '--data', ownFile(id), '--task', 'all', '--state', states[k]];
        return run([...argv, ...name, '--positive', '1']);
      }),
    );
    expect(outcomes.map(({ code, stderr }) => [code, unhurried(stderr)])).toEqual(
      [0, 0, 0].map((code) => [code, '']),
    );
    await server.close();
    expect(readParticipantState(states[0]).participant).toBe('own-1');
    const argv = ['--model', states[1], ownFile('2')];
    const predicted = await run(['predict', ...argv]);
    expect([predicted.code, predicted.stderr]).toEqual([0, '']);
    expect(predicted.stdout.split('\n')[1]).toMatch(/^1,person 2,(1|-1),/);
    const evaluated = await run(['evaluate', ...argv, '--json']);
    const { participants, newcomers } = JSON.parse(evaluated.stdout);
    expect(participants).toMatchObject([{ id: 'person 2' }]);
    expect(participants[0].errorRate).toBeLessThan(0.2);
    expect(newcomers).toEqual([]);
  });

  test('own rows are known by their name in the data, whatever the participant is called', async () => {
    const server = await serve({ gap: 1e-2 }, { minParticipants: 1 });
    const state = newFolder();
    expect((await run(joining(server, '2', state, '--name', 'phone'))).code).toBe(0);
    const { stdout, stderr } = await run(['evaluate', '--model', state, everybody, '--json']);
    expect(JSON.parse(stdout).newcomers).toEqual(['1', '3']);
    const others = `of other participants (1, 3 in column "task") than "2", whose model this is`;
    expect(stderr).toContain(`${others}: the shared part w was used for them`);
    const own = await run(['predict', '--model', state, ownFile('2')]);
    expect([own.code, own.stderr]).toEqual([0, '']);
  });

  test('a model of whoever joined with a whole file says when it serves rows of others', async () => {
    const server = await serve({ gap: 1e-2 }, { minParticipants: 1 });
    const state = newFolder();
    const argv = ['join', server.url, '--data', ownFile('2'), '--task', 'all', '--name', 'phone'];
    expect((await run([...argv, '--state', state])).code).toBe(0);
    const { code, stderr } = await run(['predict', '--model', state, everybody, '--json']);
    expect(code).toBe(0);
    expect(stderr).toContain('rows are of other participants (1, 2, 3 in column "task")');
    expect(stderr).toContain('the model of "phone" was used for them');
  });

  test('a file without a header, with semicolons and decimal commas, is known again by the state', async () => {
    const server = await serve({ gap: 1e-2 }, { minParticipants: 1 });
    const state = newFolder();
    const rows = [...writeCsv(table)].join('').trimEnd().split('\n').slice(1);
    const file = join(root, 'european.txt');
    writeFileSync(file, `\ufeff${rows.join('\r\n').replaceAll(',', ';').replaceAll('.', ',')}\r\n`);
    const format = ['--no-header', '--decimal', 'comma', '--separator', ';'];
    const columns = ['--task-column', 'c1', '--label', 'c2', ...format];
    const argv = ['join', server.url, '--data', file, '--task', '2', '--state', state, ...columns];
    const joined = await run(argv);
    expect([joined.code, joined.stderr]).toEqual([0, '']);
    const { code, stdout } = await run(['evaluate', '--model', state, file, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).participants).toHaveLength(3);
  });

  test('an invitation comes from a file, standard input or the environment, and never as an argument', async () => {
    const server = await serve({ gap: 1e-2 });
    const invitation = join(root, 'invitation.txt');
    writeFileSync(invitation, '  secret-token\n');
    const stdin = async () => new TextEncoder().encode('from-stdin\n');
    const first = newFolder();
    const outcomes = await Promise.all([
      run(joining(server, '1', first, '--invitation-file', invitation)),
      run(joining(server, '2', newFolder(), '--invitation-file', '-'), { stdin }),
      run(joining(server, '3', newFolder()), { env: { KINDRED_INVITATION: 'from-environment' } }),
    ]);
    outcomes.push(await run(joining(server, '1', first)));
    for (const { code, stderr } of outcomes) expect([code, unhurried(stderr)]).toEqual([0, '']);
    const shown = server.sessions.map(({ participant, invitation: one }) => `${participant} ${one}`);
    expect(shown.slice(0, 3).sort()).toEqual(['1 secret-token', '2 from-stdin', '3 from-environment']);
    expect(shown.slice(3)).toEqual(['1 undefined']);
    const typed = await run(joining(server, '1', newFolder(), '--invitation', 'secret'));
    expect(typed.stderr).toContain("unknown option '--invitation'; did you mean --invitation-file?");
  });

  test('a note says that nobody answers, once', async () => {
    const server = await serve({ gap: 1e-2 }, { minParticipants: 1 });
    for (let i = 0; i < 2; i++) server.refusals.push({ status: 503, code: 'STARTING' });
    const { code, stderr } = await run(joining(server, '1', newFolder()));
    expect(code).toBe(0);
    expect(stderr.match(/kindred: note: .*STARTING; trying again/g)).toHaveLength(1);
  });

  test.each([
    ['NO_SUCH_FEDERATION', 2],
    ['NAME_TAKEN', 2],
    ['BAD_SIGNATURE', 1],
  ])('%s of the server becomes exit code %i', async (code, exit) => {
    const server = await serve({});
    for (let i = 0; i < 2; i++) server.refusals.push({ status: 403, code });
    const outcome = await run(joining(server, '1', newFolder()));
    expect(outcome.code).toBe(exit);
    expect(outcome.stderr).toContain(`the test server says ${code} [${code}]\n`);
    expect(outcome.stdout).toBe('');
  });

  test('another federation under the same address is refused', async () => {
    const state = newFolder();
    const first = await serve({ gap: 1e-2 }, { minParticipants: 1 });
    expect((await run(joining(first, '1', state))).code).toBe(0);
    const second = await serve({ gap: 1e-2 }, { minParticipants: 1 });
    const { code, stderr } = await run(joining(second, '1', state));
    expect(code).toBe(2);
    for (const word of [first.federation.id, second.federation.id, state, '[WRONG_FEDERATION]'])
      expect(stderr).toContain(word);
  });

  test.each([
    [['--task', '9'], 'UNKNOWN_TASK', ['"9"', '"1", "2", "3"', '--task all']],
    [['--task', '1', '--label', 'z'], 'MISSING_LABEL_COLUMN', ['"z"']],
    [['--task', 'all', '--task-column', 'nobody', '--drop', 'nothing'], 'UNKNOWN_DROP_COLUMN', ['"nothing"']],
    [['--task', '1', '--tls-cert', everybody], 'BAD_OPTION', ['--tls-cert', '--tls-key']],
    [['--task', '1', '--ca', everybody], 'BAD_OPTION', ['https']],
    [['--task', '1', '--invitation-file', everybody], 'BAD_INVITATION', ['expected one invitation']],
    [['--task', '1', '--invitation-file', 'none.txt'], 'FILE_NOT_FOUND', ['none.txt']],
    [['--task', '1', '--once', '--forever'], 'BAD_OPTION', ['--forever', '--once']],
    [['--task', '1', '--slowdown', '0.5'], 'BAD_OPTION', ['--slowdown', '0.5']],
    [['--task', '1', '--test-fraction', '1'], 'BAD_OPTION', ['--test-fraction']],
    [[], 'MISSING_OPTION', ['--task']],
  ])('%j is refused with %s', async (argv, code, words) => {
    const outcome = await run([
      'join',
      'http://127.0.0.1:1',
      '--data',
      everybody,
      '--state',
      newFolder(),
      ...argv,
    ]);
    expect(outcome.code).toBe(2);
    for (const word of [...words, `[${code}]`]) expect(outcome.stderr).toContain(word);
    expect(outcome.stderr.trimEnd()).not.toContain('\n');
  });

  test('a folder without a model yet says so', async () => {
    const server = await serve({});
    const state = newFolder();
    server.refusals.push({ status: 403, code: 'REVOKED' });
    await run(joining(server, '1', state));
    const { code, stderr } = await run(['predict', '--model', state, everybody]);
    expect(code).toBe(2);
    expect(stderr).toContain('[NO_MODEL_YET]');
  });
});

describe('the program', () => {
  test('killed in the middle of rounds and started again, comes to the very same model', async () => {
    const options = { gap: 1e-4, testFraction: 0, rounds: 30 } as const;
    const server = await serve(options);
    const states = table.participants.map(() => newFolder());
    // Slow enough to be killed in the middle of a solve.
    const slow = joining(server, '1', states[0], '--slowdown', '20', '--json');
    const others = ['2', '3'].map((id, k) => run(joining(server, id, states[k + 1])));
    let life = start(...slow);
    for (const round of [2, 4]) {
      await until(server, () => server.state.round >= round && server.state.phase === 'open');
      life.child.kill('SIGKILL');
      expect((await life.ended).code).toBe(null);
      expect(readdirSync(states[0])).toContain('lock');
      life = start(...slow);
    }
    const { code, stdout, stderr } = await life.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ participant: '1', reason: 'gap' });
    expect((await Promise.all(others)).map((outcome) => outcome.code)).toEqual([0, 0]);
    expect(readParticipantState(states[0]).stored.session).toBeGreaterThanOrEqual(3);
    expectSameAsTrain(train(table, options), states);
  });

  test('interrupted, keeps its state and says so; a second one is kept out meanwhile', async () => {
    const server = await serve({ gap: 0, rounds: 100_000 }, { minParticipants: 1 });
    const state = newFolder();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const { round } = server.state;
      const { child, ended } = start(...joining(server, '1', state));
      await until(server, () => server.state.round > round + 3);
      const rival = await run(joining(server, '1', state));
      expect(rival.code).toBe(2);
      expect(rival.stderr).toContain(`in use by process ${child.pid}`);
      child.kill(signal);
      const { code, stdout, stderr } = await ended;
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout).toContain('the state is saved');
      expect(stdout).toContain(`State         ${state}`);
      expect(readdirSync(state).sort()).toEqual(['identity', 'state']);
    }
    expect(readParticipantState(state).stored.base).toBeGreaterThan(0);
  });
});
