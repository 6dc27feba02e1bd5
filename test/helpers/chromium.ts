/** A real browser, for what only a browser does: other origins, preflights, names that point elsewhere. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { programPath } from './programs.ts';

/** Undefined: there is none here, and a line has said so; in CI that is a failure. */
export const chromium = programPath('chromium', 'chromium-browser', 'google-chrome');

/** The text of the element `out` of a page, as JSON, once its scripts are done. `names`: `MAP name address` rules. */
export async function pageResult<T>(url: string, names: readonly string[] = []): Promise<T> {
  const profile = mkdtempSync(join(tmpdir(), 'kindred-chromium-'));
  const flags = [
    ...['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    ...['--disable-component-update', '--disable-sync', '--disable-quic', `--user-data-dir=${profile}`],
    ...(names.length > 0 ? [`--host-resolver-rules=${names.join(', ')}`] : []),
    ...['--timeout=20000', '--virtual-time-budget=10000', '--dump-dom', url],
  ];
  try {
    const { stdout } = await promisify(execFile)(chromium!, flags, { timeout: 60_000 });
    const [, text] = /<pre id="out">(.*?)<\/pre>/s.exec(stdout) ?? [];
    if (text === undefined) throw new Error(`no result in ${stdout.slice(0, 2000)}`);
    return JSON.parse(text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')) as T;
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}
