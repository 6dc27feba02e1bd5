import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Who may import whom: a folder sees those on lines above its own, and itself. Folders on one line do not see each other. Types count:
 * whoever needs a type of another folder depends on it.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['settings'],
  ['data'],
  ['charts'],
  ['math'],
  ['solver'],
  ['privacy'],
  ['protocol'],
  ['participant', 'coordinator'],
  ['client', 'host'],
  ['methods', 'sim', 'check'],
  ['reproduce', 'audit', 'export', 'explain'],
  ['browser', 'nats'],
  ['node'],
  ['stores'],
  ['cli', 'web', 'public'],
];

/** Folders that may touch the outside world. */
const OUTER = new Set(['node', 'browser', 'nats', 'stores', 'cli', 'web', 'public']);

const FORBIDDEN: readonly { what: string; pattern: RegExp }[] = [
  { what: 'a clock', pattern: /\bDate\.now\b|\bnew Date\b|\bperformance\.now\b|\bprocess\.hrtime\b/ },
  { what: 'a timer', pattern: /\b(setTimeout|setInterval|setImmediate|requestAnimationFrame)\b/ },
  {
    what: 'randomness of its own',
    pattern: /\bMath\.random\b|\bgetRandomValues\b|\brandomBytes\b|\brandomUUID\b|(?<![.\w])crypto\./,
  },
  { what: 'the network', pattern: /\bfetch\(|\bWebSocket\b|\bXMLHttpRequest\b/ },
  {
    what: 'Node itself',
    pattern: /from 'node:|import\('node:|\brequire\(|(?<![.\w])(process\.|Buffer\b|__dirname\b|globalThis\b)/,
  },
  { what: 'the page', pattern: /(?<![.\w])(window|document|navigator|localStorage|indexedDB|self)\./ },
  {
    what: 'packages that need Node',
    pattern: /from '(ws|fastify|libsql|pino|prom-client|commander|@fastify\/[^']+)'/,
  },
];

const root = resolve(import.meta.dirname, '../src');
const files = (readdirSync(root, { recursive: true }) as string[])
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('assembly'))
  .map((name) => ({ name, folder: name.split('/')[0], text: readFileSync(join(root, name), 'utf8') }));

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

/** Of every kind: static, dynamic, of types only, and types by `import('...')`. */
function importsOf(file: { name: string; text: string }): string[] {
  const specifiers = [...file.text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]);
  return specifiers.map((specifier) => relative(root, resolve(root, dirname(file.name), specifier)));
}

/** Without comments: they may talk about what code may not do. */
function codeOf(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

describe('architecture', () => {
  test('every folder has its place', () => {
    const folders = new Set(files.filter((file) => file.name.includes('/')).map((file) => file.folder));
    expect(folders.size).toBeGreaterThan(10);
    for (const folder of folders)
      expect(layerOf(folder), `src/${folder} is in no layer`).toBeGreaterThanOrEqual(0);
  });

  test('imports go one way', () => {
    const wrong: string[] = [];
    for (const file of files) {
      if (!file.name.includes('/')) continue;
      for (const target of importsOf(file)) {
        const to = target.split('/')[0];
        if (to !== file.folder && !(layerOf(to) >= 0 && layerOf(to) < layerOf(file.folder))) {
          wrong.push(`${file.name} -> ${target}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('no clock, timer, randomness, file system, network or runtime outside node, browser, nats, stores, cli, web and public', () => {
    const wrong: string[] = [];
    for (const file of files) {
      if (OUTER.has(file.folder) || !file.name.includes('/')) continue;
      for (const { what, pattern } of FORBIDDEN) {
        const found = pattern.exec(codeOf(file.text));
        if (found) wrong.push(`${file.name} touches ${what}: ${found[0]}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test('the core compiles without the types of Node', () => {
    const project = resolve(root, '..');
    const { include } = JSON.parse(readFileSync(join(project, 'tsconfig.core.json'), 'utf8'));
    const core = LAYERS.flat().filter((folder) => !OUTER.has(folder));
    const folders = include.filter((path: string) => !path.includes('.'));
    expect(folders.sort()).toEqual(core.map((folder) => `src/${folder}`).sort());
    const tsc = join(project, 'node_modules/typescript/bin/tsc');
    expect(
      spawnSync(process.execPath, [tsc, '-p', 'tsconfig.core.json'], { cwd: project, encoding: 'utf8' })
        .stdout,
    ).toBe('');
  });

  test('no barrels: an import names the file that defines the thing', () => {
    expect(files.map((file) => file.name).filter((name) => /(^|\/)index\.tsx?$/.test(name))).toEqual([]);
    const passedOn = files.filter((file) => file.folder !== 'public' && /^export \* from/m.test(file.text));
    expect(passedOn.map((file) => file.name)).toEqual([]);
  });

  test('only the entry points with Node in them import from node', () => {
    const portable = [
      'public/kindred-core.ts',
      'public/models.ts',
      'public/tables.ts',
      'public/training.ts',
      'public/client-core.ts',
      'public/browser.ts',
      'public/sim.ts',
    ];
    const found = portable.map((name) => files.find((file) => file.name === name)!);
    expect(found.flatMap(importsOf).filter((target) => target.startsWith('node/'))).toEqual([]);
  });

  test('files do not import each other in a circle, types included', () => {
    expect(circles()).toEqual([]);
  });
});

/** Each circle once, from the file that comes first in it. */
function circles(): string[] {
  const graph = new Map(files.map((file) => [file.name, importsOf(file)]));
  const found: string[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (name: string) => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') {
      found.push([...path.slice(path.indexOf(name)), name].join(' -> '));
      return;
    }
    state.set(name, 'open');
    path.push(name);
    for (const target of graph.get(name) ?? []) visit(target);
    path.pop();
    state.set(name, 'done');
  };
  for (const name of graph.keys()) visit(name);
  return found;
}
