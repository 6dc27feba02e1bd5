/**
 * Reports of `kindred reproduce` for the dashboard, read-only. A folder of reports has one report in each of its folders, or is one itself. Only files that a
 * report consists of are served, by names that were found in the folder: no path of a request reaches the file system.
 *
 * A page in a new tab cannot send a token. Whoever may read asks for a ticket, which stands in the path for an hour.
 */
import { createHash, randomBytes } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { z } from 'zod';
import { ApiError } from './api-error.ts';

const MAIN = 'report.html';
const VERDICTS = 'verdicts.json';
/** Everything else in the folder, such as its cache, is nobody's business. */
const SERVED = /^(report\.html|verdicts\.(json|md)|figures\/[\w.-]+\.svg|data\/[\w.-]+\.(csv|json))$/;
const TICKET_MS = 3_600_000;
const MOST_TICKETS = 1000;
const MOST_BYTES = 64 * 1024 * 1024;

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
};

export const verdictRow = z.object({
  id: z.string(),
  section: z.string(),
  claim: z.string(),
  measured: z.array(z.string()),
  verdict: z.enum(['holds', 'holds in part', 'does not hold']),
});

export interface ReportBrief {
  readonly name: string;
  readonly writtenMs: number;
  readonly verdicts: readonly z.output<typeof verdictRow>[];
}

interface Ticket {
  readonly folder: string;
  readonly untilMs: number;
}

export interface ReportFile {
  readonly type: string;
  readonly policy: string;
  readonly bytes: Buffer;
}

export class Reports {
  private readonly folder: string | undefined;
  private readonly now: () => number;
  private readonly tickets = new Map<string, Ticket>();

  /** `folder`: undefined where none are served. */
  constructor(folder: string | undefined, now: () => number) {
    this.folder = folder === undefined ? undefined : resolve(folder);
    this.now = now;
  }

  /** The newest first. */
  async list(): Promise<ReportBrief[]> {
    const found = await Promise.all([...(await this.folders())].map(([name, at]) => briefOf(name, at)));
    return found.flatMap((brief) => brief ?? []).sort((a, b) => b.writtenMs - a.writtenMs);
  }

  /** The path under which its files can be read for a while. */
  async open(name: string): Promise<string> {
    const folder = (await this.folders()).get(name);
    if (folder === undefined || !(await sizeOf(join(folder, MAIN))))
      throw new ApiError('NO_SUCH_REPORT', `report "${name}": no such report`);
    this.dropOld();
    const ticket = randomBytes(18).toString('base64url');
    this.tickets.set(ticket, { folder, untilMs: this.now() + TICKET_MS });
    return `/reports/${ticket}/${MAIN}`;
  }

  async file(ticket: string, path: string): Promise<ReportFile> {
    const known = this.tickets.get(ticket);
    const isServed = known !== undefined && known.untilMs > this.now() && SERVED.test(path);
    const file = isServed ? join(known.folder, path) : '';
    const size = isServed ? await sizeOf(file) : undefined;
    if (size === undefined || size > MOST_BYTES)
      throw new ApiError('NO_SUCH_REPORT', 'report: expected a file of an open report; open it again');
    const bytes = await readFile(file);
    return { bytes, type: TYPES[extname(path)], policy: policyFor(bytes.toString('utf8')) };
  }

  /** By name. */
  private async folders(): Promise<Map<string, string>> {
    const { folder } = this;
    if (folder === undefined) return new Map();
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const inside = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'));
    const all = new Map(inside.map(({ name }) => [name, join(folder, name)]));
    if (entries.some((entry) => entry.isFile() && entry.name === MAIN)) all.set(basename(folder), folder);
    return all;
  }

  private dropOld(): void {
    const now = this.now();
    for (const [ticket, { untilMs }] of this.tickets) {
      if (untilMs <= now || this.tickets.size >= MOST_TICKETS) this.tickets.delete(ticket);
    }
  }
}

async function briefOf(name: string, folder: string): Promise<ReportBrief | undefined> {
  const main = await lstat(join(folder, MAIN)).catch(() => undefined);
  if (!main?.isFile()) return undefined;
  return { name, writtenMs: Math.round(main.mtimeMs), verdicts: await verdictsIn(folder) };
}

/** None where the file is missing or something else: the report can be opened all the same. */
async function verdictsIn(folder: string): Promise<ReportBrief['verdicts']> {
  try {
    const file = join(folder, VERDICTS);
    if ((await sizeOf(file)) === undefined) return [];
    return z.array(verdictRow).parse(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return [];
  }
}

/** Undefined: it is not a plain file. Links are not followed. */
async function sizeOf(path: string): Promise<number | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isFile() ? found.size : undefined;
}

/** No scripts at all, no connections, and only the styles that the file itself has, by their digests. */
function policyFor(text: string): string {
  const styles = [...text.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(
    ([, style]) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  );
  return [
    // Of its own origin, or the browser would refuse it its own figures; without scripts that gives nothing away.
    'sandbox allow-same-origin',
    "default-src 'none'",
    `style-src ${styles.length > 0 ? styles.join(' ') : "'none'"}`,
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
