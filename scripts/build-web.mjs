/**
 * Builds what `kindred serve` serves to browsers, into dist/web: the pages (src/web/*.html, with their scripts under names that change with
 * their content), and the library of pages as plain ES modules: `kindred.js` (src/public/page.ts) and `kindred-models.js` (src/public/page-models.ts).
 */
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = `${root}src/`;
const outDir = `${root}dist/web`;

/** Help texts of settings are for commands and documents: pages show none, and would load more than a kilobyte of them. */
const withoutHelp = {
  name: 'kindred-without-help',
  enforce: 'pre',
  transform: (code, id) =>
    id.startsWith(`${src}settings/`)
      ? { code: code.replace(/\.about\(\s*(?:'[^']*'|"[^"]*"|`[^`]*`),?\s*\)/g, ''), map: null }
      : undefined,
};

/** Vite wraps every later import to preload what it imports in turn; those of the library import next to nothing. */
const withoutPreloading = {
  name: 'kindred-without-preloading',
  enforce: 'pre',
  load: (id) =>
    id.endsWith('vite/preload-helper.js') ? 'export const __vitePreload = (load) => load();' : undefined,
};

const shared = {
  configFile: false,
  logLevel: 'warn',
  root: `${src}web`,
  base: '/',
  publicDir: false,
  plugins: [withoutHelp],
  worker: { format: 'es', plugins: () => [withoutHelp] },
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

await build({
  ...shared,
  plugins: [withoutHelp, withoutPreloading],
  build: {
    outDir,
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    rollupOptions: {
      input: { kindred: `${src}public/page.ts`, 'kindred-models': `${src}public/page-models.ts` },
      preserveEntrySignatures: 'strict',
      output: {
        format: 'es',
        entryFileNames: '[name].js',
        chunkFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
});
