/**
 * Federations as the root lists them, read one by one: a root that is newer may have options that we do not know. Such a federation is left to
 * other owners, and read again when it is listed otherwise, or after a while.
 */
import type { Logger } from 'pino';
import { parseOptions } from '../../coordinator/options.ts';
import type { FederationRecord } from '../../host/ports.ts';
import type { ListedFederation } from '../../nats/admission.ts';

const AGAIN_MS = 30_000;

interface Unreadable {
  /** As it was listed. */
  readonly listed: string;
  readonly readMs: number;
}

export class ListedRecords {
  private readonly log: Logger;
  private readonly now: () => number;
  /** By id. */
  private readonly unreadable = new Map<string, Unreadable>();

  constructor(log: Logger, now: () => number) {
    this.log = log;
    this.now = now;
  }

  /** Undefined: it cannot be read. Said once. */
  read(federation: ListedFederation): FederationRecord | undefined {
    const { id, name } = federation;
    const { epochs: _, ...lasting } = federation;
    const listed = JSON.stringify(lasting);
    const known = this.unreadable.get(id);
    const isKnown = known?.listed === listed;
    const nowMs = this.now();
    if (isKnown && nowMs - known.readMs < AGAIN_MS) return undefined;
    try {
      const record = recordOf(federation);
      this.unreadable.delete(id);
      return record;
    } catch (error) {
      this.unreadable.set(id, { listed, readMs: nowMs });
      const { message } = error as Error;
      if (!isKnown)
        this.log.error(
          { federation: name, reason: message },
          'this process cannot own shards of the federation: its options cannot be read; upgrade this process',
        );
      return undefined;
    }
  }

  /** Those that are not listed any more need not be remembered. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.unreadable.keys()) if (!ids.has(id)) this.unreadable.delete(id);
  }
}

function recordOf({ name, id, createdMs, shards, fanIn, options }: ListedFederation): FederationRecord {
  const read = parseOptions(`federation "${name}"`, options as never);
  return { name, id, createdMs, shards, fanIn, options: read };
}
