/**
 * Who is admitted. A participant proves that it holds the key of its name by signing a challenge; a new name needs an
 * invitation, unless enrolment is open. What comes out is a ticket for one connection.
 */
import { randomBytes } from 'node:crypto';
import type { Enrolment, EnrolmentStore, FederationRecord, HostClock, RunStore } from '../../host/ports.ts';
import { ApiError, noSuchParticipant } from './api-error.ts';
import { type Application, Applications, checkKey } from './applications.ts';
import { Batches, type Outcome } from './batches.ts';
import { Challenges } from './challenges.ts';
import type { HostNames } from './host-names.ts';
import { checkIdentity, JoinProofs, type Peer, type SessionRequest } from './join-proof.ts';
import type { ServerLimits } from './limits.ts';
import { Newcomers } from './newcomers.ts';
import { type Ticket, Tickets } from './tickets.ts';
import { digestOf } from './token-digest.ts';

const TOKEN_BYTES = 24;
/** Earlier keys of a name that are remembered as revoked. */
const MOST_REVOKED_KEYS = 100;

/** For whom, how many, how long they are valid. */
export interface InvitationRequest {
  readonly participant?: string | undefined;
  readonly count?: number | undefined;
  readonly lifetimeMs?: number | undefined;
}

/** The token is given out once, and kept nowhere. */
export interface NewInvitation {
  readonly token: string;
  readonly participant: string | undefined;
  readonly expiresMs: number | undefined;
}

/** A participant and its key, as known from elsewhere. */
export interface Allowed {
  readonly participant: string;
  readonly key: string;
}

interface AdmissionOptions {
  readonly store: EnrolmentStore & Pick<RunStore, 'removeFederation'>;
  /** `open`: a name belongs to whoever takes it first. */
  readonly enrolment: 'open' | 'invitation';
  readonly clock: HostClock;
  readonly hosts: HostNames;
  readonly limits: ServerLimits;
}

export class Admission {
  private readonly options: AdmissionOptions;
  private readonly challenges: Challenges;
  private readonly proofs: JoinProofs;
  private readonly tickets: Tickets;
  private readonly newcomers: Newcomers;
  /** Enrolled participants that were not revoked, by federation. */
  private readonly counts = new Map<string, number>();
  /** Of those who ask to be admitted, by the id of the federation. */
  private readonly batches = new Map<string, Batches<Application, string>>();
  /** What was begun last, by federation. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(options: AdmissionOptions) {
    this.options = options;
    const { clock, hosts } = options;
    this.challenges = new Challenges(clock.now);
    this.proofs = new JoinProofs(this.challenges, hosts);
    this.tickets = new Tickets(clock.now);
    this.newcomers = new Newcomers(options);
  }

  get enrolment(): AdmissionOptions['enrolment'] {
    return this.options.enrolment;
  }

  challenge(federation: FederationRecord): string {
    return this.challenges.make(federation.id);
  }

  /** Gives a ticket. `mayChoose`: nobody is there yet, so the columns may still be chosen. */
  async admit(
    federation: FederationRecord,
    request: SessionRequest,
    peer: Peer,
    mayChoose: () => boolean,
  ): Promise<string> {
    this.proofs.check(federation, request, peer);
    return await this.batchesOf(federation).take({ request, address: peer.remoteAddress, mayChoose });
  }

  /** How many may take part. */
  async enrolled(federation: string): Promise<number> {
    const known = this.counts.get(federation);
    if (known !== undefined) return known;
    return await this.inTurn(federation, async () => {
      const count = await this.count(federation);
      this.counts.set(federation, count);
      return count;
    });
  }

  private noteCount(federation: string, change: number): void {
    const known = this.counts.get(federation);
    if (known !== undefined) this.counts.set(federation, known + change);
  }

  private async count(federation: string): Promise<number> {
    const enrolments = await this.options.store.enrolments(federation);
    return enrolments.filter(({ revokedMs }) => revokedMs === undefined).length;
  }

  /** A ticket is good once. `use` is called while nobody can be revoked and no columns chosen; false: the ticket is not good. */
  redeem(federation: string, code: string, use: (ticket: Ticket) => void): Promise<boolean> {
    return this.inTurn(federation, async () => {
      const ticket = await this.validTicket(federation, code);
      if (ticket) use(ticket);
      return ticket !== undefined;
    });
  }

  invite(
    federation: string,
    { participant, count = 1, lifetimeMs }: InvitationRequest,
  ): Promise<NewInvitation[]> {
    const { store, clock } = this.options;
    return this.inTurn(federation, async () => {
      const createdMs = clock.wallClock();
      const expiresMs = lifetimeMs === undefined ? undefined : createdMs + lifetimeMs;
      if (participant !== undefined) await this.checkInvitable(federation, participant);
      const tokens = Array.from({ length: count }, newToken);
      const common = { participant, createdMs, expiresMs, usedBy: undefined };
      await store.addInvitations(
        federation,
        tokens.map((token) => ({ digest: digestOf(token), ...common })),
      );
      if (participant !== undefined) await this.newcomers.noteInvited(federation, participant, expiresMs);
      return tokens.map((token) => ({ token, participant, expiresMs }));
    });
  }

  /** Enrols a key that is known from elsewhere: no invitation needed. An order of the operator, also for a key that was revoked. */
  allow(federation: string, { participant, key }: Allowed): Promise<void> {
    checkIdentity(participant, key);
    return this.inTurn(federation, async () => {
      const known = await this.options.store.enrolment(federation, participant);
      const isEnrolled = known && known.revokedMs === undefined;
      if (isEnrolled) return checkKey(known, key);
      const revoked = known ? withRevoked(known).filter((old) => old !== key) : [];
      const earlier = revoked.length > 0 ? { revokedKeys: revoked } : {};
      const enrolledMs = this.options.clock.wallClock();
      const enrolment = { participant, key, ...earlier, enrolledMs, revokedMs: undefined };
      await this.options.store.enrol(federation, [{ enrolment }]);
      this.noteCount(federation, 1);
      await this.newcomers.noteEnrolled(federation, participant);
    });
  }

  /** As `allow`, for a list that was written at some time: what has been revoked since stays so. Gives those. */
  async allowListed<Listed extends Allowed>(federation: string, list: readonly Listed[]): Promise<Listed[]> {
    const revoked: Listed[] = [];
    for (const allowed of list) {
      const known = await this.options.store.enrolment(federation, allowed.participant);
      if (known && withRevoked(known).includes(allowed.key)) revoked.push(allowed);
      else await this.allow(federation, allowed);
    }
    return revoked;
  }

  revoke(federation: string, participant: string): Promise<void> {
    const { store, clock } = this.options;
    return this.inTurn(federation, async () => {
      const known = await store.enrolment(federation, participant);
      if (!known) throw noSuchParticipant(participant, 'enrolled');
      if (known.revokedMs !== undefined) return;
      const revokedMs = clock.wallClock();
      const revokedKeys = withRevoked({ ...known, revokedMs });
      await store.enrol(federation, [{ enrolment: { ...known, revokedMs, revokedKeys } }]);
      this.noteCount(federation, -1);
      this.tickets.drop(federation, participant);
    });
  }

  /** A federation is deleted: nothing that was given out for it is good for another of its name. */
  removeAll({ name: federation, id }: FederationRecord): Promise<void> {
    return this.inTurn(federation, async () => {
      await this.options.store.removeFederation(federation);
      this.newcomers.forget(federation);
      this.batches.delete(id);
      this.counts.delete(federation);
      this.tickets.dropAll(federation);
    });
  }

  /** One at a time: between what is read and what is written nobody else may take the name, the invitation or the columns. */
  private inTurn<T>(federation: string, act: () => Promise<T>): Promise<T> {
    const result = (this.last.get(federation) ?? Promise.resolve()).then(act);
    const done = result.catch(() => {});
    this.last.set(federation, done);
    return result;
  }

  private batchesOf(federation: FederationRecord): Batches<Application, string> {
    const { id, name } = federation;
    let found = this.batches.get(id);
    if (!found) {
      found = new Batches({
        inTurn: (act) => this.inTurn(name, act),
        decide: (applications) => this.decide(federation, applications),
      });
      this.batches.set(id, found);
    }
    return found;
  }

  private async decide(
    federation: FederationRecord,
    applications: readonly Application[],
  ): Promise<Outcome<string>[]> {
    const batch = new Applications(federation, { ...this.options, newcomers: this.newcomers });
    const outcomes = await batch.decide(applications);
    this.noteCount(federation.name, batch.enrolled);
    return outcomes.map((one) => ('error' in one ? one : { result: this.tickets.issue(one.result) }));
  }

  private async validTicket(federation: string, code: string): Promise<Ticket | undefined> {
    const { store } = this.options;
    const ticket = this.tickets.take(federation, code);
    if (!ticket) return undefined;
    // In between it may have been revoked, the name given to another key, or other columns chosen.
    const enrolment = await store.enrolment(federation, ticket.participant);
    const schema = await store.schema(federation);
    const isCurrent = enrolment?.revokedMs === undefined && enrolment?.key === ticket.key;
    if (isCurrent && ticket.schema === undefined) return ticket;
    return isCurrent && schema && schema.digest === ticket.schema
      ? { ...ticket, columns: schema.features?.length }
      : undefined;
  }

  /** Refuses an invitation that nobody could use. */
  private async checkInvitable(federation: string, participant: string): Promise<void> {
    const known = await this.options.store.enrolment(federation, participant);
    if (!known) return;
    const why =
      known.revokedMs === undefined
        ? 'is already enrolled and needs no invitation'
        : 'was revoked; allow its key to let it in again';
    throw new ApiError('NAME_TAKEN', `participant "${participant}" ${why}`);
  }
}

/** Every key of this name that was revoked. */
function withRevoked({ key, revokedMs, revokedKeys = [] }: Enrolment): readonly string[] {
  if (revokedMs === undefined || revokedKeys.includes(key)) return revokedKeys;
  return [...revokedKeys, key].slice(-MOST_REVOKED_KEYS);
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}
