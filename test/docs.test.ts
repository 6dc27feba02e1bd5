import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const documents = [
  ...['README.md', 'THREAT_MODEL.md', 'SECURITY.md', 'src/protocol/PROTOCOL.md'],
  ...filesIn('docs'),
];

function filesIn(folder: string): string[] {
  const names = readdirSync(join(root, folder), { recursive: true }) as string[];
  return names.filter((name) => name.endsWith('.md')).map((name) => join(folder, name));
}

/** Files as documents name them: `solver/cuts.ts`, from src/ or the root. A name alone stands beside the one before it. */
function namedFiles(text: string): string[] {
  let folder = '';
  return [...text.matchAll(/`([\w./-]+\.(?:ts|mjs|json)|[\w-]+\/)`/g)].flatMap(([, name]) => {
    if (name.endsWith('/')) {
      folder = name.slice(0, -1);
      return [];
    }
    if (name.includes('/')) {
      folder = name.slice(0, name.lastIndexOf('/'));
      return [name];
    }
    return existsSync(join(root, name)) ? [] : [`${folder}/${name}`];
  });
}

const exists = (name: string) => ['src', '.', 'src/node'].some((base) => existsSync(join(root, base, name)));

describe('documents', () => {
  test('architecture.md names files that exist', () => {
    const named = namedFiles(readFileSync(join(root, 'docs/architecture.md'), 'utf8'));
    expect(named.length).toBeGreaterThan(60);
    expect(named.filter((name) => !exists(name))).toEqual([]);
  });

  test('one update passes at most 35 files', () => {
    const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const walk = text.slice(text.indexOf('## The walk of one update'), text.indexOf('## Ten changes'));
    const files = new Set(namedFiles(walk.slice(walk.indexOf('| --- |'))));
    expect(files.size).toBeGreaterThan(20);
    expect(files.size).toBeLessThanOrEqual(35);
  });

  test.each(documents)('%s links to files that exist', (document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const links = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target);
    const local = links.filter((target) => !/^[a-z]+:/.test(target));
    expect(local.filter((target) => !existsSync(resolve(root, document, '..', target)))).toEqual([]);
  });
});
