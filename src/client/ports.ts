/**
 * What a participant needs from where it runs. Nothing in this folder knows a runtime: Node, a browser, a message broker and a simulation
 * each bring their own. A port may answer at once or with a promise, where the type says so.
 */

import type { Eventually } from '../base/ports.ts';
import type { PlacedCode } from '../data/encoding.ts';
import type { Table } from '../data/table.ts';
import type { Moments, Scaling } from '../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../participant/effects.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { NewParticipant, ParticipantFile } from './participant-file.ts';

/** The durable state of one participant. One process at a time has it. */
export interface StateStore {
  /** What errors call it: a folder, say. */
  readonly place: string;
  /** As of the last save. */
  readonly file: ParticipantFile;
  /**
   * Durable when it has returned, or when its promise is fulfilled: all of the changes or, where it fails, none of them. What is saved
   * is never changed afterwards, so that a store may find out by identity what is new.
   */
  save(changes: Partial<ParticipantFile>): Eventually<void>;
  /** As `save`; besides, nothing that earlier states held and this one does not is left in the store. */
  rewrite(changes: Partial<ParticipantFile>): Eventually<void>;
  /** After what is being saved. Nothing is saved any more. */
  release(): Eventually<void>;
}

export interface Signer {
  /** Raw Ed25519 public key, base64url. */
  readonly key: string;
  /** Base64url. */
  sign(statement: Uint8Array): Eventually<string>;
}

/** State and identity belong together: whoever has lost one cannot go on with the other. */
export interface Home {
  readonly store: StateStore;
  readonly signer: Signer;
}

/** Opens what is there, or begins with `newcomer`. */
export type OpenHome = (newcomer: NewParticipant) => Eventually<Home>;

/** What the participant loop asks of whoever holds the rows; answers come as inputs of the machine. */
export interface Solver {
  /** Scales the rows; answered by `prepared`. */
  prepare(settings: FederationSettings, scaling: Scaling, agreement: Agreement): Eventually<void>;
  /** Answered by `solved`, unless cancelled. Its budget runs from now. */
  solve(request: SolveRequest): void;
  /** The solve under way ends without an answer. */
  cancel(): void;
  /** The solve under way answers now, with what there is. */
  interrupt(): void;
}

/** Training rows, n x d, raw. */
export interface RawTrainingRows {
  /** Given away: whoever hands it over does not use it again. */
  readonly x: Float64Array;
  readonly n: number;
  readonly d: number;
  /** As of a table: texts of text columns, to whose places x refers. */
  readonly levels?: Table['levels'];
  /** Of the rows, with a mean of 1; absent: all weigh the same. */
  readonly weights?: Float64Array | undefined;
  /** How many times as slow as it is the solver pretends to be; 1: not at all. */
  readonly slowdown: number;
}

export interface RowSolverEvents {
  /** The first event: what is known of the rows and of the device before there are settings. */
  ready(moments: Moments, benchmarkMs: number): void;
  /** `cap`: C1 c of each row. */
  prepared(cap: Float64Array): void;
  solved(result: SolveResult): void;
  /** It is of no use any more. */
  failed(error: unknown): void;
}

/** Holds rows and solves for them. `ready` comes after `OpenSolver` has returned; other events may come while they are asked for. */
export interface RowSolver extends Omit<Solver, 'prepare'> {
  /**
   * Answered by `prepared`, the last time that it is asked for. `y` and `settings` are of the problem with scaled targets; `codes`: how columns
   * become features, where they are not numbers without gaps.
   */
  prepare(
    settings: FederationSettings,
    scaling: Scaling,
    y: Float64Array,
    codes?: readonly PlacedCode[] | undefined,
  ): void;
  close(): Eventually<void>;
}

export type OpenSolver = (rows: RawTrainingRows, events: RowSolverEvents) => RowSolver;

/** Status and body of an answer, as of HTTP. */
export interface Reply {
  readonly status: number;
  /** Undefined: it was not JSON. */
  readonly body: unknown;
}

/** The way to one federation. */
export interface Transport {
  /** What errors call the other end. */
  readonly label: string;
  /** What was dialled, which is signed: scheme, host and port, as `URL.origin` writes it. */
  readonly origin: string;
  /** Program and version, for the people who run the server; undefined: not told. */
  readonly agent?: string | undefined;
  /** A step of admission; rejects with a `TryAgain` or a `KindredError` (admission.ts) where no reply came. */
  request(step: 'challenge' | 'session', body: unknown, signal: AbortSignal): Promise<Reply>;
  /** Opens a channel with a ticket from the second step. */
  connect(ticket: string, events: ChannelEvents): Channel;
}

/** No event comes before `connect` has returned, and none after `failed`, `closed`, `drop` or `close`. */
export interface ChannelEvents {
  opened(): void;
  frame(bytes: Uint8Array): void;
  /** It never opened. */
  failed(error: Error): void;
  /** By a code of WebSocket, or one of `CLOSE` (protocol/joining.ts). */
  closed(code: number, reason: string): void;
}

export interface Channel {
  /** False: it was dropped. What matters is retransmitted. */
  send(frame: Uint8Array): boolean;
  /** At once, without a goodbye to the other side. */
  drop(): void;
  /** With a goodbye. */
  close(): Eventually<void>;
}

/** A number in [0, 1) that nobody can predict. */
export type RandomShare = () => number;
