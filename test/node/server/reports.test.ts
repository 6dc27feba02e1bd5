/** Reports of `kindred reproduce` over HTTP: which are listed, which files are served, and nothing else of the machine. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CoordinatorServer } from '../../../src/node/server/server.ts';
import { expectRefusal, goodAnswer } from '../../helpers/answers.ts';
import { ask } from '../../helpers/http.ts';
import { operate, ServerTest } from '../../helpers/server.ts';

const servers = new ServerTest();
let folders = 0;

const VERDICT = {
  ...{ id: 'c1', section: '4.1', claim: 'It is faster.', rule: 'at least 1.1 times', confidence: 'high' },
  ...{ measured: ['1.3 times'], verdict: 'holds', experiments: ['timing'] },
};
const HTML = '<!doctype html><title>Report</title><style>p { color: red }</style><p>text</p>';

/** A folder of reports, and beside it what nobody may read. */
function reports(): string {
  const folder = join(servers.folder, `reports-${folders++}`);
  for (const part of ['quick/figures', 'quick/data', 'quick/cache', 'empty', '.hidden'])
    mkdirSync(join(folder, part), { recursive: true });
  writeFileSync(join(folder, 'secret.html'), 'secret');
  writeFileSync(join(folder, 'quick/report.html'), HTML);
  writeFileSync(join(folder, 'quick/verdicts.json'), JSON.stringify([VERDICT]));
  writeFileSync(join(folder, 'quick/figures/gap.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(folder, 'quick/data/gap.csv'), 'round,gap\n1,0.5\n');
  writeFileSync(join(folder, 'quick/cache/job.json'), '{}');
  writeFileSync(join(folder, '.hidden/report.html'), HTML);
  symlinkSync(join(folder, 'secret.html'), join(folder, 'quick/figures/link.svg'));
  return folder;
}

async function opened(server: CoordinatorServer, name = 'quick'): Promise<string> {
  const { path } = goodAnswer(
    'openReport',
    await operate(server, `/v1/reports/${name}/open`, { method: 'POST' }),
  );
  return `${server.url}${path.replace(/report\.html$/, '')}`;
}

describe('reports', () => {
  test('are listed with their verdicts; folders without one are not', async () => {
    const server = await servers.start({ reports: reports() });
    const { reports: listed } = goodAnswer('listReports', await operate(server, '/v1/reports'));
    expect(listed).toHaveLength(1);
    const { id, section, claim, measured, verdict } = VERDICT;
    expect(listed[0]).toMatchObject({ name: 'quick', verdicts: [{ id, section, claim, measured, verdict }] });
  });

  test('a folder that is a report itself is one; a server without a folder has none', async () => {
    const one = await servers.start({ reports: join(reports(), 'quick') });
    const { reports: listed } = (await operate(one, '/v1/reports')).json;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(['quick']);
    const none = await servers.start();
    expect((await operate(none, '/v1/reports')).json).toEqual({ reports: [] });
    expectRefusal(
      await operate(none, '/v1/reports/quick/open', { method: 'POST' }),
      'NO_SUCH_REPORT',
      'openReport',
    );
  });

  test('broken verdicts hide nothing but themselves', async () => {
    const folder = reports();
    writeFileSync(join(folder, 'quick/verdicts.json'), '{"not": "a list"}');
    const server = await servers.start({ reports: folder });
    expect((await operate(server, '/v1/reports')).json.reports).toMatchObject([
      { name: 'quick', verdicts: [] },
    ]);
  });

  test('files of an open report are served without a token, without scripts, with its own styles only', async () => {
    const server = await servers.start({ reports: reports(), loopback: false });
    const base = await opened(server);
    const page = await ask(`${base}report.html`);
    expect([page.status, page.text]).toEqual([200, HTML]);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toContain('sandbox allow-same-origin;');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toMatch(/style-src 'sha256-[\w+/=]{44}';/);
    expect(policy).not.toMatch(/script|unsafe/);
    expect((await ask(`${base}figures/gap.svg`)).headers['content-type']).toBe('image/svg+xml');
    expect((await ask(`${base}data/gap.csv`)).text).toBe('round,gap\n1,0.5\n');
    expectRefusal(await ask(`${server.url}/v1/reports`), 'TOKEN_NEEDED', 'listReports');
  });

  test.each([
    ...[
      'cache/job.json',
      '../secret.html',
      '..%2fsecret.html',
      '%2e%2e/secret.html',
      'figures/../../secret.html',
    ],
    ...['figures/link.svg', 'figures/', 'data/none.csv', 'report.html/', 'verdicts.json%00', ''],
  ])('%j is not served', async (path) => {
    const server = await servers.start({ reports: reports() });
    const { status, text } = await ask(`${await opened(server)}${path}`);
    expect(status).toBe(404);
    expect(text).not.toBe('secret');
  });

  test.each(['..', '.hidden', 'empty', 'quick%2f..', 'nowhere'])('%s cannot be opened', async (name) => {
    const server = await servers.start({ reports: reports() });
    const heard = await operate(server, `/v1/reports/${name}/open`, { method: 'POST' });
    expect(heard.status).toBe(404);
  });

  test('a ticket of another server, or an invented one, opens nothing', async () => {
    const server = await servers.start({ reports: reports() });
    const other = await servers.start({ reports: reports() });
    const path = new URL(await opened(other)).pathname;
    expectRefusal(await ask(`${server.url}${path}report.html`), 'NO_SUCH_REPORT');
  });
});
