/** Programs that some tests need: in CI a missing one fails, elsewhere the tests are skipped and say so. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian installs what only servers run: one folder for each version of PostgreSQL, the newest first. */
const SERVER_FOLDERS = ['/usr/sbin', ...postgresFolders()];

export function programPath(...names: string[]): string | undefined {
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...SERVER_FOLDERS]) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here.
      }
    }
  }
  if (process.env.CI) throw new Error(`${names[0]} is not installed: in CI that is a failure`);
  process.stderr.write(`\nskipped: tests that need ${names[0]}, which is not installed\n`);
  return undefined;
}

function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql';
  try {
    const versions = readdirSync(root).sort((a, b) => Number(b) - Number(a));
    return versions.map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}
