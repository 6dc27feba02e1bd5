/** Scripts for pages that a test makes up: bundled by vite as a user's would be, and put under a path of a server's origin. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { afterAll } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const BASE = '/made-up/';

/** Registers its own clean-up. */
export class PageScripts {
  private readonly folder = mkdtempSync(join(tmpdir(), 'kindred-scripts-'));

  constructor() {
    afterAll(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** File name -> content; the first is `main.js`. `kindred/browser` is the source of this package, paths begin with `src/`. */
  async bundled(code: string): Promise<Map<string, string>> {
    const input = join(this.folder, 'main.ts');
    writeFileSync(input, code);
    const { output } = (await build({
      configFile: false,
      logLevel: 'silent',
      root,
      base: BASE,
      resolve: { alias: { 'kindred/browser': join(root, 'src/public/browser.ts'), src: join(root, 'src') } },
      worker: { format: 'es' },
      build: {
        write: false,
        target: 'es2022',
        rollupOptions: { input, output: { format: 'es', entryFileNames: 'main.js' } },
      },
    })) as Rolldown.RolldownOutput;
    return new Map(
      output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : String(file.source)]),
    );
  }

  /** Loads a page of this origin that has the script and nothing else. */
  async load(page: Page, origin: string, files: ReadonlyMap<string, string>): Promise<void> {
    await page.route(`${origin}${BASE}**`, (route) => {
      const path = new URL(route.request().url()).pathname.slice(BASE.length);
      const script = files.get(path);
      if (script !== undefined) return route.fulfill({ contentType: 'text/javascript', body: script });
      if (path !== '') return route.fulfill({ status: 404 });
      return route.fulfill({
        contentType: 'text/html',
        body: '<!doctype html><title>made up</title><script type="module" src="main.js"></script>',
      });
    });
    await page.goto(`${origin}${BASE}`);
  }
}
