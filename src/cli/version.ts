/** The version of the package. */
import { createRequire } from 'node:module';

export function programVersion(): string {
  const require = createRequire(import.meta.url);
  return (require('../../package.json') as { version: string }).version;
}
