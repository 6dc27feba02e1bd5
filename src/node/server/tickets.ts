/** Tickets for one connection each. A participant has at most one, which dies with its key: there are never more than participants. */
import { randomBytes } from 'node:crypto';

const LIFETIME_MS = 30_000;
const CODE_BYTES = 24;

export interface Ticket {
  readonly federation: string;
  readonly participant: string;
  /** Whose holder has proved itself: with another key the name is somebody else's. */
  readonly key: string;
  /** Digest of its columns: others may have been chosen before it is used. Undefined: everybody may have its own. */
  readonly schema: string | undefined;
  /** How many columns it must have; undefined: nobody has sent their names. */
  readonly columns?: number | undefined;
  /** What it says it is. */
  readonly agent?: string | undefined;
}

interface Issued extends Ticket {
  readonly expiresMs: number;
}

export class Tickets {
  private readonly now: () => number;
  /** Oldest first. */
  private readonly byCode = new Map<string, Issued>();
  private readonly codes = new Map<string, string>();

  constructor(now: () => number) {
    this.now = now;
  }

  issue(ticket: Ticket): string {
    const now = this.now();
    for (const { expiresMs, federation, participant } of this.byCode.values()) {
      if (expiresMs > now) break;
      this.drop(federation, participant);
    }
    this.drop(ticket.federation, ticket.participant);
    const code = randomBytes(CODE_BYTES).toString('base64url');
    this.byCode.set(code, { ...ticket, expiresMs: now + LIFETIME_MS });
    this.codes.set(ownerOf(ticket.federation, ticket.participant), code);
    return code;
  }

  /** It is good once; undefined: there is none, or it has expired. */
  take(federation: string, code: string): Ticket | undefined {
    const found = this.byCode.get(code);
    if (!found) return undefined;
    this.drop(found.federation, found.participant);
    return found.federation === federation && found.expiresMs > this.now() ? found : undefined;
  }

  dropAll(of: string): void {
    for (const { federation, participant } of [...this.byCode.values()])
      if (federation === of) this.drop(federation, participant);
  }

  drop(federation: string, participant: string): void {
    const owner = ownerOf(federation, participant);
    const code = this.codes.get(owner);
    if (code === undefined) return;
    this.codes.delete(owner);
    this.byCode.delete(code);
  }
}

function ownerOf(federation: string, participant: string): string {
  return JSON.stringify([federation, participant]);
}
