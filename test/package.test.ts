/**
 * The package as a stranger gets it: packed by npm, unpacked in an empty project beside its dependencies. Every entry point, its
 * types, every example of a doc comment and every program of examples/ must work there; nothing else may be reachable.
 */
import { execFile, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENTRY_POINTS, examplesIn, namesOf, OF_PAGES, printedBy } from './helpers/public-names.ts';
import { optionsLike, TestServer } from './helpers/test-server.ts';

const root = resolve(import.meta.dirname, '..');
const project = mkdtempSync(join(tmpdir(), 'kindred-package-'));
const run = promisify(execFile);
let packed: { unpackedSize: number; size: number; entryCount: number };

async function node(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return await run(process.execPath, argv, { cwd: project, maxBuffer: 1 << 26 }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

beforeAll(async () => {
  await run(process.execPath, ['scripts/ensure-built.mjs'], { cwd: root });
  const flags = ['--ignore-scripts', '--json', '--offline', '--pack-destination', project];
  const { stdout } = await run('npm', ['pack', ...flags], { cwd: root, maxBuffer: 1 << 26 });
  [packed] = JSON.parse(stdout);
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'kindred'), { recursive: true });
  const [archive] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(project, archive), '-C', join(modules, 'kindred'), '--strip-components=1']);
  for (const name of readdirSync(join(root, 'node_modules')))
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(modules, name));
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', type: 'module', private: true }),
  );
  cpSync(join(root, 'examples'), join(project, 'examples'), { recursive: true });
}, 120_000);
afterAll(() => rmSync(project, { recursive: true, force: true }));

const files = readdirSync(join(root, 'src/public')).map((name) => name.replace(/\.ts$/, ''));
const examples = files.flatMap(examplesIn);
/** Those that run on Node. */
const programs = files.filter((file) => !OF_PAGES.includes(file)).flatMap(examplesIn);

describe('an installation', () => {
  const { overrides = {}, engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true; engines?: { node?: string } }>;
  };
  const installed = Object.entries(packages).filter(([, { dev, devOptional }]) => !dev && !devOptional);

  /** ">=18", "^16 || ^18 || >=20": whether a version of the 20th is among them. */
  function accepts(range: string, minor: number): boolean {
    return range.split('||').some((part) => {
      const [, sign, major, least = '0'] = /^\s*(>=|\^)?\s*(\d+)(?:\.(\d+|x).*)?$/.exec(part) ?? [];
      if (major === undefined) return false;
      if (Number(major) === 20) return minor >= (Number(least) || 0);
      return sign === '>=' && Number(major) < 20;
    });
  }

  test('has no package that warns about the oldest Node that is promised', () => {
    expect(engines.node).toBe('>=20.19');
    expect(installed.length).toBeGreaterThan(50);
    const wrong = installed.filter(([, { engines }]) => engines?.node && !accepts(engines.node, 19));
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  test('needs no override, which would not reach those who install the package', () => {
    const names = installed.map(([name]) => name.replace(/^.*node_modules\//, ''));
    expect(Object.keys(overrides).filter((name) => names.includes(name))).toEqual([]);
  });
});

describe('entry points', () => {
  const keysOf = (entries: readonly string[]) => `console.log(JSON.stringify(await Promise.all(
    ${JSON.stringify(entries)}.map(async (name) => Object.keys(await import(name))))))`;
  const valuesOf = (file: string) =>
    namesOf(file)
      .filter(({ isType }) => !isType)
      .map(({ name }) => name)
      .sort();

  test('have exactly their names', async () => {
    const { stdout, stderr } = await node('--input-type=module', '--eval', keysOf(Object.keys(ENTRY_POINTS)));
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(Object.values(ENTRY_POINTS).map(valuesOf));
  });

  test('come without Node for pages', async () => {
    const entries = keysOf(['kindred', 'kindred/client', 'kindred/browser', 'kindred/sim']);
    const { stdout, stderr } = await node('--conditions=browser', '--input-type=module', '--eval', entries);
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual(['kindred-core', 'client-core', 'browser', 'sim'].map(valuesOf));
  });

  test('are all there is beside internals', async () => {
    const { stdout } = await node(
      '--input-type=module',
      '--eval',
      `const { readCsv } = await import('kindred/internals/data/csv');
       const refused = await import('kindred/solver').catch(({ code }) => code);
       console.log(typeof readCsv, refused, (await import('kindred/package.json', { with: { type: 'json' } })).default.name);`,
    );
    expect(stdout.trim()).toBe('function ERR_PACKAGE_PATH_NOT_EXPORTED kindred');
  });

  test('the command is there, and the package is small', async () => {
    const { code, stdout } = await node('node_modules/kindred/bin/kindred.js', '--help');
    expect([code, stdout.startsWith('Usage: kindred')]).toEqual([0, true]);
    console.log(
      `packed ${(packed.size / 1e6).toFixed(2)} MB, unpacked ${(packed.unpackedSize / 1e6).toFixed(2)} MB, ${packed.entryCount} files`,
    );
    // With the pages and their workers, a sixth of it.
    expect(packed.size).toBeLessThan(3.5e6);
  });
});

describe('examples of doc comments', () => {
  beforeAll(() => {
    for (const { name, code } of examples) writeFileSync(join(project, `${name}.ts`), code);
    // Types that cannot be found would be any, and this no error.
    const wrong = Object.keys(ENTRY_POINTS).map(
      (entry) => `// @ts-expect-error\nimport { nothing } from '${entry}';`,
    );
    writeFileSync(join(project, 'wrong.ts'), wrong.join('\n'));
    for (const [resolution, module] of Object.entries({ nodenext: 'nodenext', bundler: 'esnext' })) {
      const compilerOptions = {
        ...{ strict: true, target: 'es2022', lib: ['es2023', 'dom'], types: ['node'], outDir: resolution },
        ...{ module, moduleResolution: resolution, exactOptionalPropertyTypes: true },
      };
      const config = { compilerOptions, include: ['*.ts'] };
      writeFileSync(join(project, `tsconfig.${resolution}.json`), JSON.stringify(config));
    }
  });

  test.each(['nodenext', 'bundler'])(
    'have the types of the package under %s resolution',
    async (resolution) => {
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const { stdout } = await node(tsc, '-p', `tsconfig.${resolution}.json`);
      expect(stdout).toBe('');
    },
  );

  test('print what they say', async () => {
    const runner = `
      const printed = {};
      for (const name of ${JSON.stringify(programs.map(({ name }) => name))}) {
        mkdirSync(name);
        process.chdir(name);
        const lines = (printed[name] = []);
        console.log = (...values) => lines.push(format(...values));
        await import(new URL('nodenext/' + name + '.js', import.meta.url)).catch((error) => lines.push(error.stack));
        process.chdir('..');
      }
      writeFileSync('printed.json', JSON.stringify(printed));`;
    writeFileSync(
      join(project, 'runner.mjs'),
      `import { mkdirSync, writeFileSync } from 'node:fs';
import { format } from 'node:util';${runner}`,
    );
    const { code, stderr } = await node('runner.mjs');
    expect([code, stderr]).toEqual([0, '']);
    const printed = JSON.parse(readFileSync(join(project, 'printed.json'), 'utf8'));
    expect(printed).toEqual(Object.fromEntries(programs.map(({ name, code }) => [name, printedBy(code)])));
  });
});

/** "  mtl   4.6%  9.0%" -> [4.6, 9]: the numbers of the line that starts with a word. */
function numbersAfter(word: string, text: string): number[] {
  const line = text.split('\n').find((candidate) => candidate.trim().startsWith(word));
  expect(line, `a line that starts with ${word}`).toBeDefined();
  return [
    ...line!
      .trim()
      .slice(word.length)
      .matchAll(/-?\d+(?:\.\d+)?/g),
  ].map(([digits]) => Number(digits));
}

describe('programs of examples/', () => {
  test('every program has a test here', () => {
    const names = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs'));
    expect(names.sort()).toEqual(['classification.mjs', 'join.mjs', 'regression.mjs', 'serve.mjs']);
  });

  test('classification: mtl errs least, a newcomer is served, and the model file works', async () => {
    const file = join(project, 'model.json');
    const { code, stdout, stderr } = await node('examples/classification.mjs', file);
    expect([code, stderr]).toEqual([0, '']);
    const [mtl, local, globally] = ['mtl', 'local', 'global'].map((name) => numbersAfter(name, stdout)[0]);
    expect(mtl).toBeLessThan(Math.min(local, globally));
    expect(stdout).toContain('"stressed" is the positive class (+1), "calm" the negative one (-1)');
    expect(numbersAfter('Mia is new and labelled nothing: error', stdout)[0]).toBeLessThan(20);
    expect(stdout).toContain('saved and read back: the same decisions');
    expect(JSON.parse(readFileSync(file, 'utf8')).format).toBe('kindred-model');
  });

  test('regression: mtl explains most, and five days of its own help a new house', async () => {
    const { code, stdout, stderr } = await node('examples/regression.mjs');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/best of 20 by 5-fold rmse: C1 = [\d.]+, C2 = [\d.]+/);
    const [mtl, local, globally] = ['mtl', 'local', 'global'].map((name) => numbersAfter(name, stdout)[0]);
    expect(mtl).toBeGreaterThan(Math.max(local, globally));
    const [before, after] = ['w alone', 'after 5 days'].map((name) => numbersAfter(name, stdout).at(-1)!);
    expect(after).toBeLessThan(before);
    expect(stdout).toMatch(/house 1 on a day of -5 degrees: [\d.]+ kWh/);
  });

  test('join: takes part in a federation, and predicts', async () => {
    const server = await TestServer.start(optionsLike({ gap: 1e-3 }));
    const child = spawn(process.execPath, ['examples/join.mjs', server.url, join(project, 'room')], {
      cwd: project,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        output += chunk;
      });
    const code = await new Promise((resolve) => child.on('close', resolve));
    await server.close();
    expect(code, output).toBe(0);
    expect(output).toMatch(/^round 1: \d+ passes$/m);
    expect(output).toMatch(/^ended after \d+ rounds: gap; errors on 15 rows kept aside: 0$/m);
    expect(output).toContain('somebody is in the room');
  });

  test('serve: a coordinator runs inside a service until it is stopped', async () => {
    const child = spawn(process.execPath, ['examples/serve.mjs', join(project, 'embedded.db')], {
      cwd: project,
    });
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      if (stdout.endsWith('connected\n')) child.kill('SIGINT');
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^coordinator at http:\/\/127\.0\.0\.1:\d+\n/);
    expect(stdout).toContain('federation "default": gathering, 0 connected\nstopped\n');
  });
});
