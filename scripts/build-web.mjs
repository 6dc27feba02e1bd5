/**
 * Builds what `kindred serve` serves to browsers, into dist/web: the pages (src/web/*.html, with their scripts under names that change with
 * their content), and `kindred.js`, the library of pages as one plain ES module (src/public/browser.ts).
 */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = `${root}src/`;
const outDir = `${root}dist/web`;

const shared = {
  configFile: false,
  logLevel: 'warn',
  root: `${src}web`,
  base: '/',
  publicDir: false,
  worker: { format: 'es' },
};

const PAGES = ['index', 'join', 'personalise'];

await build({
  ...shared,
  build: {
    outDir,
    emptyOutDir: true,
    target: 'es2022',
    // Everything is served by its own name: a policy that forbids inline scripts and styles forbids data: URLs of them, too.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rollupOptions: { input: PAGES.map((name) => `${src}web/${name}.html`) },
  },
});
