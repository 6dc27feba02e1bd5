/** How a participant takes part: what the library takes, gives and reports, wherever it runs. */
import type { Clock } from '../base/ports.ts';
import type { AgreedClasses } from '../data/agreed-classes.ts';
import type { Table } from '../data/table.ts';
import type { TargetScaling } from '../math/target-scaling.ts';
import type { Phase } from '../participant/state.ts';
import type { Primitives } from '../privacy/secure/keys.ts';
import type { Agreement } from '../protocol/agreement.ts';
import type { FinishReason } from '../protocol/messages.ts';
import type { PolicyInput } from '../settings/policy.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { Sigmoids } from '../solver/calibration.ts';
import type { Metrics } from '../solver/metrics.ts';
import type { Model } from '../solver/model.ts';
import type { FederationName, OwnColumns } from './participant-file.ts';
import type { Recorder } from './participant-loop.ts';
import type { OpenHome, OpenSolver, RandomShare, Transport } from './ports.ts';
import type { UnlearnedRows } from './unlearned-rows.ts';

export interface ParticipationOptions {
  /** Every row of the table is this participant's. The columns are kept for predicting from files later. */
  readonly data: { readonly table: Table; readonly columns?: OwnColumns | undefined };
  /** Its id in the federation. */
  readonly participant: string;
  /** Rows to unlearn: they are left out from now on, also where the data still have them. Refused: rows that the participant does not have. */
  readonly unlearn?: Table | undefined;
  readonly invitation?: string | undefined;
  /** The target value that becomes +1: all must agree on it. */
  readonly positive?: string | undefined;
  /** Share of the rows to test on (default 0); the split is that of `train` with this seed (default 1). */
  readonly testFraction?: number | undefined;
  readonly seed?: number | undefined;
  /**
   * Sends with each answer how good the own model and the shared part are on the test rows (default: false): balanced accuracy, or the root mean
   * squared error. Needs test rows; refused under differential privacy. With secure aggregation only sums of it are seen.
   */
  readonly reportTests?: boolean | undefined;
  /** Calibrates probabilities when it ends, for `predict` with the model: keeps the training rows in memory twice (default: false). */
  readonly probabilities?: boolean | undefined;
  /** Pretends to be so many times as slow (default 1): for tests and demonstrations. */
  readonly slowdown?: number | undefined;
  /** Takes part only where the server sees nothing but sums. */
  readonly secure?: boolean | undefined;
  /** What it accepts of the federation (settings/policy.ts); default: the defaults there. */
  readonly policy?: PolicyInput | undefined;
  /** Stays connected when training rests, and takes part when it goes on (default: false). */
  readonly keepGoing?: boolean | undefined;
  readonly onEvent?: ((event: JoinEvent) => void) | undefined;
  readonly record?: Recorder | undefined;
  /** Pauses between attempts to connect grow from the first to the second (default 200 to 15,000 ms). */
  readonly retryFromMs?: number | undefined;
  readonly retryMostMs?: number | undefined;
  /**
   * Waits while the server speaks another version of the protocol, and tries again until they fit (default: true), with pauses that grow from ten
   * times the first to four times the longest of the above: 2 s to a minute. False: such a server ends it with WRONG_PROTOCOL.
   */
  readonly waitForUpgrade?: boolean | undefined;
}

export interface ParticipationPorts {
  /** Made once the options are known to be good. */
  readonly transport: () => Transport;
  readonly home: OpenHome;
  readonly solver: OpenSolver;
  readonly clock: Clock;
  readonly random: RandomShare;
  /** For secure aggregation; default: the portable ones. */
  readonly primitives?: Primitives | undefined;
}

export type JoinEvent =
  | { readonly type: 'connected'; readonly federation: FederationName }
  | { readonly type: 'lost'; readonly why: string; readonly retryMs: number }
  | {
      readonly type: 'phase';
      readonly phase: Phase;
      readonly round: number;
      /** What training waits for before it starts, as the coordinator says. */
      readonly waitingFor: string | undefined;
    }
  | { readonly type: 'solved'; readonly round: number; readonly passes: number; readonly computeMs: number }
  | { readonly type: 'bad frame'; readonly message: string }
  /** The server speaks another version of the protocol than this program (`own`): waiting until they fit. */
  | {
      readonly type: 'other version';
      readonly server: number;
      readonly own: number;
      readonly why: string;
      readonly retryMs: number;
    }
  /** Training rests, or has ended for this participant. */
  | { readonly type: 'finished'; readonly reason: FinishReason; readonly round: number }
  /** So many rows to test on have come and gone since the last start; nobody learns from them. */
  | { readonly type: 'test rows changed'; readonly added: number; readonly gone: number }
  /** Other participants have other columns: those that are missing in all rows here, and those that nobody learns from. */
  | {
      readonly type: 'columns differ';
      readonly absent: readonly string[];
      readonly ignored: readonly string[];
    }
  /** Training has come to rest without rows that are gone. */
  | { readonly type: 'unlearned'; readonly certificate: UnlearnedRows }
  /**
   * The training rows are others than at the last start: so many new, gone and kept. `isPersonalised`: the stored model is fitted to them.
   * `own`: how it did before and does now.
   */
  | {
      readonly type: 'rows changed';
      readonly edition: number;
      readonly added: number;
      readonly gone: number;
      readonly kept: number;
      readonly isPersonalised: boolean;
      readonly own: OwnMetrics | undefined;
    };

export interface OwnMetrics {
  /** What both were measured on: rows kept aside, or else the new rows, which the model before had not seen. */
  readonly on: 'test rows' | 'new rows';
  readonly before: Metrics & { readonly rows: number };
  readonly after: Metrics & { readonly rows: number };
}

export interface JoinStatus {
  readonly participant: string;
  readonly phase: Phase;
  readonly round: number;
  /** Last round whose answer was accepted. */
  readonly base: number;
  readonly isConnected: boolean;
  /** The version of the protocol that the server speaks, while that is another one and is waited for. */
  readonly otherVersion?: number | undefined;
  /** Local passes so far, in this process. */
  readonly passes: number;
  /** How many more participants have to join before training starts; undefined: not known, or it has started. */
  readonly awaited: number | undefined;
  /** The last solve took so long. */
  readonly solveMs: number | undefined;
  readonly federation: FederationName | undefined;
  /** What training waits for before it starts; undefined: nothing but participants. */
  readonly waitingFor: string | undefined;
  /** What +1 and -1 stand for, or how targets are scaled; undefined before it is agreed on. */
  readonly agreement: Agreement | undefined;
}

export interface JoinResult {
  readonly participant: string;
  /** Its enrolment key, base64url: what others name in their `peers`. */
  readonly key: string | undefined;
  readonly federation: FederationName | undefined;
  /** `closed`: by `close`, with everything kept. */
  readonly reason: FinishReason | 'closed';
  /** The newest round that is known of. */
  readonly rounds: number;
  /** Last round whose answer was accepted; 0: none, and nobody else has learnt from these rows. */
  readonly base: number;
  /** How many have contributed to w, and how many who have joined its certificate does not cover; undefined: training has not come to an end. */
  readonly participants?: number | undefined;
  readonly missing?: number | undefined;
  readonly passes: number;
  /** What +1 and -1 stand for; undefined for regression, and before it is agreed on. */
  readonly classes: AgreedClasses | undefined;
  /** How the targets of a regression are scaled. */
  readonly target: TargetScaling | undefined;
  /** What is made of columns with text or gaps, a sentence each; absent: there are none, or nothing is agreed on. */
  readonly columns?: readonly string[] | undefined;
  /** Its own sigmoids, one for each head; undefined: not asked for, or not possible. */
  readonly calibration?: Sigmoids | undefined;
  /** On the rows kept aside. */
  readonly test: (Metrics & { readonly rows: number }) | undefined;
  /** The differential privacy that the federation promises; undefined: none. */
  readonly privacy: FederationSettings['dp'];
  /** Certificates about rows that are gone, of all times; undefined: none. */
  readonly unlearned?: readonly UnlearnedRows[] | undefined;
  /** Where the state is: the folder. */
  readonly state: string;
}

export interface Participation {
  /** Ends with training, `leave` or `close`; rejects when something went wrong for good. */
  readonly done: Promise<JoinResult>;
  readonly status: JoinStatus;
  /** The model to predict with now; undefined before the first round. */
  model(): Model | undefined;
  /** For good: sends a goodbye and waits until it is acknowledged. The contribution stays in the model. */
  leave(): Promise<void>;
  /** Stops without a message: the state stays, and a later start goes on from it. */
  close(): Promise<void>;
}
