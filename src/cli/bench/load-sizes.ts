/** What a page loads of the library that servers have at /kindred.js, compressed as they send it. */
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { DIST } from './browser-page.ts';

export interface LoadSize {
  readonly what: string;
  readonly files: number;
  readonly gzipBytes: number;
  readonly brotliBytes: number;
}

const WEB = join(DIST, 'web');
const STATIC_IMPORT = /(?:^|[;}])import\s*(?:[\w*{][^'"();]*from\s*)?["'](\.[^"']+)["']/g;
const WORKER = /assets\/participant-worker-[\w-]+\.js/;

export function loadSizes(): LoadSize[] {
  const library = loadedWith('kindred.js');
  const [name] = WORKER.exec(read('kindred.js').toString()) ?? [];
  if (name === undefined) throw new Error('kindred.js: expected the name of its worker, got none');
  const worker = loadedWith(name);
  return [
    sizeOf('worker, with kernels', worker),
    sizeOf('/kindred.js, with worker', [...library, ...worker]),
    sizeOf('/kindred-models.js', loadedWith('kindred-models.js')),
  ];
}

const read = (name: string): Buffer => readFileSync(join(WEB, name));

/** A script and all that it imports at once, what it imports later left out. */
function loadedWith(name: string, known: string[] = []): string[] {
  if (known.includes(name)) return known;
  known.push(name);
  for (const [, other] of read(name).toString().matchAll(STATIC_IMPORT))
    loadedWith(normalize(join(dirname(name), other)), known);
  return known;
}

function sizeOf(what: string, names: readonly string[]): LoadSize {
  const files = [...new Set(names)].map(read);
  const total = (compress: (file: Buffer) => Buffer) =>
    files.reduce((bytes, file) => bytes + compress(file).length, 0);
  return {
    what,
    files: files.length,
    gzipBytes: total((file) => gzipSync(file, { level: 9 })),
    brotliBytes: total((file) => brotliCompressSync(file)),
  };
}
