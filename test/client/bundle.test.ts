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

/** Compressed, of all that takes part: loop, machine, codec, secure aggregation, solver, kernels of both kinds. */
const MOST_BYTES = 60_000;

async function bundled(
  name: string,
  code: string,
): Promise<{ code: string; modules: string[]; imports: string[] }> {
  const input = join(folder, `${name}.ts`);
  writeFileSync(input, code);
  const result = (await build({
    configFile: false,
    logLevel: 'silent',
    root: resolve(src, '..'),
    build: {
      write: false,
      target: 'es2022',
      rollupOptions: { input, preserveEntrySignatures: 'strict', output: { format: 'es' } },
    },
  })) as Rolldown.RolldownOutput;
  const chunks = result.output.filter((chunk) => chunk.type === 'chunk');
  return {
    code: chunks.map((chunk) => chunk.code).join('\n'),
    modules: chunks.flatMap((chunk) => Object.keys(chunk.modules)),
    imports: chunks.flatMap((chunk) => chunk.imports),
  };
}

describe('the core in a browser', () => {
  test('kindred/client stays small', async () => {
    const { code, modules } = await bundled('page', `export * from '${src}/public/client-core.ts';`);
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
  });

  test.each(['kindred-core', 'browser', 'sim'])('%s.ts needs no Node either', async (entry) => {
    const { code } = await bundled(entry, `export * from '${src}/public/${entry}.ts';`);
    expect(code).not.toMatch(/["'`]node:|__vite-browser-external/);
  });

  test('nothing of src/client needs Node, or a package that does', async () => {
    const files = readdirSync(join(src, 'client'));
    const { code, modules, imports } = await bundled(
      'all',
      files.map((file, i) => `export * as m${i} from '${src}/client/${file}';`).join('\n'),
    );
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/\bnode:|\bBuffer\b|\brequire\(|(?<![.\w$])process\./);
    const packages = modules.flatMap((id) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1] ?? []);
    expect([...new Set(packages)].sort()).toEqual(['@noble/ciphers', '@noble/curves', '@noble/hashes']);
    // Readers of files are for whoever has some.
    expect(modules.filter((id) => /src\/data\/(csv|parquet|libsvm|gzip|uci)/.test(id))).toEqual([]);
  });
});
