/**
 * Finished chains of a tuning in a folder, each under its content: whoever is interrupted and starts again goes on from there. A chain's
 * result depends on the table, the options, the folds, the chain and the program; all of them are in the name.
 */
import { createHash } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Table } from '../../data/table.ts';
import type { Chain } from '../../methods/tune/chain.ts';
import type { TunePlan } from '../../methods/tune.ts';
import { onFile } from '../files/file-error.ts';
import { kindOf, readText, writeAtomically } from '../files/files.ts';
import { fingerprint } from '../files/fingerprint.ts';

/** Results of an earlier version are not results of this one: raise it when numbers change. */
const RESULTS_VERSION = 1;
/** Of tunings that nobody has gone on with. */
const FORGOTTEN_MS = 30 * 24 * 3_600_000;

export interface CachePlace {
  readonly folder: string;
  /** What becomes of results when the tuning is complete. */
  readonly afterwards: 'kept' | 'removed';
}

interface Stored {
  readonly chain: string;
  /** Decisions of each point: f64, base64. */
  readonly decisions: readonly string[];
}

export class ChainCache {
  private readonly place: CachePlace;
  private readonly own: string;

  private constructor(place: CachePlace, own: string) {
    this.place = place;
    this.own = own;
  }

  static async open(place: CachePlace, table: Table, { work, search }: TunePlan): Promise<ChainCache> {
    const content = JSON.stringify([RESULTS_VERSION, fingerprint(table), work.options, search.folds]);
    const own = join(place.folder, `tune-${createHash('sha256').update(content).digest('hex').slice(0, 32)}`);
    await onFile(own, () => mkdir(own, { recursive: true }));
    if (place.afterwards === 'removed') await removeForgotten(place.folder);
    return new ChainCache(place, own);
  }

  async stored(chain: Chain): Promise<Float64Array[] | undefined> {
    const path = this.pathOf(chain);
    if ((await kindOf(path)) !== 'file') return undefined;
    try {
      const stored = JSON.parse(await readText(path)) as Stored;
      return stored.chain === JSON.stringify(chain) ? stored.decisions.map(fromBase64) : undefined;
    } catch {
      // Not whole, or not ours: it is computed again.
      return undefined;
    }
  }

  async store(chain: Chain, decisions: readonly Float64Array[]): Promise<void> {
    const stored: Stored = { chain: JSON.stringify(chain), decisions: decisions.map(toBase64) };
    // A result that cannot be stored is still a result: only somebody who is interrupted misses it.
    await writeAtomically(this.pathOf(chain), [JSON.stringify(stored)]).catch(() => {});
  }

  async complete(): Promise<void> {
    if (this.place.afterwards === 'removed') await rm(this.own, { recursive: true, force: true });
  }

  private pathOf(chain: Chain): string {
    const hash = createHash('sha256').update(JSON.stringify(chain)).digest('hex');
    return join(this.own, `${hash.slice(0, 32)}.json`);
  }
}

async function removeForgotten(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may remove it first.
    const changedMs = name.startsWith('tune-')
      ? await stat(path).then(
          ({ mtimeMs }) => mtimeMs,
          () => Infinity,
        )
      : Infinity;
    if (Date.now() - changedMs > FORGOTTEN_MS) await rm(path, { recursive: true, force: true });
  }
}

function toBase64(values: Float64Array): string {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('base64');
}

function fromBase64(text: string): Float64Array {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return new Float64Array(bytes.buffer);
}
