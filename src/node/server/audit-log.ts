/**
 * What operators have done, and what was refused, in the order in which it happened (host/audit-chain.ts). Actions of operators are written one
 * by one, before they are answered. Refusals of strangers are counted and written once a minute: whoever floods the server must not
 * fill its disk.
 */
import { type AuditEvent, nextAuditLine } from '../../host/audit-chain.ts';
import type { AuditStore, HostClock } from '../../host/ports.ts';
import type { ErrorCode } from './api-error.ts';
import { Rates } from './rates.ts';

const MINUTE_MS = 60_000;
/** Refusals of one token that are written one by one in a minute; more are counted. */
const MOST_REFUSALS = 10;
const LONGEST_TEXT = 300;
const STRANGERS = 'strangers';

export type Happened = Omit<AuditEvent, 'at' | 'counts'>;

interface AuditLogOptions {
  readonly store: AuditStore;
  readonly clock: HostClock;
  /** What cannot be written while nobody waits for it. */
  onFailure(error: Error): void;
}

export class AuditLog {
  private readonly options: AuditLogOptions;
  private readonly rates: Rates;
  private last: Promise<unknown> = Promise.resolve();
  private counts: Partial<Record<ErrorCode, number>> = {};
  /** Where the first that is counted has come from. */
  private from = '';
  private readonly minutes: NodeJS.Timeout;

  constructor(options: AuditLogOptions) {
    this.options = options;
    const { now } = options.clock;
    this.rates = new Rates({ now, windowMs: MINUTE_MS, most: MOST_REFUSALS, mostKeys: 1000 });
    this.minutes = setInterval(() => this.flush(), MINUTE_MS).unref();
  }

  /** Durable when it is fulfilled. */
  write(happened: Happened): Promise<void> {
    return this.append(happened, undefined);
  }

  /** `happened`: by the holder of a valid token; undefined: by anybody. */
  refused(code: ErrorCode, from: string, happened?: Omit<Happened, 'outcome' | 'from'>): void {
    if (happened && this.rates.take(happened.who)) {
      this.append({ ...happened, from, outcome: code }, undefined).catch(this.options.onFailure);
      return;
    }
    if (Object.keys(this.counts).length === 0) this.from = from;
    this.counts[code] = (this.counts[code] ?? 0) + 1;
  }

  /** Writes what was counted. */
  flush(): void {
    const { counts, from } = this;
    if (Object.keys(counts).length === 0) return;
    this.counts = {};
    const happened = { who: STRANGERS, from, what: 'refusals', target: '', outcome: 'refused' };
    this.append(happened, counts).catch(this.options.onFailure);
  }

  /** Fulfilled when all that is counted and under way is written. */
  async flushed(): Promise<void> {
    this.flush();
    await this.last;
  }

  async close(): Promise<void> {
    clearInterval(this.minutes);
    await this.flushed();
  }

  private append(happened: Happened, counts: Partial<Record<ErrorCode, number>> | undefined): Promise<void> {
    const { store, clock } = this.options;
    const { who, from, what, target, outcome } = happened;
    const at = new Date(clock.wallClock()).toISOString();
    const event = {
      ...{ at, who, from, what, outcome },
      target: target.slice(0, LONGEST_TEXT),
      ...(counts && { counts: counts as Readonly<Record<string, number>> }),
    };
    const result = this.last.then(async () => {
      await store.appendAuditLine(nextAuditLine(await store.lastAuditLine(), event));
    });
    this.last = result.catch(() => {});
    return result;
  }
}
