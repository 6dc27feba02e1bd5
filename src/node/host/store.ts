/**
 * What a coordinator's server keeps for good, whatever keeps it: federations, the state of each run, its history, and who may
 * take part. Whatever returns has happened: it survives the end of the process and of the machine.
 */
import type { CoordinatorOptions } from '../../coordinator/options.ts';
import type { RoundRow } from '../../coordinator/state.ts';
import type { StoredCoordinator, StoredMember, StoredRun } from '../../coordinator/stored.ts';

export interface FederationRecord {
  readonly name: string;
  /** Unique for ever: a federation of the same name in another store is another one. */
  readonly id: string;
  readonly createdMs: number;
  readonly options: CoordinatorOptions;
}

/** What all participants' columns are, pinned by the first who enrols. */
export interface SchemaRecord {
  readonly digest: string;
  /** Undefined: nobody has told. */
  readonly features: readonly string[] | undefined;
}

/** A row of the history, with the wall-clock time it was closed at. */
export interface HistoryRow extends RoundRow {
  readonly closedMs: number;
}

export interface Enrolment {
  readonly participant: string;
  /** Raw Ed25519 public key, base64url. */
  readonly key: string;
  readonly enrolledMs: number;
  readonly revokedMs: number | undefined;
}

export interface Invitation {
  /** SHA-256 of the token, hex: the token itself is nowhere. */
  readonly digest: string;
  /** Undefined: for whoever comes with it. */
  readonly participant: string | undefined;
  readonly createdMs: number;
  readonly expiresMs: number | undefined;
  readonly usedBy: string | undefined;
}

export interface Store {
  /** What errors call it. */
  readonly name: string;
  federations(): FederationRecord[];
  addFederation(record: FederationRecord): void;

  /** Undefined: nothing has been saved yet. */
  loadRun(federation: string): { readonly run: StoredRun; readonly members: StoredMember[] } | undefined;
  /** A change of the run with the rows that led to it: all or nothing. */
  saveRun(federation: string, changes: StoredCoordinator, rows: readonly HistoryRow[]): void | Promise<void>;
  /** In order, from `after` (a round) on, not including it. */
  history(federation: string, after: number, limit: number): HistoryRow[];

  schema(federation: string): SchemaRecord | undefined;
  saveSchema(federation: string, schema: SchemaRecord): void;
  enrolment(federation: string, participant: string): Enrolment | undefined;
  enrolments(federation: string): Enrolment[];
  /** With the invitation that is used up by it, if there is one: both or neither. */
  enrol(federation: string, enrolment: Enrolment, used?: Invitation): void;
  invitation(federation: string, digest: string): Invitation | undefined;
  /** Oldest first. */
  invitations(federation: string): Invitation[];
  /** All or none. */
  addInvitations(federation: string, invitations: readonly Invitation[]): void;

  close(): void;
}
