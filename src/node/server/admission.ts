/**
 * Who is admitted. A participant proves that it holds the key of its name by signing a challenge; a new name needs an
 * invitation, unless enrolment is open. What comes out is a ticket for one connection.
 */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import type { Enrolment, EnrolmentStore, FederationRecord, Invitation } from '../../host/ports.ts';
import { joinStatement, schemaDigest } from '../../protocol/joining.ts';
import { ApiError, noSuchParticipant } from './api-error.ts';
import { Challenges } from './challenges.ts';

/** What comes before the 32 bytes of a public key in DER. */
const ED25519_PUBLIC = Buffer.from('302a300506032b6570032100', 'hex');
const TICKET_MS = 30_000;
const TOKEN_BYTES = 24;

export interface SessionRequest {
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

export interface AdmissionOptions {
  readonly store: EnrolmentStore;
  /** `open`: a name belongs to whoever takes it first. */
  readonly enrolment: 'open' | 'invitation';
  readonly now: () => number;
  readonly wallClock: () => number;
}

export class Admission {
  private readonly options: AdmissionOptions;
  private readonly challenges: Challenges;
  private readonly tickets = new Map<string, Ticket>();
  /** What was begun last, by federation. */
  private readonly last = new Map<string, Promise<unknown>>();

  constructor(options: AdmissionOptions) {
    this.options = options;
    this.challenges = new Challenges(options.now);
  }

  challenge(federation: FederationRecord): string {
    return this.challenges.make(federation.id);
  }

  /** `mayChoose`: nobody is there yet, so the columns may still be chosen. */
  async admit(
    federation: FederationRecord,
    request: SessionRequest,
    mayChoose: () => boolean,
  ): Promise<string> {
    this.checkSignature(federation, request);
    this.challenges.use(request.challenge);
    return this.inTurn(federation.name, () => this.admitSigned(federation, request, mayChoose));
  }

  /** One at a time: between what is read and what is written nobody else may take the name, the invitation or the columns. */
  private inTurn<T>(federation: string, act: () => Promise<T>): Promise<T> {
    const result = (this.last.get(federation) ?? Promise.resolve()).then(act);
    this.last.set(
      federation,
      result.catch(() => {}),
    );
    return result;
  }

  private async admitSigned(
    federation: FederationRecord,
    request: SessionRequest,
    mayChoose: () => boolean,
  ): Promise<string> {
    const { participant, key } = request;
    const known = await this.options.store.enrolment(federation.name, participant);
    if (known?.revokedMs !== undefined) {
      throw new ApiError('REVOKED', `participant "${participant}" may no longer take part`);
    }
    if (known && known.key !== key) {
      throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
    }
    const invitation = known ? undefined : await this.invitationFor(federation, request);
    await this.checkSchema(federation, request, mayChoose);
    if (!known) await this.enrol(federation, request, invitation);
    return this.newTicket(federation, request);
  }

  /** A ticket is good once. `use` is called while nobody can be revoked and no columns chosen; false: the ticket is not good. */
  redeem(federation: string, code: string, use: (ticket: Ticket) => void): Promise<boolean> {
    return this.inTurn(federation, async () => {
      const ticket = await this.validTicket(federation, code);
      if (ticket) use(ticket);
      return ticket !== undefined;
    });
  }

  private async validTicket(federation: string, code: string): Promise<Ticket | undefined> {
    const ticket = this.tickets.get(code);
    this.tickets.delete(code);
    if (!ticket || ticket.federation !== federation || ticket.expiresMs <= this.options.now())
      return undefined;
    // In between it may have been revoked, or somebody else may have chosen the columns.
    const { store } = this.options;
    const enrolment = await store.enrolment(federation, ticket.participant);
    const schema = await store.schema(federation);
    const isCurrent = enrolment?.revokedMs === undefined && schema?.digest === ticket.schema;
    return enrolment && isCurrent ? { ...ticket, columns: schema?.features?.length } : undefined;
  }

  async invite(
    federation: string,
    { participant, count = 1, lifetimeMs }: InvitationRequest,
  ): Promise<NewInvitation[]> {
    const { store, wallClock } = this.options;
    const createdMs = wallClock();
    const expiresMs = lifetimeMs === undefined ? undefined : createdMs + lifetimeMs;
    await this.checkInvitable(federation, participant);
    const tokens = Array.from({ length: count }, () => randomBytes(TOKEN_BYTES).toString('base64url'));
    const invitations = tokens.map((token) => ({
      digest: digestOf(token),
      participant,
      createdMs,
      expiresMs,
    }));
    await store.addInvitations(
      federation,
      invitations.map((invitation) => ({ ...invitation, usedBy: undefined })),
    );
    return tokens.map((token) => ({ token, participant, expiresMs }));
  }

  /** Refuses an invitation that nobody could use. */
  private async checkInvitable(federation: string, participant: string | undefined): Promise<void> {
    const known =
      participant === undefined ? undefined : await this.options.store.enrolment(federation, participant);
    if (!known) return;
    const why =
      known.revokedMs === undefined
        ? 'is enrolled already and needs no invitation'
        : 'was revoked: allow a key of its own to let it in again';
    throw new ApiError('NAME_TAKEN', `participant "${participant}" ${why}`);
  }

  /** Enrols a key that is known from elsewhere: no invitation needed. */
  allow(federation: string, participant: string, key: string): Promise<void> {
    return this.inTurn(federation, () => this.allowKey(federation, participant, key));
  }

  private async allowKey(federation: string, participant: string, key: string): Promise<void> {
    const { store, wallClock } = this.options;
    const known = await store.enrolment(federation, participant);
    if (known && known.revokedMs === undefined && known.key !== key) {
      throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
    }
    if (known?.key === key && known.revokedMs === undefined) return;
    await store.enrol(federation, { participant, key, enrolledMs: wallClock(), revokedMs: undefined });
  }

  revoke(federation: string, participant: string): Promise<void> {
    const { store, wallClock } = this.options;
    return this.inTurn(federation, async () => {
      const known = await store.enrolment(federation, participant);
      if (!known) throw noSuchParticipant(participant, 'enrolled');
      if (known.revokedMs === undefined) await store.enrol(federation, { ...known, revokedMs: wallClock() });
    });
  }

  private checkSignature(federation: FederationRecord, request: SessionRequest): void {
    const { participant, key, challenge, schema, invitation = '', signature } = request;
    if (!this.challenges.isGood(federation.id, challenge)) {
      throw new ApiError(
        'CHALLENGE_EXPIRED',
        'challenge: expected a fresh one of this server; ask for another',
      );
    }
    const statement = joinStatement({
      federation: federation.id,
      participant,
      key,
      challenge,
      schema,
      invitation,
    });
    if (!isSigned(statement, key, signature)) {
      throw new ApiError(
        'BAD_SIGNATURE',
        `participant "${participant}": the signature does not match the key`,
      );
    }
  }

  private async invitationFor(
    federation: FederationRecord,
    request: SessionRequest,
  ): Promise<Invitation | undefined> {
    const { enrolment, store, wallClock } = this.options;
    const { participant, invitation: token } = request;
    if (token === undefined) {
      if (enrolment === 'open') return undefined;
      const message = `participant "${participant}" is not enrolled: expected an invitation (kindred invite)`;
      throw new ApiError('INVITATION_NEEDED', message);
    }
    const found = await store.invitation(federation.name, digestOf(token));
    const wrong = !found
      ? 'expected one of this federation'
      : found.usedBy !== undefined
        ? 'it has been used'
        : found.expiresMs !== undefined && found.expiresMs <= wallClock()
          ? 'it has expired'
          : found.participant !== undefined && found.participant !== participant
            ? 'it is for another participant'
            : undefined;
    if (wrong) throw new ApiError('INVITATION_INVALID', `invitation: ${wrong}; ask for another`);
    return found;
  }

  private async enrol(
    federation: FederationRecord,
    request: SessionRequest,
    used: Invitation | undefined,
  ): Promise<void> {
    const { store, wallClock } = this.options;
    const { participant, key } = request;
    const enrolment: Enrolment = { participant, key, enrolledMs: wallClock(), revokedMs: undefined };
    await store.enrol(federation.name, enrolment, used && { ...used, usedBy: participant });
  }

  private async checkSchema(
    federation: FederationRecord,
    request: SessionRequest,
    mayChoose: () => boolean,
  ): Promise<void> {
    const { store } = this.options;
    const { participant, schema, features } = request;
    if (features && schemaDigest(features) !== schema) {
      throw new ApiError('BAD_REQUEST', 'features: expected the names that the schema is the digest of');
    }
    const pinned = await store.schema(federation.name);
    if (pinned && pinned.digest !== schema && !mayChoose()) {
      const message = `participant "${participant}": its columns, or their order, are not those of this federation`;
      throw new ApiError('WRONG_FEATURES', message);
    }
    // The first may have kept the names to itself; whoever sends them later sends them for all.
    const isNew = pinned?.digest !== schema || (features && !pinned.features);
    if (isNew) await store.saveSchema(federation.name, { digest: schema, features });
  }

  private newTicket(federation: FederationRecord, { participant, schema }: SessionRequest): string {
    const now = this.options.now();
    for (const [code, { expiresMs }] of this.tickets) {
      if (expiresMs > now) break;
      this.tickets.delete(code);
    }
    const code = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresMs = now + TICKET_MS;
    this.tickets.set(code, { federation: federation.name, participant, schema, expiresMs });
    return code;
  }
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
