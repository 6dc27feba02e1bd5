/** `kindred data fetch` against a server of our own: everything that can go wrong on the way leaves nothing behind. */
import { mkdirSync, renameSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { UCI_HAR_FILES } from '../../src/data/uci-har.ts';
import { run, runJson, Sandbox } from './helpers.ts';
import { makeZip, type ZipFile } from './make-zip.ts';

const sandbox = new Sandbox();

/** Files of the published shape; what they say does not matter here. */
function uciHarFiles(): ZipFile[] {
  return UCI_HAR_FILES.map(({ path, rows, columns }) => {
    const line = (i: number) => {
      if (path === 'features.txt' || path === 'activity_labels.txt') return `${i + 1} name${i + 1}`;
      if (columns === 1) return String(1 + (i % 6));
      return ROWS[i % ROWS.length];
    };
    return { name: path, content: `${Array.from({ length: rows }, (_, i) => line(i)).join('\n')}\n` };
  });
}

const ROWS = [0, 1, 2].map((k) =>
  Array.from({ length: 561 }, (_, j) => ((j * 7 + k * 3) % 10) / 8).join(' '),
);

function nested(files: readonly ZipFile[]): Uint8Array {
  const inner = makeZip(files.map((file) => ({ ...file, name: `UCI HAR Dataset/${file.name}` })));
  return makeZip([
    { name: 'UCI HAR Dataset.zip', content: inner, method: 0 },
    { name: 'UCI HAR Dataset.names', content: 'about the data' },
  ]);
}

const files = uciHarFiles();
const good = nested([...files, { name: 'README.txt', content: 'read me' }]);
const damaged = good.slice();
damaged[Math.floor(good.length / 2)] ^= 0xff;

const send =
  (bytes: Uint8Array | string): RequestListener =>
  (_, response) =>
    response.end(bytes);

const ROUTES: Readonly<Record<string, RequestListener>> = {
  '/good.zip': send(good),
  '/moved.zip': (_, response) => response.writeHead(302, { location: '/good.zip' }).end(),
  '/flat.zip': send(makeZip(files)),
  '/page.zip': send('<html>not found</html>'),
  '/other.zip': send(makeZip([{ name: 'iris.csv', content: '1,2' }])),
  '/damaged.zip': send(damaged),
  '/short.zip': send(nested(files.filter(({ name }) => name !== 'test/X_test.txt'))),
  '/rows.zip': send(
    nested(files.map((f) => (f.name === 'train/y_train.txt' ? { ...f, content: '1\n' } : f))),
  ),
  '/unsafe.zip': send(nested([...files, { name: '../../escaped.txt', content: 'out' }])),
  '/cut.zip': (_, response) => {
    response.writeHead(200, { 'content-length': good.length });
    response.write(good.subarray(0, good.length / 2), () => response.destroy());
  },
  '/cut-chunked.zip': (_, response) => {
    response.writeHead(200);
    response.write(good.subarray(0, good.length / 2), () => response.destroy());
  },
  '/error.zip': (_, response) => response.writeHead(503).end('busy'),
};

let server: Server;
let base = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const route = ROUTES[request.url ?? ''];
    if (route) route(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function fetchFrom(path: string, out: string, ...more: string[]) {
  return run(['data', 'fetch', 'uci-har', '--url', base + path, '--out', sandbox.path(out), ...more]);
}

describe('data fetch uci-har', () => {
  test.each([
    ['/good.zip', 'nested', 9],
    ['/flat.zip', 'flat', 8],
    ['/moved.zip', 'moved', 9],
  ])('unpacks %s into a folder', async (path, out, count) => {
    const { code, stdout, stderr } = await fetchFrom(path, out, '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ name: 'uci-har', files: count });
    const inside = sandbox.list().filter((name) => name.startsWith(out) && name.endsWith('.txt'));
    expect(inside).toHaveLength(count);
    expect(sandbox.read(join(out, 'train/X_train.txt'))).toBe(
      files.find(({ name }) => name === 'train/X_train.txt')!.content,
    );
  });

  test('that folder is data, by its own name and by that of the folder around it', async () => {
    await fetchFrom('/good.zip', 'data');
    const description = await runJson<Record<string, unknown>>('data', 'describe', sandbox.path('data'));
    expect(description).toMatchObject({ rows: 10299, features: 561, target: { distinct: 2 } });
    mkdirSync(sandbox.path('around'));
    renameSync(sandbox.path('data'), sandbox.path('around/UCI HAR Dataset'));
    const activities = await runJson('data', 'describe', sandbox.path('around'), '--uci-target', 'activity');
    expect(activities).toMatchObject({ rows: 10299, target: { distinct: 6 } });
  });

  test('a second run finds it done', async () => {
    await fetchFrom('/good.zip', 'twice');
    const { code, stdout } = await fetchFrom('/error.zip', 'twice');
    expect(code).toBe(0);
    expect(stdout).toContain('already complete, nothing to download');
  });

  test.each([
    ['/nowhere.zip', 'HTTP_STATUS', '404'],
    ['/error.zip', 'HTTP_STATUS', '503'],
    ['/page.zip', 'NOT_ZIP', 'ZIP'],
    ['/other.zip', 'WRONG_ARCHIVE', 'features.txt'],
    ['/damaged.zip', 'ZIP_CORRUPT', 'damaged'],
    ['/short.zip', 'UCI_HAR_MISSING_FILE', 'test/X_test.txt'],
    ['/rows.zip', 'UCI_HAR_ROWS', 'train/y_train.txt'],
    ['/unsafe.zip', 'ZIP_UNSAFE_NAME', 'escaped.txt'],
    ['/cut.zip', 'DOWNLOAD_TRUNCATED', 'bytes'],
    ['/cut-chunked.zip', 'DOWNLOAD_FAILED', 'broke off'],
  ])('%s fails the run with %s and leaves nothing', async (path, errorCode, word) => {
    const before = sandbox.list();
    const { code, stdout, stderr } = await fetchFrom(path, 'never');
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^kindred: [^\n]+\n$/);
    expect(stderr).toContain(`[${errorCode}]`);
    expect(stderr).toContain(word);
    expect(code).toBe(1);
    expect(sandbox.list()).toEqual(before);
  });

  test('nobody listening is a failed run, too', async () => {
    const argv = [
      'data',
      'fetch',
      'uci-har',
      '--url',
      'http://127.0.0.1:1/a.zip',
      '--out',
      sandbox.path('never'),
    ];
    const { code, stderr } = await run(argv);
    expect(stderr).toMatch(
      /^kindred: http:\/\/127\.0\.0\.1:1\/a\.zip: could not be reached .*\[DOWNLOAD_FAILED\]\n$/,
    );
    expect(code).toBe(1);
  });
});
