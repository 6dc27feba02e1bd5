/** The audit log: what operators do is in it, floods are only counted, and no change of it goes unnoticed. */
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import Database from 'libsql';
import { describe, expect, test } from 'vitest';
import {
  type AuditEntry,
  type AuditLine,
  nextAuditLine,
  verifyAudit,
} from '../../../src/host/audit-chain.ts';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { run } from '../../cli/helpers.ts';
import { ask } from '../../helpers/http.ts';
import { operate, ServerTest } from '../../helpers/server.ts';

const servers = new ServerTest();
const HOME = '/v1/federations/default';

async function logOf(server: CoordinatorServer, query = ''): Promise<AuditEntry[]> {
  const { text, headers } = await operate(server, `/v1/audit-log${query}`);
  expect(headers['content-type']).toBe('application/x-ndjson; charset=utf-8');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as AuditEntry);
}

describe('what is in it', () => {
  test('starts, stops, and every action of an operator with who, what, where from and how it ended', async () => {
    const store = servers.newStore();
    const server = await servers.start({ store });
    const body = { name: 'bob', role: 'operate' };
    const { token } = (await operate(server, '/v1/tokens', { body })).json;
    await ask(`${server.url}${HOME}/pause`, { method: 'POST', token });
    await ask(`${server.url}${HOME}/invitations`, { token, body: { participant: 'ada' } });
    await ask(`${server.url}${HOME}/participants/nobody/revoke`, { method: 'POST', token });
    await ask(`${server.url}/v1/tokens`, { token });
    const told = (await logOf(server)).map(({ who, what, target, outcome, from }) => [
      who,
      what,
      target,
      outcome,
      from,
    ]);
    expect(told).toEqual([
      ['console', 'start', server.url, 'done', ''],
      ['operator', 'addToken', 'bob, role operate', 'done', '127.0.0.1'],
      ['bob', 'pauseFederation', 'default', 'done', '127.0.0.1'],
      ['bob', 'invite', 'default ada', 'done', '127.0.0.1'],
      ['bob', 'revokeParticipant', 'default nobody', 'NO_SUCH_PARTICIPANT', '127.0.0.1'],
      ['bob', 'listTokens', '', 'ROLE_NEEDED', '127.0.0.1'],
    ]);
    expect(await logOf(server, '?after=2&limit=1')).toMatchObject([{ seq: 3, what: 'pauseFederation' }]);
    await server.close();
    const again = await servers.start({ store });
    expect((await logOf(again)).slice(6).map(({ what }) => what)).toEqual(['stop', 'start']);
  });

  test('a flood of strangers is one line with counts, a flood of one token eleven', async () => {
    const server = await servers.start();
    const { token } = (await operate(server, '/v1/tokens', { body: { name: 'eve', role: 'read' } })).json;
    for (let n = 0; n < 200; n++)
      await ask(`${server.url}${HOME}/pause`, { method: 'POST', token: 'guess-number-x' });
    for (let n = 0; n < 50; n++) await ask(`${server.url}/nothing`);
    for (let n = 0; n < 100; n++) await ask(`${server.url}${HOME}/pause`, { method: 'POST', token });
    const entries = (await logOf(server)).slice(2);
    expect(entries).toHaveLength(11);
    expect(entries.slice(0, 10).every(({ who, outcome }) => who === 'eve' && outcome === 'ROLE_NEEDED')).toBe(
      true,
    );
    const { who, what, counts } = entries[10];
    expect({ who, what, counts }).toEqual({
      who: 'strangers',
      what: 'refusals',
      counts: { WRONG_TOKEN: 200, NOT_FOUND: 50, ROLE_NEEDED: 90 },
    });
  });

  test('what cannot be logged is not answered as done', async () => {
    const server = await servers.start();
    const append = server.store.appendAuditLine;
    server.store.appendAuditLine = () => {
      throw new Error('disk full');
    };
    const heard = await operate(server, `${HOME}/pause`, { method: 'POST' });
    server.store.appendAuditLine = append;
    expect(heard.status).toBe(500);
  });
});

describe('tampering', () => {
  function chain(length: number): string[] {
    const lines: AuditLine[] = [];
    for (let n = 0; n < length; n++) {
      const event = { who: 'ada', from: '', what: 'pause', target: `t${n}`, outcome: 'done' };
      lines.push(nextAuditLine(lines.at(-1), { at: new Date(n).toISOString(), ...event }));
    }
    return lines.map(({ line }) => line);
  }

  test('any changed byte is found, in the entry where it is', () => {
    const lines = chain(6);
    fc.assert(
      fc.property(fc.nat(5), fc.nat(), fc.integer({ min: 32, max: 126 }), (at, offset, code) => {
        const line = lines[at];
        const i = offset % line.length;
        const changed = line.slice(0, i) + String.fromCharCode(code) + line.slice(i + 1);
        if (changed === line) return;
        expect(verifyAudit(lines.with(at, changed)).broken?.seq).toBe(at + 1);
      }),
    );
  });

  test('an entry that is taken out, put in, moved or written anew is found', () => {
    const lines = chain(6);
    expect(verifyAudit(lines)).toMatchObject({ entries: 6 });
    expect(verifyAudit(lines.toSpliced(2, 1)).broken?.seq).toBe(3);
    expect(verifyAudit(lines.toSpliced(2, 0, lines[2])).broken?.seq).toBe(4);
    expect(verifyAudit([lines[0], lines[2], lines[1], ...lines.slice(3)]).broken?.seq).toBe(2);
    const forged = nextAuditLine(
      { seq: 2, line: lines[1] },
      {
        ...{ at: '', who: 'eve', from: '', what: 'nothing', target: '', outcome: 'done' },
      },
    );
    expect(verifyAudit(lines.with(2, forged.line)).broken?.seq).toBe(4);
  });

  test('a cut end is found against a head that was noted, and more entries are no harm', () => {
    const lines = chain(6);
    const { head } = verifyAudit(lines.slice(0, 5));
    expect(verifyAudit(lines, head).broken).toBeUndefined();
    expect(verifyAudit(lines.slice(0, 4)).broken).toBeUndefined();
    expect(verifyAudit(lines.slice(0, 4), head).broken?.seq).toBe(5);
    expect(verifyAudit(chain(9).slice(5), head).broken?.seq).toBe(1);
  });

  test('kindred audit-log verify finds it in a store and in an export, and names the entry', async () => {
    const store = servers.newStore();
    const server = await servers.start({ store });
    for (const what of ['pause', 'resume', 'pause'])
      await operate(server, `${HOME}/${what}`, { method: 'POST' });
    const exported = `${store}.jsonl`;
    writeFileSync(exported, (await operate(server, '/v1/audit-log')).text);
    await server.close();
    const verified = (file: string, ...more: string[]) => run(['audit-log', 'verify', file, ...more]);
    const good = await verified(store);
    expect(good.stdout).toMatch(/^5 entries, none changed, none missing\nhead [0-9a-f]{64}\n$/);
    const head = good.stdout.slice(-65, -1);
    expect((await verified(exported)).stdout).toMatch(/^4 entries/);
    expect((await verified(store, '--head', head)).code).toBe(0);
    const cut = await verified(exported, '--head', head);
    expect([cut.code, cut.stderr]).toEqual([
      1,
      expect.stringContaining('entry 5 of the audit log: no entry has the given head hash'),
    ]);
    expect((await run(['audit-log', 'show', store])).stdout).toMatch(
      /\n3 {2}\S+ {2}operator {2}127\.0\.0\.1 {2}resumeFederation {2}default {2}done\n/,
    );

    // A byte of the file, as an editor of disks would.
    const bytes = readFileSync(store);
    const at = bytes.indexOf('resumeFederation');
    const changed = `${store}.changed`;
    writeFileSync(changed, Buffer.concat([bytes.subarray(0, at), Buffer.from('R'), bytes.subarray(at + 1)]));
    const found = await verified(changed);
    expect([found.code, found.stderr]).toEqual([
      1,
      expect.stringContaining('entry 3 of the audit log: it was changed'),
    ]);

    const db = new Database(store);
    db.exec('DELETE FROM audit WHERE seq = 3');
    db.close();
    const gone = await verified(store);
    expect(gone.stderr).toContain('entry 3 of the audit log: expected entry 3, got entry 4');
    expect(gone.stderr).toContain('[AUDIT_BROKEN]');
  });

  test('a server goes on after a broken entry, and does not hide it', async () => {
    const store = servers.newStore();
    const server = await servers.start({ store });
    await server.close();
    const db = new Database(store);
    db.exec(`UPDATE audit SET line = replace(line, 'stop', 'stay') WHERE seq = 2`);
    db.close();
    const again = await servers.start({ store });
    expect((await operate(again, `${HOME}/pause`, { method: 'POST' })).status).toBe(200);
    await again.close();
    expect((await run(['audit-log', 'verify', store])).stderr).toContain('entry 2 of the audit log');
  });
});
