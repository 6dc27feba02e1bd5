/** The participant's core as a page loads it: bundled for the browser, small, and with nothing of Node in it. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type Rolldown } from 'vite';
import { afterAll, describe, expect, test } from 'vitest';

const src = resolve(import.meta.dirname, '../../src');
const folder = mkdtempSync(join(tmpdir(), 'kindred-bundle-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compressed, of all that takes part: loop, machine, codec, solver, kernels of both kinds. */
const MOST_BYTES = 60_000;
/** And of what is loaded with it by whoever takes part in secure sums. */
const MOST_SECURE_BYTES = 31_000;

const OF_PAGE = {
  write: false,
  target: 'es2022',
  rollupOptions: { preserveEntrySignatures: 'strict', output: { format: 'es' } },
} as const;

async function bundled(
  name: string,
  code: string,
): Promise<{ code: string; later: string; modules: string[]; imports: string[] }> {
  const input = join(folder, `${name}.ts`);
  writeFileSync(input, code);
  const result = (await build({
    configFile: false,
    logLevel: 'silent',
    root: resolve(src, '..'),
    build: { ...OF_PAGE, rollupOptions: { ...OF_PAGE.rollupOptions, input } },
  })) as Rolldown.RolldownOutput;
  const chunks = result.output.filter((chunk) => chunk.type === 'chunk');
  // What is imported dynamically is loaded when it is needed.
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const first = new Set<string>();
  const load = (name: string): void => {
    if (first.has(name)) return;
    first.add(name);
    for (const other of byName.get(name)?.imports ?? []) load(other);
  };
  for (const { isEntry, fileName } of chunks) if (isEntry) load(fileName);
  const codeOf = (some: typeof chunks) => some.map((chunk) => chunk.code).join('\n');
  return {
    code: codeOf(chunks.filter(({ fileName }) => first.has(fileName))),
    later: codeOf(chunks.filter(({ fileName }) => !first.has(fileName))),
    modules: chunks.flatMap((chunk) => Object.keys(chunk.modules)),
    imports: chunks.flatMap((chunk) => chunk.imports).filter((name) => !byName.has(name)),
  };
}

describe('the core in a browser', () => {
  test('kindred/client stays small', async () => {
    const { code, later, modules } = await bundled('page', `export * from '${src}/public/client-core.ts';`);
    for (const part of [
      'participant/machine',
      'protocol/codec',
      'secure/participant',
      'math/kernels-wasm',
      'math/kernels-js',
    ])
      expect(
        modules.some((id) => id.includes(part)),
        part,
      ).toBe(true);
    const gzip = gzipSync(code, { level: 9 }).length;
    const sizes = `${code.length} bytes, ${gzip} by gzip, ${brotliCompressSync(code).length} by brotli`;
    expect(gzip, sizes).toBeLessThanOrEqual(MOST_BYTES);
    const secure = gzipSync(later, { level: 9 }).length;
    expect(later).toContain('pairwise mask');
    expect(code).not.toContain('pairwise mask');
    expect(secure, `${secure} bytes by gzip`).toBeLessThanOrEqual(MOST_SECURE_BYTES);
  });

  test('a page that joins loads little: library, worker and kernels', async () => {
    const input = join(folder, 'joins.ts');
    writeFileSync(input, `export { joinFederation } from '${src}/public/browser.ts';`);
    const { output } = (await build({
      configFile: false,
      logLevel: 'silent',
      root: resolve(src, '..'),
      worker: { format: 'es' },
      build: { ...OF_PAGE, rollupOptions: { ...OF_PAGE.rollupOptions, input } },
    })) as Rolldown.RolldownOutput;
    const texts = new Map(
      output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]),
    );
    // Vite puts all that a worker imports statically into its script.
    const [page, worker] = ['joins', 'participant-worker'].map((part) => {
      const [name] = [...texts.keys()].filter((file) => file.includes(part));
      return texts.get(name)!;
    });
    expect(page + worker).not.toMatch(/^import |from ?["']\.\//m);
    expect(worker).toContain('wasm-simd');
    expect(page).not.toContain('wasm-simd');
    expect(worker).not.toContain('pairwise mask');
    const gzip = [page, worker].map((text) => gzipSync(text, { level: 9 }).length);
    const brotli = [page, worker].map((text) => brotliCompressSync(text).length);
    console.log(`a page that joins: ${gzip.join(' + ')} bytes by gzip, ${brotli.join(' + ')} by brotli`);
    expect(gzip[0] + gzip[1]).toBeLessThanOrEqual(MOST_BYTES);
  });

  test.each(['kindred-core', 'browser', 'sim'])('%s.ts needs no Node either', async (entry) => {
    const { code, later } = await bundled(entry, `export * from '${src}/public/${entry}.ts';`);
    expect(code + later).not.toMatch(/["'`]node:|__vite-browser-external/);
  });

  test('nothing of src/client needs Node, or a package that does', async () => {
    const files = readdirSync(join(src, 'client'));
    const { code, later, modules, imports } = await bundled(
      'all',
      files.map((file, i) => `export * as m${i} from '${src}/client/${file}';`).join('\n'),
    );
    expect(imports).toEqual([]);
    expect(code + later).not.toMatch(/\bnode:|\bBuffer\b|\brequire\(|(?<![.\w$])process\./);
    const packages = modules.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(['@noble/ciphers', '@noble/curves', '@noble/hashes']);
    // Readers of files are for whoever has some.
    expect(modules.filter((id) => /src\/data\/(csv|parquet|libsvm|gzip|uci)/.test(id))).toEqual([]);
  });
});
