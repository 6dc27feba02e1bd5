/** How a participant joins: what the library takes, gives and tells. */
import { inputError } from '../../base/errors.ts';
import type { Table } from '../../data/table.ts';
import type { Model } from '../../methods/model.ts';
import type { Phase } from '../../participant/state.ts';
import { DEFAULT_LIMITS } from '../../protocol/limits.ts';
import type { FinishReason } from '../../protocol/messages.ts';
import type { Metrics } from '../../solver/metrics.ts';
import type { TlsOptions } from '../admin/post-json.ts';
import type { Recorder } from './life.ts';
import type { FederationName, OwnColumns } from './participant-file.ts';

export interface JoinOptions {
  /** http, https, ws or wss; the path names the federation (default: "default"). */
  readonly url: string;
  /** Every row of the table is this participant's. The columns are kept for predicting from files later. */
  readonly data: { readonly table: Table; readonly columns?: OwnColumns | undefined };
  /** Its id in the federation. */
  readonly participant: string;
  /** A folder of its own, made where there is none. */
  readonly stateFolder: string;
  readonly invitation?: string | undefined;
  /** The target value that becomes +1. */
  readonly positive?: string | undefined;
  /** Share of the rows to test on (default 0); the split is that of `train` with this seed (default 1). */
  readonly testFraction?: number | undefined;
  readonly seed?: number | undefined;
  /** Pretends to be so many times as slow (default 1): for tests and demonstrations. */
  readonly slowdown?: number | undefined;
  /** Takes part only where the server sees nothing but sums. */
  readonly secure?: boolean | undefined;
  readonly tls?: TlsOptions | undefined;
  /** Stays connected when training rests, and takes part when it goes on (default: false). */
  readonly keepGoing?: boolean | undefined;
  readonly onEvent?: ((event: JoinEvent) => void) | undefined;
  readonly record?: Recorder | undefined;
  readonly timing?: Partial<JoinTiming> | undefined;
}

/** For unusual networks, and for tests. */
export interface JoinTiming {
  readonly retryFromMs: number;
  readonly retryMostMs: number;
  readonly pingMs: number;
  readonly silenceMs: number;
}

export const DEFAULT_TIMING: JoinTiming = {
  retryFromMs: 200,
  retryMostMs: 15_000,
  pingMs: 15_000,
  silenceMs: 30_000,
};

export type JoinEvent =
  | { readonly type: 'connected'; readonly federation: FederationName }
  | { readonly type: 'lost'; readonly why: string; readonly retryMs: number }
  | { readonly type: 'phase'; readonly phase: Phase; readonly round: number }
  | { readonly type: 'solved'; readonly round: number; readonly passes: number; readonly computeMs: number }
  | { readonly type: 'bad frame'; readonly message: string }
  /** Training rests, or has ended for this participant. */
  | { readonly type: 'finished'; readonly reason: FinishReason; readonly round: number }
  /** The rows are others than at the last start; `isPersonalised`: the model in the state folder is fitted to them. */
  | { readonly type: 'rows changed'; readonly edition: number; readonly isPersonalised: boolean };

export interface JoinStatus {
  readonly participant: string;
  readonly phase: Phase;
  readonly round: number;
  /** Last round whose update was taken. */
  readonly base: number;
  readonly isConnected: boolean;
  /** Local passes so far, in this process. */
  readonly passes: number;
  /** The last solve took so long. */
  readonly solveMs: number | undefined;
  readonly federation: FederationName | undefined;
}

export interface JoinResult {
  readonly participant: string;
  readonly federation: FederationName | undefined;
  /** `closed`: by `close`, with everything kept. */
  readonly reason: FinishReason | 'closed';
  /** The last round heard of. */
  readonly rounds: number;
  readonly base: number;
  readonly passes: number;
  /** On the rows kept aside. */
  readonly test: (Metrics & { readonly rows: number }) | undefined;
  /** The state folder. */
  readonly state: string;
}

export interface Participation {
  /** Ends with training, `leave` or `close`; rejects when something went wrong for good. */
  readonly done: Promise<JoinResult>;
  readonly status: JoinStatus;
  /** The model to predict with now; undefined before the first round. */
  model(): Model | undefined;
  /** For good: says goodbye and waits until it is heard. The contribution stays in the model. */
  leave(): Promise<void>;
  /** Stops without a word: the state stays, and a later start goes on from it. */
  close(): Promise<void>;
}

export function checkOptions({ participant, data, slowdown = 1, seed = 1 }: JoinOptions): void {
  const bytes = new TextEncoder().encode(participant).length;
  if (bytes < 1 || bytes > DEFAULT_LIMITS.maxIdBytes) {
    throw inputError(
      'BAD_NAME',
      `participant: expected a name of 1 to ${DEFAULT_LIMITS.maxIdBytes} bytes, got one of ${bytes}`,
    );
  }
  const { source, features } = data.table;
  if (features.length > DEFAULT_LIMITS.maxFeatures) {
    throw inputError(
      'TOO_MANY_FEATURES',
      `${source}: expected at most ${DEFAULT_LIMITS.maxFeatures} features, got ${features.length}`,
    );
  }
  if (!(slowdown >= 1 && Number.isFinite(slowdown)))
    throw inputError('BAD_OPTION', `option --slowdown: expected a number of at least 1, got ${slowdown}`);
  if (!(Number.isSafeInteger(seed) && seed >= 0))
    throw inputError('BAD_OPTION', `option --seed: expected a whole number of at least 0, got ${seed}`);
}
