/** kindred serve as a process: what it says, and how it takes signals. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { Authority, hasOpenssl, replace } from '../helpers/certificates.ts';
import { ask } from '../helpers/http.ts';
import { until } from '../helpers/server.ts';
import { connected } from '../helpers/ws-participant.ts';
import { Trainer } from '../helpers/ws-trainer.ts';
import { Sandbox } from './helpers.ts';

const sandbox = new Sandbox();
const launcher = fileURLToPath(new URL('../../bin/kindred.js', import.meta.url));
const children: ChildProcess[] = [];

beforeAll(() => {
  const script = fileURLToPath(new URL('../../scripts/ensure-built.mjs', import.meta.url));
  const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
}, 120_000);

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

class Process {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  stdout = '';
  stderr = '';

  constructor(...argv: string[]) {
    this.child = spawn(process.execPath, [launcher, 'serve', '--port', '0', ...argv], {
      cwd: sandbox.folder,
    });
    children.push(this.child);
    this.child.stdout!.on('data', (chunk) => {
      this.stdout += chunk;
    });
    this.child.stderr!.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.ended = new Promise((resolve) => this.child.on('close', resolve));
  }

  /** The first that is said which looks like this. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.stdout + this.stderr);
      if (found) return found;
      if (this.child.exitCode !== null) throw new Error(`it has ended: ${this.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

test('says where it listens and how to join, and ends on SIGTERM with exit 0', async () => {
  const server = new Process('--log-level', 'warn', '--store', 'plain.db');
  const [, url] = await server.says(/^Listening +(http:\S+)$/m);
  await server.says(/^Token +plain\.db\.token$/m);
  expect(server.stdout).toMatch(/^Store +plain\.db$/m);
  expect(server.stdout).toMatch(/^Federation +default: gathering, round 0$/m);
  expect(server.stdout).toContain(`join ${url} --data mine.csv`);
  const ada = new Trainer('ada');
  const link = await ada.join(url, {});
  expect((await ask(`${url}/healthz`)).status).toBe(200);
  server.child.kill('SIGTERM');
  expect(await link.closed).toBe(1001);
  expect(await server.ended).toBe(0);
  expect(server.stderr).toBe('');
});

test('warns where everything travels in the clear, logs JSON lines, and ends on SIGINT', async () => {
  const server = new Process('--host', '0.0.0.0', '--store', 'open.db', '--json');
  const [line] = await server.says(/^\{"url".*\}$/m);
  const { federations } = JSON.parse(line) as { federations: string[] };
  expect(federations).toEqual(['default']);
  await server.says(/warning: 0\.0\.0\.0 without TLS: traffic is not encrypted/);
  const logged = server.stderr.split('\n').filter((text) => text.startsWith('{'));
  expect(logged.map((text) => JSON.parse(text).msg)).toContain('listening');
  server.child.kill('SIGINT');
  expect(await server.ended).toBe(0);
  // One document, and nothing else.
  expect(server.stdout).toBe(`${line}\n`);
});

test('a second signal ends it at once, whoever it is still waiting for', async () => {
  const server = new Process('--log-level', 'warn', '--store', 'twice.db', '--json');
  const [, url] = await server.says(/"url":"([^"]+)"/);
  const link = await connected(url, { participant: 'ada' });
  link.deafen();
  server.child.kill('SIGTERM');
  await until(() => refuses(url), 'it listens no longer');
  expect(server.child.exitCode).toBeNull();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(1);
  link.terminate();
});

test('ends within the ten seconds of a container engine, whoever does not read, listens or sends half a request', async () => {
  const server = new Process('--log-level', 'warn', '--store', 'grace.db', '--json');
  const [, url] = await server.says(/"url":"([^"]+)"/);
  const link = await connected(url, { participant: 'ada' });
  link.deafen();
  const page = await fetch(`${url}/v1/federations/default/events`);
  const half = connect(Number(new URL(url).port), '127.0.0.1');
  half.on('error', () => {});
  half.write('POST /v1/predict HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{');
  const sinceMs = performance.now();
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  expect(performance.now() - sinceMs).toBeLessThan(10_000);
  await page.body?.cancel().catch(() => {});
  half.destroy();
  link.terminate();
});

async function refuses(url: string): Promise<boolean> {
  return await ask(`${url}/healthz`).then(
    () => false,
    () => true,
  );
}

test.skipIf(!hasOpenssl)('reads its certificates again on SIGHUP (needs openssl)', async () => {
  const authority = new Authority(sandbox.folder, 'authority');
  const files = authority.issue('first');
  const server = new Process('--store', 'tls.db', '--tls-cert', files.cert, '--tls-key', files.key, '--json');
  await server.says(/"url":"https:/);
  replace(files, authority.issue('second'));
  server.child.kill('SIGHUP');
  await server.says(/certificate files reloaded/);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
});
