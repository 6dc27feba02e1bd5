/** Builds dist when it is missing or older than the newest source file, so that `npm start` works right after a clone. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'dist/cli/main.js');

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
  const { status } = spawnSync(process.execPath, [compiler, '-p', config], { cwd: root, stdio: 'inherit' });
  return status ?? 1;
}

if (!existsSync(built) || statSync(built).mtimeMs < newest(join(root, 'src'))) {
  process.stderr.write('building dist...\n');
  process.exitCode = build();
}
