/** The version of this package, from src/ and from dist/ alike. */
import { createRequire } from 'node:module';

export function packageVersion(): string {
  const require = createRequire(import.meta.url);
  return (require('../../package.json') as { version: string }).version;
}
