/** What the package offers, read from the sources of its entry points: names, doc comments, examples. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Subpath -> file in src/public, for everybody (`default`) and for pages (`browser`). */
export const ENTRY_POINTS = {
  kindred: 'kindred',
  'kindred/client': 'client',
  'kindred/server': 'server',
  'kindred/browser': 'browser',
  'kindred/sim': 'sim',
} as const;

/** A doc comment and the names that are exported right below it. */
export interface Documented {
  readonly file: string;
  readonly doc: string;
  readonly names: readonly { readonly name: string; readonly from: string; readonly isType: boolean }[];
}

const STATEMENTS =
  /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?((?:export (?:type )?(?:\*|\{[^}]*\}) from '[^']+';\n)+)/g;
const STATEMENT = /export (type )?(\*|\{[^}]*\}) from '([^']+)';/g;

/** Everything that a file of src/public takes from elsewhere, in its order. */
export function documentedIn(file: string): Documented[] {
  return [...sourceOf(file).matchAll(STATEMENTS)].map(([, doc = '', statements]) => ({
    file,
    doc,
    names: [...statements.matchAll(STATEMENT)].flatMap(([, allTypes, list, from]) =>
      from.startsWith('./')
        ? []
        : namesIn(list).map((name) => ({ ...name, isType: name.isType || !!allTypes, from })),
    ),
  }));
}

/** All names of an entry point, those of the files that it passes on included. */
export function namesOf(file: string): { name: string; isType: boolean }[] {
  return [...sourceOf(file).matchAll(STATEMENT)].flatMap(([, allTypes, list, from]) => {
    if (list === '*') return namesOf(from.replace(/^\.\/|\.ts$/g, ''));
    return namesIn(list).map(({ name, isType }) => ({ name, isType: isType || !!allTypes }));
  });
}

/** The code of a doc comment's example. */
export function exampleIn(doc: string): string | undefined {
  const code = /@example\s*\n \* ```ts\n([\s\S]*?) \* ```/.exec(doc)?.[1];
  return code?.replace(/^ \* ?/gm, '');
}

/** Examples of these files need a page: test/browser/examples.test.ts runs them, in Chromium. */
export const OF_PAGES: readonly string[] = ['page'];

/** Every example of a doc comment in a file of src/public, as a program of its own. */
export function examplesIn(file: string): { readonly name: string; readonly code: string }[] {
  return documentedIn(file).flatMap(({ doc, names }) => {
    const code = exampleIn(doc);
    return code === undefined || names.length === 0 ? [] : [{ name: `${file}-${names[0].name}`, code }];
  });
}

/** What an example says that it prints: the comments behind its `console.log`. */
export function printedBy(code: string): string[] {
  return code.split('\n').flatMap((line) => /^\s*console\.log\(.*\); \/\/ (.*)$/.exec(line)?.slice(1) ?? []);
}

function sourceOf(file: string): string {
  return readFileSync(join(root, `src/public/${file}.ts`), 'utf8');
}

function namesIn(list: string): { name: string; isType: boolean }[] {
  if (list === '*') return [];
  return list
    .slice(1, -1)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => ({ name: part.split(' ').at(-1)!, isType: part.startsWith('type ') }));
}
