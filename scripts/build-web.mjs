/**
 * Builds what `kindred serve` serves to browsers, into dist/web: the pages (src/web/*.html, with their scripts under names that change with
 * their content), and `kindred.js`, the library of pages as a plain ES module (src/public/browser.ts).
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

const WORKER_NAME = '__KINDRED_WORKER__';

/** Library and worker are built together, so that what both need is loaded once: the worker's address is filled in when it has a name. */
const worker = {
  name: 'kindred-worker',
  enforce: 'pre',
  load: (id) =>
    id === `${src}browser/start-worker.ts`
      ? `export const startWorker = () => new Worker(new URL(${WORKER_NAME}, import.meta.url), { type: 'module', name: 'kindred' });`
      : undefined,
  generateBundle(_, bundle) {
    const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
    const { fileName } = chunks.find(({ name }) => name === 'participant-worker');
    const library = chunks.find(({ name }) => name === 'kindred');
    library.code = library.code.replace(WORKER_NAME, JSON.stringify(`./${fileName}`));
  },
};

await build({
  ...shared,
  plugins: [worker],
  build: {
    outDir,
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    rollupOptions: {
      input: {
        kindred: `${src}public/browser.ts`,
        'participant-worker': `${src}browser/participant-worker.ts`,
      },
      preserveEntrySignatures: 'strict',
      output: {
        format: 'es',
        entryFileNames: ({ name }) => (name === 'kindred' ? 'kindred.js' : 'assets/[name]-[hash].js'),
        chunkFileNames: 'assets/[name]-[hash].js',
      },
    },
  },
});
