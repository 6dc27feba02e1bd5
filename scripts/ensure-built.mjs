/** Builds dist when it is missing or older than the newest source file, so that `npm start` works right after a clone. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
// Written last.
const built = join(root, 'dist/web/index.html');
const lock = join(root, 'node_modules/.kindred-building');
const LONGEST_BUILD_MS = 120_000;

/** The latest change of any file below a folder, in milliseconds. */
function newest(folder) {
  let latest = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) latest = Math.max(latest, statSync(join(entry.parentPath, entry.name)).mtimeMs);
  }
  return latest;
}

function build() {
  const require = createRequire(import.meta.url);
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
  const config = join(root, 'tsconfig.build.json');
  for (const step of [[compiler, '-p', config], [join(root, 'scripts/build-web.mjs')]]) {
    const { status } = spawnSync(process.execPath, step, { cwd: root, stdio: 'inherit' });
    if (status !== 0) return status ?? 1;
  }
  return 0;
}

/** Several test files may ask at once: one builds, and nobody loads what is half written. */
function locked(act) {
  for (;;) {
    try {
      mkdirSync(lock, { recursive: false });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const age = existsSync(lock) ? Date.now() - statSync(lock).mtimeMs : 0;
      // Whoever made it was killed.
      if (age > LONGEST_BUILD_MS) rmSync(lock, { recursive: true, force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    }
  }
  try {
    act();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

locked(() => {
  if (existsSync(built) && statSync(built).mtimeMs >= newest(join(root, 'src'))) return;
  process.stderr.write('building dist...\n');
  process.exitCode = build();
});
