/** Programs that some tests need: in CI a missing one fails, elsewhere the tests are skipped and say so. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export function programPath(...names: string[]): string | undefined {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
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
