import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * Who may import whom: a folder sees those on lines above its own, and itself. Folders on one line do not see each other.
 */
const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['data'],
  ['math'],
  ['solver'],
  ['privacy'],
  ['protocol'],
  ['participant', 'coordinator'],
  ['methods', 'sim'],
  ['reproduce'],
  ['audit'],
  ['shells'],
  ['cli', 'dashboard'],
];

/** Folders that may touch the outside world. */
const OUTER = new Set(['shells', 'cli', 'dashboard']);

const FORBIDDEN: readonly { what: string; pattern: RegExp }[] = [
  { what: 'a clock', pattern: /\bDate\.now\b|\bnew Date\b|\bperformance\.now\b|\bprocess\.hrtime\b/ },
  { what: 'a timer', pattern: /\b(setTimeout|setInterval|setImmediate|requestAnimationFrame)\b/ },
  {
    what: 'randomness of its own',
    pattern: /\bMath\.random\b|\bgetRandomValues\b|\brandomBytes\b|\brandomUUID\b/,
  },
  { what: 'the network', pattern: /\bfetch\(|\bWebSocket\b|\bXMLHttpRequest\b/ },
  { what: 'Node itself', pattern: /from 'node:|import\('node:|\brequire\(|\bprocess\./ },
];

const root = resolve(import.meta.dirname, '../src');
const files = (readdirSync(root, { recursive: true }) as string[])
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('assembly'))
  .map((name) => ({ name, folder: name.split('/')[0], text: readFileSync(join(root, name), 'utf8') }));

function layerOf(folder: string): number {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

function importsOf(file: { name: string; text: string }): string[] {
  const specifiers = [...file.text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]);
  return specifiers.map((specifier) => relative(root, resolve(root, dirname(file.name), specifier)));
}

describe('architecture', () => {
  test('every folder has its place', () => {
    const folders = new Set(files.filter((file) => file.name.includes('/')).map((file) => file.folder));
    expect(folders.size).toBeGreaterThan(4);
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

  test('no clock, timer, randomness, file system or network outside shells, cli and dashboard', () => {
    const wrong: string[] = [];
    for (const file of files) {
      if (OUTER.has(file.folder)) continue;
      // Comments may talk about what code may not do.
      const code = file.text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
      for (const { what, pattern } of FORBIDDEN)
        if (pattern.test(code)) wrong.push(`${file.name} touches ${what}`);
    }
    expect(wrong).toEqual([]);
  });
});
