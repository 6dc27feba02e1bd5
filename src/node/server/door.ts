/**
 * Who may come in. A participant proves that it holds the key of its name by signing a challenge; a new name needs an
 * invitation, unless enrolment is open. What comes out is a ticket for one connection.
 */
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto';
import { joinStatement, schemaDigest } from '../../protocol/joining.ts';
import type { Enrolment, FederationRecord, Invitation, Store } from '../host/store.ts';
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
}

/** What is asked for: for whom, how many, how long they are good. */
export interface InvitationRequest {
  readonly participant?: string | undefined;
  readonly count?: number | undefined;
  readonly lifetimeMs?: number | undefined;
}

/** The token is told once, and kept nowhere. */
export interface NewInvitation {
  readonly token: string;
  readonly participant: string | undefined;
  readonly expiresMs: number | undefined;
}

export interface DoorOptions {
  readonly store: Store;
  /** `open`: whoever comes first with a name has it. */
  readonly enrolment: 'open' | 'invitation';
  readonly now: () => number;
  readonly wallClock: () => number;
}

export class Door {
  private readonly options: DoorOptions;
  private readonly challenges: Challenges;
  private readonly tickets = new Map<string, Ticket>();

  constructor(options: DoorOptions) {
    this.options = options;
    this.challenges = new Challenges(options.now);
  }

  challenge(federation: FederationRecord): string {
    return this.challenges.make(federation.id);
  }

  /** `mayChoose`: nobody is there yet, so the columns may still be chosen. */
  admit(federation: FederationRecord, request: SessionRequest, mayChoose: boolean): string {
    const { participant, key } = request;
    this.checkSignature(federation, request);
    this.challenges.use(request.challenge);
    const { store } = this.options;
    const known = store.enrolment(federation.name, participant);
    if (known?.revokedMs !== undefined) {
      throw new ApiError('REVOKED', `participant "${participant}" may no longer take part`);
    }
    if (known && known.key !== key) {
      throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
    }
    const invitation = known ? undefined : this.invitationFor(federation, request);
    this.checkSchema(federation, request, mayChoose);
    if (!known) this.enrol(federation, request, invitation);
    return this.newTicket(federation, request);
  }

  /** A ticket is good once. */
  redeem(federation: string, code: string): Ticket | undefined {
    const ticket = this.tickets.get(code);
    this.tickets.delete(code);
    if (!ticket || ticket.federation !== federation || ticket.expiresMs <= this.options.now())
      return undefined;
    // In between it may have been revoked, or somebody else may have chosen the columns.
    const { store } = this.options;
    const enrolment = store.enrolment(federation, ticket.participant);
    const isCurrent =
      enrolment?.revokedMs === undefined && store.schema(federation)?.digest === ticket.schema;
    return enrolment && isCurrent ? ticket : undefined;
  }

  invite(federation: string, { participant, count = 1, lifetimeMs }: InvitationRequest): NewInvitation[] {
    const { store, wallClock } = this.options;
    const createdMs = wallClock();
    const expiresMs = lifetimeMs === undefined ? undefined : createdMs + lifetimeMs;
    this.checkInvitable(federation, participant);
    const tokens = Array.from({ length: count }, () => randomBytes(TOKEN_BYTES).toString('base64url'));
    const invitations = tokens.map((token) => ({
      digest: digestOf(token),
      participant,
      createdMs,
      expiresMs,
    }));
    store.addInvitations(
      federation,
      invitations.map((invitation) => ({ ...invitation, usedBy: undefined })),
    );
    return tokens.map((token) => ({ token, participant, expiresMs }));
  }

  /** An invitation that nobody could use would only disappoint. */
  private checkInvitable(federation: string, participant: string | undefined): void {
    const known =
      participant === undefined ? undefined : this.options.store.enrolment(federation, participant);
    if (!known) return;
    const why =
      known.revokedMs === undefined
        ? 'is enrolled already and needs no invitation'
        : 'was revoked: allow a key of its own to let it in again';
    throw new ApiError('NAME_TAKEN', `participant "${participant}" ${why}`);
  }

  /** Enrols a key that is known from elsewhere: no invitation needed. */
  allow(federation: string, participant: string, key: string): void {
    const { store, wallClock } = this.options;
    const known = store.enrolment(federation, participant);
    if (known && known.revokedMs === undefined && known.key !== key) {
      throw new ApiError('NAME_TAKEN', `participant "${participant}" is enrolled with another key`);
    }
    if (known?.key === key && known.revokedMs === undefined) return;
    store.enrol(federation, { participant, key, enrolledMs: wallClock(), revokedMs: undefined });
  }

  revoke(federation: string, participant: string): void {
    const { store, wallClock } = this.options;
    const known = store.enrolment(federation, participant);
    if (!known) throw noSuchParticipant(participant, 'enrolled');
    if (known.revokedMs === undefined) store.enrol(federation, { ...known, revokedMs: wallClock() });
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
      throw new ApiError('BAD_SIGNATURE', `participant "${participant}": the signature does not fit the key`);
    }
  }

  private invitationFor(federation: FederationRecord, request: SessionRequest): Invitation | undefined {
    const { enrolment, store, wallClock } = this.options;
    const { participant, invitation: token } = request;
    if (token === undefined) {
      if (enrolment === 'open') return undefined;
      const message = `participant "${participant}" is not enrolled: expected an invitation (kindred invite)`;
      throw new ApiError('INVITATION_NEEDED', message);
    }
    const found = store.invitation(federation.name, digestOf(token));
    const wrong = !found
      ? 'expected one of this federation'
      : found.usedBy !== undefined
        ? 'it has been used'
        : found.expiresMs !== undefined && found.expiresMs <= wallClock()
          ? 'it has expired'
          : found.participant !== undefined && found.participant !== participant
            ? 'it is for somebody else'
            : undefined;
    if (wrong) throw new ApiError('INVITATION_INVALID', `invitation: ${wrong}; ask for another`);
    return found;
  }

  private enrol(federation: FederationRecord, request: SessionRequest, used: Invitation | undefined): void {
    const { store, wallClock } = this.options;
    const { participant, key } = request;
    const enrolment: Enrolment = { participant, key, enrolledMs: wallClock(), revokedMs: undefined };
    store.enrol(federation.name, enrolment, used && { ...used, usedBy: participant });
  }

  private checkSchema(federation: FederationRecord, request: SessionRequest, mayChoose: boolean): void {
    const { store } = this.options;
    const { participant, schema, features } = request;
    if (features && schemaDigest(features) !== schema) {
      throw new ApiError('BAD_REQUEST', 'features: expected the names that the schema is the digest of');
    }
    const pinned = store.schema(federation.name);
    if (pinned && pinned.digest !== schema && !mayChoose) {
      const message = `participant "${participant}": its columns, or their order, are not those of this federation`;
      throw new ApiError('WRONG_FEATURES', message);
    }
    // The first may have kept the names to itself; whoever tells them later tells them for all.
    const isNew = pinned?.digest !== schema || (features && !pinned.features);
    if (isNew) store.saveSchema(federation.name, { digest: schema, features });
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

/** Not with a cache of keys: strangers may come with as many as they like. */
function isSigned(statement: Uint8Array, key: string, signature: string): boolean {
  try {
    const der = Buffer.concat([ED25519_PUBLIC, Buffer.from(key, 'base64url')]);
    const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
    return verify(null, statement, publicKey, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
