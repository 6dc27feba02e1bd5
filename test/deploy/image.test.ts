/** The image where no builder can build it: rules that a Dockerfile must keep, and that everything it needs is there. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { QUICK, ServerTest } from '../helpers/server.ts';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');

interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** Without comments; lines that end with a backslash go on. */
function instructionsIn(text: string): Instruction[] {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, ' ')
    .split('\n');
  return lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line.trim()) ?? [];
    return name === undefined ? [] : [{ name, rest }];
  });
}

const instructions = instructionsIn(read('deploy/Dockerfile'));
const named = (name: string) => instructions.filter((one) => one.name === name).map(({ rest }) => rest);
/** Of the last stage: the image itself. */
const final = instructions.slice(instructions.map(({ name }) => name).lastIndexOf('FROM'));

describe('deploy/Dockerfile', () => {
  test('its base is pinned to a version of Node and of Debian, slim, and from no registry by name', () => {
    const [base] = named('ARG').map((text) => text.replace('BASE=', ''));
    expect(base).toMatch(/^node:\d+\.\d+(?:\.\d+)?-[a-z]+-slim$/);
    const { engines } = JSON.parse(read('package.json'));
    const [, least] = /(\d+\.\d+)/.exec(engines.node)!;
    expect(Number.parseFloat(base.slice(5))).toBeGreaterThanOrEqual(Number.parseFloat(least));
    expect(named('FROM').map((text) => text.split(' ')[0])).toEqual(Array(3).fill('$'.concat('{BASE}')));
    // No host name anywhere: registries and mirrors are the builder's business.
    expect(read('deploy/Dockerfile').replace(/^#.*\n/gm, '')).not.toMatch(
      /[a-z]\.(?:io|com|org|net|dev)\b|:\/\//,
    );
  });

  test('everything that it copies is there, and is not ignored', () => {
    const rules = read('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(rules[0]).toBe('*');
    const allowed = rules.slice(1).map((rule) => rule.slice(1));
    expect(rules.slice(1).every((rule) => rule.startsWith('!'))).toBe(true);
    const sources = named('COPY')
      .filter((text) => !text.startsWith('--from='))
      .flatMap((text) => text.split(/\s+/).slice(0, -1));
    expect(sources.length).toBeGreaterThan(8);
    for (const source of sources) {
      expect(existsSync(join(root, source)), source).toBe(true);
      expect(allowed, source).toContain(source);
    }
    expect(allowed.filter((name) => !sources.includes(name))).toEqual([]);
  });

  test('what one stage takes from another was made there', () => {
    const stages = named('FROM').map((text) => / AS (\w+)$/.exec(text)?.[1]);
    for (const text of named('COPY').filter((one) => one.startsWith('--from=')))
      expect(stages).toContain(/^--from=(\w+)/.exec(text)![1]);
  });

  test('packages come from the lock file, without scripts of their own; compilers stay behind', () => {
    const runs = named('RUN').filter((text) => text.includes('npm '));
    expect(runs.some((text) => /\bnpm (?:install|i)\b/.test(text))).toBe(false);
    expect(
      runs.filter((text) => text.startsWith('npm ci')).every((text) => text.includes('--ignore-scripts')),
    ).toBe(true);
    expect(final.some(({ name, rest }) => name === 'RUN' && rest.includes('npm'))).toBe(false);
    expect(named('COPY')).toContain('--from=packages /kindred/node_modules node_modules');
    expect(runs.some((text) => text.includes('--omit=dev'))).toBe(true);
  });

  test('it runs as a user by number that is not root, and gets signals itself', () => {
    const users = final.filter(({ name }) => name === 'USER').map(({ rest }) => rest);
    expect(users).toEqual(['1000:1000']);
    // In the form of a list: a shell would keep SIGTERM to itself.
    for (const name of ['ENTRYPOINT', 'CMD'] as const)
      expect(() => JSON.parse(final.find((one) => one.name === name)!.rest)).not.toThrow();
    const [entry] = named('ENTRYPOINT').map((text) => JSON.parse(text) as string[]);
    expect(existsSync(join(root, entry[1].replace('/kindred/', '')))).toBe(true);
  });

  test('no secret is baked in', () => {
    expect(
      instructions.filter(
        ({ name, rest }) => /^(?:ENV|ARG)$/.test(name) && /TOKEN|PASSWORD|SECRET|KEY/i.test(rest),
      ),
    ).toEqual([]);
  });
});

describe('deploy/healthcheck.mjs', () => {
  const servers = new ServerTest();
  const check = async (port: string) => {
    const env = { ...process.env, KINDRED_HEALTH_PORT: port };
    const child = spawn(process.execPath, [join(root, 'deploy/healthcheck.mjs')], { env });
    const [code] = await once(child, 'exit');
    return code;
  };

  test('is 0 for a server, and 1 for nobody and for what answers otherwise', async () => {
    const server = await servers.start({}, QUICK);
    expect(await check(new URL(server.url).port)).toBe(0);
    const other = createServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    onTestFinished(() => void other.close());
    expect(await check(String((other.address() as AddressInfo).port))).toBe(1);
    expect(await check('1')).toBe(1);
  });

  test('takes a certificate of any name', async () => {
    const { ensureCertificate, certificateFilesOf } = await import(
      '../../src/node/server/own-certificate.ts'
    );
    const files = certificateFilesOf(servers.newStore());
    await ensureCertificate(files, ['elsewhere.example.org'], Date.now());
    const server = await servers.start({ tls: files });
    expect(await check(new URL(server.url).port)).toBe(0);
  });

  test('is what the image runs', () => {
    expect(named('HEALTHCHECK')[0]).toContain('CMD ["node", "/kindred/deploy/healthcheck.mjs"]');
    expect(named('EXPOSE')).toEqual(['7070']);
  });
});
