/**
 * Who is admitted. A participant proves that it holds the key of its name by signing a challenge; a new name needs an
 * invitation, unless enrolment is open. What comes out is a ticket for one connection.
 */
import { createHash, randomBytes } from 'node:crypto';
import type {
  Enrolment,
  EnrolmentStore,
  FederationRecord,
  HostClock,
  Invitation,
  RunStore,
} from '../../host/ports.ts';
import { schemaDigest } from '../../protocol/joining.ts';
import { ApiError, noSuchParticipant } from './api-error.ts';
import { Challenges } from './challenges.ts';
import type { HostNames } from './host-names.ts';
import { checkIdentity, JoinProofs, type Peer, type SessionRequest } from './join-proof.ts';
import type { ServerLimits } from './limits.ts';
import { Newcomers } from './newcomers.ts';
import { otherColumns } from './other-columns.ts';
import { type Ticket, Tickets } from './tickets.ts';

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
  private readonly counts = new Map<string, Promise<number>>();
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
    const { name, options } = federation;
    const { participant, key, features, agent } = request;
    const isUnion = options.columns === 'union';
    return this.inTurn(name, async () => {
      const known = await this.options.store.enrolment(name, participant);
      if (known?.revokedMs !== undefined)
        throw new ApiError('REVOKED', `participant "${participant}" may no longer take part`);
      if (known) checkKey(known, key);
      const invitation = known ? undefined : await this.invitationFor(name, request);
      checkNames(request);
      if (!isUnion) await this.checkSchema(name, request, mayChoose);
      if (!known) {
        checkIdentity(participant, key);
        await this.newcomers.check(name, participant, invitation, peer.remoteAddress);
        if (!isUnion) await this.saveSchema(name, request);
        await this.enrol(name, { participant, key }, invitation && { ...invitation, usedBy: participant });
      } else if (!isUnion) await this.saveSchema(name, request);
      const schema = isUnion ? undefined : request.schema;
      const columns = features?.length;
      return this.tickets.issue({ federation: name, participant, key, schema, columns, agent });
    });
  }

  /** How many may take part. */
  async enrolled(federation: string): Promise<number> {
    const known = this.counts.get(federation);
    if (known) return known;
    const count = this.count(federation);
    this.counts.set(federation, count);
    count.catch(() => this.counts.delete(federation));
    return count;
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
      const revokedKeys = known && withRevoked(known).filter((old) => old !== key);
      await this.enrol(federation, { participant, key, revokedKeys });
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
      await store.enrol(federation, {
        ...known,
        revokedMs,
        revokedKeys: withRevoked({ ...known, revokedMs }),
      });
      this.counts.delete(federation);
      this.tickets.drop(federation, participant);
    });
  }

  /** A federation is deleted: nothing that was given out for it is good for another of its name. */
  removeAll(federation: string): Promise<void> {
    return this.inTurn(federation, async () => {
      await this.options.store.removeFederation(federation);
      this.newcomers.forget(federation);
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

  private async enrol(
    federation: string,
    who: Pick<Enrolment, 'participant' | 'key' | 'revokedKeys'>,
    used?: Invitation,
  ): Promise<void> {
    const { store, clock } = this.options;
    const { revokedKeys, ...rest } = who;
    const earlier = revokedKeys?.length ? { revokedKeys } : {};
    const enrolment = { ...rest, ...earlier, enrolledMs: clock.wallClock(), revokedMs: undefined };
    await store.enrol(federation, enrolment, used);
    this.counts.delete(federation);
    await this.newcomers.noteEnrolled(federation, who.participant);
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

  private async invitationFor(
    federation: string,
    { participant, invitation: token }: SessionRequest,
  ): Promise<Invitation | undefined> {
    const { enrolment, store, clock } = this.options;
    if (token === undefined) {
      if (enrolment === 'open') return undefined;
      const message = `participant "${participant}" is not enrolled: expected an invitation (kindred invite)`;
      throw new ApiError('INVITATION_NEEDED', message);
    }
    const found = await store.invitation(federation, digestOf(token));
    const wrong = !found
      ? 'expected one of this federation'
      : found.usedBy !== undefined
        ? 'it has been used'
        : found.expiresMs !== undefined && found.expiresMs <= clock.wallClock()
          ? 'it has expired'
          : found.participant !== undefined && found.participant !== participant
            ? 'it is for another participant'
            : undefined;
    if (wrong) throw new ApiError('INVITATION_INVALID', `invitation: ${wrong}; ask the operator for another`);
    return found;
  }

  private async checkSchema(
    federation: string,
    { participant, schema, features }: SessionRequest,
    mayChoose: () => boolean,
  ): Promise<void> {
    const pinned = await this.options.store.schema(federation);
    if (!pinned || pinned.digest === schema || mayChoose()) return;
    const what = otherColumns(pinned, { digest: schema, features });
    throw new ApiError('WRONG_FEATURES', `participant "${participant}": ${what}`);
  }

  private async saveSchema(federation: string, { schema, features }: SessionRequest): Promise<void> {
    const { store } = this.options;
    const pinned = await store.schema(federation);
    // The first may have kept the names to itself; whoever sends them later sends them for all.
    const isNew = pinned?.digest !== schema || (features && !pinned.features);
    if (isNew) await store.saveSchema(federation, { digest: schema, features });
  }
}

function checkNames({ schema, features }: SessionRequest): void {
  if (features && schemaDigest(features) !== schema)
    throw new ApiError('BAD_REQUEST', 'features: expected the names that match the schema digest');
}

function checkKey({ participant, key: enrolled }: Enrolment, key: string): void {
  if (key !== enrolled)
    throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
}

/** Every key of this name that was revoked. */
function withRevoked({ key, revokedMs, revokedKeys = [] }: Enrolment): readonly string[] {
  if (revokedMs === undefined || revokedKeys.includes(key)) return revokedKeys;
  return [...revokedKeys, key].slice(-MOST_REVOKED_KEYS);
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
