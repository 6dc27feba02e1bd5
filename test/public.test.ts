/** What the package promises: few names, each documented once, with an example that test/package.test.ts or test/browser/examples.test.ts runs. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { documentedIn, ENTRY_POINTS, exampleIn, namesOf, printedBy } from './helpers/public-names.ts';

const root = resolve(import.meta.dirname, '..');
const files = readdirSync(join(root, 'src/public')).map((name) => name.replace(/\.ts$/, ''));
const documented = files.flatMap(documentedIn).filter(({ names }) => names.length > 0);

test('five entry points, and everything else is internal', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(Object.keys(exports)).toEqual([
    '.',
    './client',
    './server',
    './browser',
    './sim',
    './internals/*',
    './package.json',
  ]);
  expect(Object.keys(ENTRY_POINTS).map((name) => name.replace(/^kindred/, '.'))).toEqual(
    Object.keys(exports).slice(0, 5),
  );
});

/** The same thing on Node and in a page, each with the ports of its own runtime: no program can have both. */
const OF_TWO_RUNTIMES = ['joinFederation'];

test('at most 100 names, and no name stands for two things', () => {
  const homes = new Map<string, Set<string>>();
  for (const { names } of documented)
    for (const { name, from } of names) homes.set(name, (homes.get(name) ?? new Set()).add(from));
  const twice = [...homes].filter(([, from]) => from.size > 1).map(([name]) => name);
  expect(twice).toEqual(OF_TWO_RUNTIMES);
  expect(homes.size).toBeLessThanOrEqual(100);
  // Exported once from the file that defines it; other entry points pass it on.
  expect(documented.flatMap(({ names }) => names).length).toBe(homes.size + OF_TWO_RUNTIMES.length);
});

test('every name has a doc comment with an example that uses it and shows what comes out', () => {
  for (const { file, doc, names } of documented) {
    const code = exampleIn(doc) ?? '';
    const where = `${file}.ts, ${names.map(({ name }) => name).join(', ')}`;
    expect(doc, where).toMatch(/^\n \* [A-Z`]/);
    expect(printedBy(code).length, `${where}: lines of console.log(...); // what it prints`).toBeGreaterThan(
      0,
    );
    for (const { name } of names) expect(code, where).toMatch(new RegExp(`\\b${name}\\b`));
  }
});

test('docs/library.md lists every name of every entry point, and no other', () => {
  const text = readFileSync(join(root, 'docs/library.md'), 'utf8');
  for (const [entry, file] of Object.entries(ENTRY_POINTS)) {
    const section =
      new RegExp(`^## \`${entry}\`\\n([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? '';
    const listed = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    );
    expect(listed.sort(), entry).toEqual(
      namesOf(file)
        .map(({ name }) => name)
        .sort(),
    );
  }
});

test('files that are imported for their effects are named in sideEffects', () => {
  const { sideEffects } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const src = join(root, 'src');
  const found = (readdirSync(src, { recursive: true }) as string[])
    .filter((name) => name.endsWith('.ts') && !name.includes('assembly'))
    .flatMap((name) =>
      [...readFileSync(join(src, name), 'utf8').matchAll(/^import '(\.[^']+)';/gm)].map(([, to]) =>
        join(name, '..', to),
      ),
    );
  expect(sideEffects).toEqual([...new Set(found)].map((name) => `./dist/${name.replace(/\.ts$/, '.js')}`));
});
