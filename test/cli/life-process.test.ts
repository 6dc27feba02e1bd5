/** A federation as people meet it: `serve` and `join` with their defaults, one participant after another, leaving and coming back. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { JoinResult } from '../../src/client/participation-options.ts';
import { writeCsv } from '../../src/data/write-csv.ts';
import { train } from '../../src/methods/train.ts';
import { ServedCoordinator } from '../../src/node/admin/served.ts';
import { modelFromFolder, readParticipantState } from '../../src/node/client/state-folder.ts';
import { smallHar } from '../helpers/tables.ts';
import { difference, useBuilt } from '../node/client/helpers.ts';
import { run } from './helpers.ts';

useBuilt();
const folder = mkdtempSync(join(tmpdir(), 'kindred-life-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const table = smallHar(3, 3, 60);
const data = join(folder, 'all.csv');
writeFileSync(data, [...writeCsv(table)].join(''));

interface Status {
  readonly phase: string;
  readonly participants: { readonly joined: number };
}

let server: ServedCoordinator;
let started = 0;
const store = () => join(folder, `store-${started}.db`);
/** With its defaults. */
async function serve(): Promise<void> {
  started++;
  server = await ServedCoordinator.start(store(), []);
}
const state = (id: string) => join(folder, `state-${started}-${id}`);
const joining = (id: string, ...more: string[]) =>
  run(['join', server.url, '--data', data, '--task', id, '--state', state(id), ...more]);
const status = async () => (await (await server.get('/v1/federations/default')).json()) as Status;
const operate = (what: string, method = 'POST') =>
  fetch(`${server.url}/v1/federations/default${what}`, {
    method,
    headers: { authorization: `Bearer ${readFileSync(`${store()}.token`, 'utf8').trim()}` },
  });

describe('serve and join with their defaults', () => {
  test('the first waits, the second starts it, the third wakes it: all end with a model that everybody counts in', async () => {
    await serve();
    try {
      let firstIsDone = false;
      const first = joining('1').finally(() => {
        firstIsDone = true;
      });
      while ((await status()).phase !== 'gathering' || (await status()).participants.joined === 0)
        await new Promise((resolve) => setTimeout(resolve, 50));
      // Long enough for the note that it waits.
      await new Promise((resolve) => setTimeout(resolve, 2500));
      expect(firstIsDone).toBe(false);
      const second = await joining('2', '--json');
      const { code, stdout, stderr } = await first;
      expect([code, second.code]).toEqual([0, 0]);
      expect(stderr).toContain('kindred: note: 1: waiting for 1 more participant');
      expect(stdout).toMatch(/^Took part +2 participants$/m);
      expect(JSON.parse(second.stdout)).toMatchObject({ reason: 'gap', participants: 2, missing: 0 });
      const begun = performance.now();
      const third = JSON.parse((await joining('3', '--json')).stdout) as JoinResult;
      // Far less than one --max-wait, though the others are gone.
      expect(performance.now() - begun).toBeLessThan(30_000);
      expect(third).toMatchObject({ reason: 'gap', participants: 3, missing: 2 });
      expect(await status()).toMatchObject({ finish: 'gap', missing: ['1', '2'] });
      // Whoever comes back is learnt from again, and takes the model home.
      for (let visit = 0; visit < 2; visit++)
        for (const id of ['1', '2', '3']) expect((await joining(id)).code).toBe(0);
      const { w } = train(table, { gap: 1e-6, testFraction: 0 }).model;
      const models = ['1', '2', '3'].map((id) => modelFromFolder(state(id)));
      for (const model of models) expect(difference(model.w, w)).toBeLessThan(0.2);
      for (const id of ['1', '2', '3'])
        expect(readParticipantState(state(id)).stored.base).toBeGreaterThan(0);
    } finally {
      await server.stop();
    }
  });

  test('whoever has nothing accepted does not end as if all were well', async () => {
    await serve();
    try {
      await operate('/finish');
      const { code, stdout, stderr } = await joining('1');
      expect(code).toBe(1);
      expect(stdout).toContain('none accepted yet');
      expect(stderr).toContain('none of its answers was accepted');
      expect(stderr).toContain('[NOT_ACCEPTED]');
      expect((await operate('/reopen')).status).toBe(200);
      const both = await Promise.all([joining('1'), joining('2')]);
      expect(both.map((one) => one.code)).toEqual([0, 0]);
    } finally {
      await server.stop();
    }
  });

  test('--leave needs the state alone, says so, and a later join says that it had left', async () => {
    await serve();
    try {
      await Promise.all([joining('1'), joining('2')]);
      const left = await run(['join', server.url, '--state', state('1'), '--leave']);
      expect([left.code, left.stdout]).toEqual([0, '1 has left federation default\n']);
      expect(left.stderr).toContain('stays in the model until the operator forgets it');
      expect(await status()).toMatchObject({ participants: { left: 1, here: 1 } });
      expect(readParticipantState(state('1')).stored.finished).toBe('left');
      const again = await joining('1');
      expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('had left the federation')]);
      expect(await status()).toMatchObject({ participants: { left: 0, here: 2 } });
      const never = await run(['join', server.url, '--state', state('nobody'), '--leave']);
      expect([never.code, never.stderr]).toEqual([2, expect.stringContaining('[NO_STATE]')]);
    } finally {
      await server.stop();
    }
  });

  test('whoever takes part in a federation that is deleted is told, and keeps its state', async () => {
    await serve();
    try {
      const waiting = joining('1');
      while ((await status()).participants.joined === 0)
        await new Promise((resolve) => setTimeout(resolve, 50));
      expect((await operate('', 'DELETE')).status).toBe(200);
      const { code, stderr } = await waiting;
      expect([code, stderr]).toEqual([1, expect.stringContaining('deleted by the operator [DELETED]')]);
      expect((await joining('1')).stderr).toContain('[NO_SUCH_FEDERATION]');
    } finally {
      await server.stop();
    }
  });
});
