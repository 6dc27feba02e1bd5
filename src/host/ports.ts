/**
 * What a coordinator needs of the outside: a store, a transport, a clock and randomness. A port may answer at once or with a
 * promise: the host waits for a promise, and where nothing returns one everything happens at once, as a simulation needs it.
 * `src/check/contracts/` has the suites with which a port proves itself.
 */
import type { Clock, Eventually } from '../base/ports.ts';
import type { Stream } from '../base/random.ts';
import type { CoordinatorEffect, CoordinatorInput } from '../coordinator/effects.ts';
import type { CoordinatorOptions } from '../coordinator/options.ts';
import type { RoundRow } from '../coordinator/round-row.ts';
import type { CoordinatorStart, StoredCoordinator, StoredMember, StoredRun } from '../coordinator/stored.ts';
import type { Primitives } from '../privacy/secure/keys.ts';
import type { FaultCode } from '../protocol/codes.ts';
import type { ToParticipant } from '../protocol/messages.ts';
import type { AuditLine } from './audit-chain.ts';

export interface FederationRecord {
  readonly name: string;
  /** Unique for ever: a federation of the same name in another store is another one. */
  readonly id: string;
  readonly createdMs: number;
  readonly options: CoordinatorOptions;
  /** Of a federation on NATS, over how many shards its participants are spread: fixed for ever. Absent: one coordinator has them all. */
  readonly shards?: number | undefined;
  /** With shards: how many the root and each branch between them may have below, fixed for ever. Absent: all shards are below the root. */
  readonly fanIn?: number | undefined;
}

/** A row of the history, with the wall-clock time it was closed at. */
export interface HistoryRow extends RoundRow {
  readonly closedMs: number;
}

/** A run as it was saved last. */
export interface SavedRun {
  readonly run: StoredRun;
  readonly members: readonly StoredMember[];
}

/**
 * Federations, the state of each run and its history. What has returned, or whose promise has been fulfilled, is durable: it
 * survives the end of the process and of the machine. A change that fails has changed nothing, and may be tried again.
 */
export interface RunStore {
  /** By name. */
  federations(): Eventually<readonly FederationRecord[]>;
  addFederation(record: FederationRecord): Eventually<void>;
  /** With everything that is stored under its name, enrolments and invitations included: all or nothing. */
  removeFederation(federation: string): Eventually<void>;
  /** Undefined: nothing has been saved yet. */
  loadRun(federation: string): Eventually<SavedRun | undefined>;
  /**
   * A change of the run with the rows that led to it: all or nothing. Until it is durable the caller changes nothing of what it has
   * given, afterwards it may.
   */
  saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): Eventually<void>;
  /** In order, from `after` (a round) on, not including it. */
  history(federation: string, after: number, limit: number): Eventually<readonly HistoryRow[]>;
}

/** The columns of all participants, pinned by the first who enrols. */
export interface SchemaRecord {
  readonly digest: string;
  /** Undefined: nobody has sent the names. */
  readonly features: readonly string[] | undefined;
}

export interface Enrolment {
  readonly participant: string;
  /** Raw Ed25519 public key, base64url. */
  readonly key: string;
  readonly enrolledMs: number;
  readonly revokedMs: number | undefined;
  /** Keys of this name that were revoked, also earlier ones. */
  readonly revokedKeys?: readonly string[] | undefined;
}

export interface Invitation {
  /** SHA-256 of the token, hex: the token itself is not stored. */
  readonly digest: string;
  /** Undefined: for anybody who has the token. */
  readonly participant: string | undefined;
  readonly createdMs: number;
  readonly expiresMs: number | undefined;
  readonly usedBy: string | undefined;
}

/** Somebody who is enrolled, with the invitation that is used up by it, if there is one. */
export interface Enrolling {
  readonly enrolment: Enrolment;
  readonly used?: Invitation | undefined;
}

/** Who may take part in each federation, as durable as a `RunStore`. */
export interface EnrolmentStore {
  schema(federation: string): Eventually<SchemaRecord | undefined>;
  saveSchema(federation: string, schema: SchemaRecord): Eventually<void>;
  enrolment(federation: string, participant: string): Eventually<Enrolment | undefined>;
  /** By participant. */
  enrolments(federation: string): Eventually<readonly Enrolment[]>;
  /** All of them with their invitations, or none. Of one name the last counts. */
  enrol(federation: string, enrolling: readonly Enrolling[]): Eventually<void>;
  invitation(federation: string, digest: string): Eventually<Invitation | undefined>;
  /** Oldest first. */
  invitations(federation: string): Eventually<readonly Invitation[]>;
  /** All or none. */
  addInvitations(federation: string, invitations: readonly Invitation[]): Eventually<void>;
}

/** What a token of the operator is good for: each role may do what the ones before it may. */
export const ROLES = ['read', 'operate', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Of a token only this is stored: hex, SHA-256 of the salt and the token. */
export interface TokenDigest {
  readonly salt: string;
  readonly digest: string;
}

export interface TokenRecord extends TokenDigest {
  readonly name: string;
  readonly role: Role;
  readonly createdMs: number;
  /** Undefined: never. */
  readonly expiresMs: number | undefined;
  /** The token before a rotation, valid for a while. */
  readonly previous: (TokenDigest & { readonly untilMs: number }) | undefined;
}

/** Tokens of operators, as durable as a `RunStore`. */
export interface TokenStore {
  /** By name. */
  tokens(): Eventually<readonly TokenRecord[]>;
  /** In the place of one of the same name. */
  saveToken(token: TokenRecord): Eventually<void>;
  removeToken(name: string): Eventually<void>;
}

/** The audit log (`audit-chain.ts`), as durable as a `RunStore`. It only grows. */
export interface AuditStore {
  /** Undefined: there is none. */
  lastAuditLine(): Eventually<AuditLine | undefined>;
  /** In order, from `after` (an entry's number) on, not including it. */
  auditLines(after: number, limit: number): Eventually<readonly AuditLine[]>;
  /** Fails where there is an entry of this number. */
  appendAuditLine(entry: AuditLine): Eventually<void>;
}

/** All that a coordinator keeps, in one place. */
export interface Store extends RunStore, EnrolmentStore, TokenStore, AuditStore {
  /** Errors name it. */
  readonly name: string;
  /**
   * Resolves when another process has taken it over: changes fail with FENCED from then on, and have changed nothing. Absent: that
   * cannot happen.
   */
  readonly fenced?: Promise<Error> | undefined;
  close(): Eventually<void>;
}

/** The way to the participants. What they send goes to `receive` of the host, the loss of a connection to `away`. */
export interface Transport {
  /**
   * May lose it, and does if the participant is not connected: the machines retransmit. Never throws, never waits for the
   * participant. The frame may go to others, too: it is not to be changed. `kind` tells which earlier frame it makes obsolete.
   */
  send(to: string, frame: Uint8Array, kind: ToParticipant['kind']): void;
}

export interface HostClock extends Clock {
  /** Milliseconds since 1970, for people; `now` is for the machine. */
  wallClock(): number;
}

/** Receives what goes into the machine and what comes out of it, at once: effects share arrays with a state that goes on. */
export interface HostRecorder {
  started(start: CoordinatorStart): void;
  step(input: CoordinatorInput, effects: readonly CoordinatorEffect[]): void;
  /** An effect has been carried out: a simulation may stop the host here, as a crash. */
  performed?(effect: CoordinatorEffect): void;
  close?(): void;
}

export interface HostPorts {
  readonly store: Pick<RunStore, 'saveRun'>;
  readonly transport: Transport;
  /** The way to the parent, of a branch: frames may be lost. */
  readonly above?: { send(frame: Uint8Array): void } | undefined;
  readonly clock: HostClock;
  readonly primitives: Primitives;
  /** What the noise of a round is drawn from under differential privacy: a source that nobody can predict; in a simulation the seed. */
  noiseOf(round: number): Stream;
  readonly recorder?: HostRecorder | undefined;
  onRow?(row: HistoryRow): void;
  /** A participant has reported a failure; it knew of this round. */
  onFault?(participant: string, code: FaultCode, round: number): void;
  onSaved?(ms: number): void;
  /** The store has failed, and will be tried again; undefined: it works again. */
  onStoreFailure?(error: Error | undefined): void;
}
