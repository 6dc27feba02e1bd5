import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../../src');

/** Files that are loaded together with one, without those that it imports when they are called for. */
function loadedWith(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, type, from] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)( type)? [^;]*?from '(\.[^']+)';/gm,
  ))
    if (!type) loadedWith(join(dirname(file), from), found);
  return found;
}

test('commands start without d3: it is loaded when a figure is drawn', () => {
  const commands = readFileSync(join(root, 'cli/main.ts'), 'utf8').matchAll(/import\('(\.[^']+)'\)/g);
  const files = [...commands].flatMap(([, path]) => [...loadedWith(join(root, 'cli', path))]);
  expect(files.length).toBeGreaterThan(100);
  const drawing = files.filter((file) => /from 'd3-/.test(readFileSync(file, 'utf8')));
  expect(drawing).toEqual([]);
});

test('d3 is used by charts alone', () => {
  const all = (readdirSync(root, { recursive: true }) as string[]).filter((name) => name.endsWith('.ts'));
  const using = all.filter((name) => /from 'd3-/.test(readFileSync(join(root, name), 'utf8')));
  expect(using.length).toBeGreaterThan(3);
  expect(using.filter((name) => !name.startsWith('charts/'))).toEqual([]);
});
