/** Where programs of this system keep what can be computed again. */
import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** Of Kindred; undefined where the environment names no home. */
export function cacheFolder(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const base = baseFolder(env, platform);
  return base === undefined ? undefined : join(base, 'kindred');
}

function baseFolder({ XDG_CACHE_HOME, HOME, LOCALAPPDATA }: Environment, platform: NodeJS.Platform) {
  if (XDG_CACHE_HOME) return XDG_CACHE_HOME;
  if (platform === 'win32') return LOCALAPPDATA || undefined;
  if (!HOME) return undefined;
  return platform === 'darwin' ? join(HOME, 'Library', 'Caches') : join(HOME, '.cache');
}
