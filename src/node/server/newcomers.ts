/**
 * Who may take a new name. A name that somebody was invited under is kept for that invitation. Names that look the same are the same: an
 * operator who reads "Ada" should not have to ask which. Where enrolment is open, strangers may take so many names in all, and so many
 * a minute from one address.
 */
import type { EnrolmentStore, HostClock, Invitation } from '../../host/ports.ts';
import { addressOwner, isLoopback } from './addresses.ts';
import { ApiError } from './api-error.ts';
import type { ServerLimits } from './limits.ts';
import { Rates } from './rates.ts';

const MINUTE_MS = 60_000;
/** Addresses that are remembered, of those who have enrolled in the last minute. */
const MOST_ADDRESSES = 10_000;

interface Reservation {
  readonly participant: string;
  readonly expiresMs: number | undefined;
}

interface Ledger {
  /** By how they look. */
  readonly enrolled: Map<string, string>;
  readonly reserved: Map<string, Reservation[]>;
}

interface NewcomersOptions {
  readonly store: EnrolmentStore;
  readonly clock: HostClock;
  readonly limits: Pick<ServerLimits, 'openEnrolments' | 'enrolmentsPerAddress'>;
}

export class Newcomers {
  private readonly options: NewcomersOptions;
  private readonly ledgers = new Map<string, Ledger>();
  private readonly rates: Rates;

  constructor(options: NewcomersOptions) {
    this.options = options;
    const { clock, limits } = options;
    this.rates = new Rates({
      now: clock.now,
      windowMs: MINUTE_MS,
      most: limits.enrolmentsPerAddress,
      mostKeys: MOST_ADDRESSES,
    });
  }

  /** Refuses a name that cannot be taken. `invitation`: the valid one that it comes with; undefined: enrolment is open. */
  async check(
    federation: string,
    participant: string,
    invitation: Invitation | undefined,
    address: string | undefined,
  ): Promise<void> {
    checkName(participant);
    const { enrolled, reserved } = await this.ledger(federation);
    const look = lookOf(participant);
    const other = enrolled.get(look);
    if (other !== undefined)
      throw taken(participant, `looks like "${other}", which is enrolled; choose another name`);
    if (invitation?.participant !== participant) {
      const now = this.options.clock.wallClock();
      const held = reserved.get(look)?.some(({ expiresMs }) => expiresMs === undefined || expiresMs > now);
      if (held) throw taken(participant, 'is reserved for an invited participant; choose another name');
    }
    if (!invitation) this.checkCrowd(enrolled.size, address);
  }

  async noteEnrolled(federation: string, participant: string): Promise<void> {
    const { enrolled, reserved } = await this.ledger(federation);
    enrolled.set(lookOf(participant), participant);
    reserved.delete(lookOf(participant));
  }

  async noteInvited(federation: string, participant: string, expiresMs: number | undefined): Promise<void> {
    const { reserved } = await this.ledger(federation);
    const look = lookOf(participant);
    reserved.set(look, [...(reserved.get(look) ?? []), { participant, expiresMs }]);
  }

  /** The federation is gone, or its store has changed otherwise: it is read again when needed. */
  forget(federation: string): void {
    this.ledgers.delete(federation);
  }

  private checkCrowd(enrolled: number, address = ''): void {
    const { openEnrolments } = this.options.limits;
    if (enrolled >= openEnrolments) {
      const hint = 'the operator can invite more, or raise serve --max-enrolments';
      throw new ApiError(
        'FULL',
        `the federation is full: ${openEnrolments} participants are enrolled; ${hint}`,
      );
    }
    if (isLoopback(address) || this.rates.take(addressOwner(address))) return;
    throw new ApiError('TOO_MANY', 'too many enrolments from this address; try again in a minute');
  }

  private async ledger(federation: string): Promise<Ledger> {
    const known = this.ledgers.get(federation);
    if (known) return known;
    const { store } = this.options;
    const ledger: Ledger = { enrolled: new Map(), reserved: new Map() };
    for (const { participant } of await store.enrolments(federation))
      ledger.enrolled.set(lookOf(participant), participant);
    for (const { participant, usedBy, expiresMs } of await store.invitations(federation)) {
      if (participant === undefined || usedBy !== undefined) continue;
      const look = lookOf(participant);
      ledger.reserved.set(look, [...(ledger.reserved.get(look) ?? []), { participant, expiresMs }]);
    }
    this.ledgers.set(federation, ledger);
    return ledger;
  }
}

/** New names only: whoever is enrolled under another keeps it. */
export function checkName(participant: string): void {
  const wrong =
    participant !== participant.normalize('NFC')
      ? 'in Unicode form NFC'
      : /[\p{Cf}\p{Zl}\p{Zp}\p{Co}]/u.test(participant)
        ? 'without invisible characters'
        : participant !== participant.trim()
          ? 'without leading or trailing spaces'
          : undefined;
  if (wrong) throw new ApiError('BAD_NAME', `participant: expected a name ${wrong}`);
}

function lookOf(participant: string): string {
  return participant.normalize('NFKC').toLowerCase().normalize('NFKC');
}

function taken(participant: string, why: string): ApiError {
  return new ApiError('NAME_TAKEN', `participant "${participant}" ${why}`);
}
