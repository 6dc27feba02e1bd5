/**
 * Who is admitted. A participant proves that it holds the key of its name by signing a challenge; a new name needs an
 * invitation, unless enrolment is open. What comes out is a ticket for one connection.
 */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import type {
  Enrolment,
  EnrolmentStore,
  FederationRecord,
  HostClock,
  Invitation,
  RunStore,
} from '../../host/ports.ts';
import { joinStatement, schemaDigest } from '../../protocol/joining.ts';
import { ED25519_PUBLIC } from '../crypto.ts';
import { ApiError, noSuchParticipant } from './api-error.ts';
import { Challenges } from './challenges.ts';

const TICKET_MS = 30_000;
const TOKEN_BYTES = 24;

interface SessionRequest {
  readonly participant: string;
  readonly key: string;
  readonly challenge: string;
  readonly schema: string;
  readonly features?: readonly string[] | undefined;
  readonly invitation?: string | undefined;
  readonly signature: string;
}

export interface Ticket {
  readonly federation: string;
  readonly participant: string;
  /** Digest of its columns: others may have been chosen before it is used. */
  readonly schema: string;
  readonly expiresMs: number;
  /** How many columns everybody has; undefined: nobody has sent their names. */
  readonly columns?: number | undefined;
}

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

interface AdmissionOptions {
  readonly store: EnrolmentStore & Pick<RunStore, 'removeFederation'>;
  /** `open`: a name belongs to whoever takes it first. */
  readonly enrolment: 'open' | 'invitation';
  readonly clock: HostClock;
}

export class Admission {
  private readonly options: AdmissionOptions;
  private readonly challenges: Challenges;
  private readonly tickets = new Map<string, Ticket>();
  /** What was begun last, by federation. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(options: AdmissionOptions) {
    this.options = options;
    this.challenges = new Challenges(options.clock.now);
  }

  challenge(federation: FederationRecord): string {
    return this.challenges.make(federation.id);
  }

  /** Gives a ticket. `mayChoose`: nobody is there yet, so the columns may still be chosen. */
  async admit(
    federation: FederationRecord,
    request: SessionRequest,
    mayChoose: () => boolean,
  ): Promise<string> {
    this.checkSignature(federation, request);
    this.challenges.use(request.challenge);
    const { name } = federation;
    const { participant, key } = request;
    return this.inTurn(name, async () => {
      const known = await this.options.store.enrolment(name, participant);
      if (known?.revokedMs !== undefined)
        throw new ApiError('REVOKED', `participant "${participant}" may no longer take part`);
      if (known) checkKey(known, key);
      const invitation = known ? undefined : await this.invitationFor(name, request);
      await this.checkSchema(name, request, mayChoose);
      if (!known)
        await this.enrol(name, participant, key, invitation && { ...invitation, usedBy: participant });
      return this.newTicket(name, request);
    });
  }

  /** A ticket is good once. `use` is called while nobody can be revoked and no columns chosen; false: the ticket is not good. */
  redeem(federation: string, code: string, use: (ticket: Ticket) => void): Promise<boolean> {
    return this.inTurn(federation, async () => {
      const ticket = await this.validTicket(federation, code);
      if (ticket) use(ticket);
      return ticket !== undefined;
    });
  }

  async invite(
    federation: string,
    { participant, count = 1, lifetimeMs }: InvitationRequest,
  ): Promise<NewInvitation[]> {
    const { store, clock } = this.options;
    const createdMs = clock.wallClock();
    const expiresMs = lifetimeMs === undefined ? undefined : createdMs + lifetimeMs;
    if (participant !== undefined) await this.checkInvitable(federation, participant);
    const tokens = Array.from({ length: count }, newToken);
    const common = { participant, createdMs, expiresMs, usedBy: undefined };
    await store.addInvitations(
      federation,
      tokens.map((token) => ({ digest: digestOf(token), ...common })),
    );
    return tokens.map((token) => ({ token, participant, expiresMs }));
  }

  /** Enrols a key that is known from elsewhere: no invitation needed. */
  allow(federation: string, participant: string, key: string): Promise<void> {
    return this.inTurn(federation, async () => {
      const known = await this.options.store.enrolment(federation, participant);
      const isEnrolled = known && known.revokedMs === undefined;
      if (isEnrolled) checkKey(known, key);
      else await this.enrol(federation, participant, key);
    });
  }

  revoke(federation: string, participant: string): Promise<void> {
    const { store, clock } = this.options;
    return this.inTurn(federation, async () => {
      const known = await store.enrolment(federation, participant);
      if (!known) throw noSuchParticipant(participant, 'enrolled');
      if (known.revokedMs !== undefined) return;
      await store.enrol(federation, { ...known, revokedMs: clock.wallClock() });
    });
  }

  /** A federation is deleted: nothing that was given out for it is good for another of its name. */
  removeAll(federation: string): Promise<void> {
    return this.inTurn(federation, async () => {
      await this.options.store.removeFederation(federation);
      for (const [code, ticket] of this.tickets)
        if (ticket.federation === federation) this.tickets.delete(code);
    });
  }

  /** One at a time: between what is read and what is written nobody else may take the name, the invitation or the columns. */
  private inTurn<T>(federation: string, act: () => Promise<T>): Promise<T> {
    const result = (this.last.get(federation) ?? Promise.resolve()).then(act);
    const done = result.catch(() => {});
    this.last.set(federation, done);
    return result;
  }

  private async enrol(federation: string, participant: string, key: string, used?: Invitation) {
    const { store, clock } = this.options;
    const enrolment = { participant, key, enrolledMs: clock.wallClock(), revokedMs: undefined };
    await store.enrol(federation, enrolment, used);
  }

  private async validTicket(federation: string, code: string): Promise<Ticket | undefined> {
    const { store, clock } = this.options;
    const ticket = this.tickets.get(code);
    this.tickets.delete(code);
    if (!ticket || ticket.federation !== federation || ticket.expiresMs <= clock.now()) return undefined;
    // In between it may have been revoked, or somebody else may have chosen the columns.
    const enrolment = await store.enrolment(federation, ticket.participant);
    const schema = await store.schema(federation);
    const isCurrent = enrolment?.revokedMs === undefined && schema?.digest === ticket.schema;
    return enrolment && isCurrent ? { ...ticket, columns: schema?.features?.length } : undefined;
  }

  /** Refuses an invitation that nobody could use. */
  private async checkInvitable(federation: string, participant: string): Promise<void> {
    const known = await this.options.store.enrolment(federation, participant);
    if (!known) return;
    const why =
      known.revokedMs === undefined
        ? 'is enrolled already and needs no invitation'
        : 'was revoked: allow a key of its own to let it in again';
    throw new ApiError('NAME_TAKEN', `participant "${participant}" ${why}`);
  }

  private checkSignature(federation: FederationRecord, request: SessionRequest): void {
    const { invitation = '', signature, ...rest } = request;
    if (!this.challenges.isGood(federation.id, rest.challenge)) {
      const message = 'challenge: expected a fresh one of this server; ask for another';
      throw new ApiError('CHALLENGE_EXPIRED', message);
    }
    const statement = joinStatement({ ...rest, federation: federation.id, invitation });
    if (isSigned(statement, rest.key, signature)) return;
    const message = `participant "${rest.participant}": the signature does not match the key`;
    throw new ApiError('BAD_SIGNATURE', message);
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
    if (wrong) throw new ApiError('INVITATION_INVALID', `invitation: ${wrong}; ask for another`);
    return found;
  }

  private async checkSchema(
    federation: string,
    { participant, schema, features }: SessionRequest,
    mayChoose: () => boolean,
  ): Promise<void> {
    const { store } = this.options;
    if (features && schemaDigest(features) !== schema)
      throw new ApiError('BAD_REQUEST', 'features: expected the names that the schema is the digest of');
    const pinned = await store.schema(federation);
    if (pinned && pinned.digest !== schema && !mayChoose()) {
      const message = `participant "${participant}": its columns, or their order, are not those of this federation`;
      throw new ApiError('WRONG_FEATURES', message);
    }
    // The first may have kept the names to itself; whoever sends them later sends them for all.
    const isNew = pinned?.digest !== schema || (features && !pinned.features);
    if (isNew) await store.saveSchema(federation, { digest: schema, features });
  }

  private newTicket(federation: string, { participant, schema }: SessionRequest): string {
    const now = this.options.clock.now();
    for (const [code, { expiresMs }] of this.tickets) {
      if (expiresMs > now) break;
      this.tickets.delete(code);
    }
    const code = newToken();
    this.tickets.set(code, { federation, participant, schema, expiresMs: now + TICKET_MS });
    return code;
  }
}

function checkKey({ participant, key: enrolled }: Enrolment, key: string): void {
  if (key !== enrolled)
    throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Without a cache of keys: strangers may send any number of them. */
function isSigned(statement: Uint8Array, key: string, signature: string): boolean {
  try {
    const der = Buffer.concat([ED25519_PUBLIC, Buffer.from(key, 'base64url')]);
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, statement, publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
