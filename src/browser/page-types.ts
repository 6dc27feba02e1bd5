/** What a page gives to `joinFederation`, and gets from it. */
import type { FederationName } from '../client/participant-file.ts';
import type {
  JoinEvent,
  JoinResult,
  JoinStatus,
  ParticipationOptions,
} from '../client/participation-options.ts';
import type { Model } from '../solver/model.ts';
import type { Traffic } from './traffic.ts';

/** For unusual networks, and for tests. */
export interface JoinTiming {
  readonly retryFromMs: number;
  readonly retryMostMs: number;
  readonly pingMs: number;
}

export interface PageJoinOptions
  extends Omit<ParticipationOptions, 'onEvent' | 'record' | 'retryFromMs' | 'retryMostMs'> {
  /** http, https, ws or wss; the path names the federation (default: "default"). */
  readonly url: string;
  /** Name of the state in this browser (default: of the federation's address and the participant). */
  readonly state?: string | undefined;
  /** Starts the script of the worker, where it is not beside the script of the library. */
  readonly worker?: (() => Worker) | undefined;
  readonly timing?: Partial<JoinTiming> | undefined;
  readonly onEvent?: ((event: PageEvent) => void) | undefined;
}

export type PageEvent =
  | JoinEvent
  /** `leader`: this tab takes part. `follower`: another tab does, and this one shows it. */
  | { readonly type: 'role'; readonly role: 'leader' | 'follower' }
  | { readonly type: 'traffic'; readonly traffic: Traffic }
  | { readonly type: 'status'; readonly status: JoinStatus };

export interface PageParticipation {
  /** Ends with training, `leave` or `close`; rejects when something went wrong for good. In a follower: as in the leader. */
  readonly done: Promise<JoinResult>;
  readonly status: JoinStatus;
  /** Undefined: not known yet. */
  readonly role: 'leader' | 'follower' | undefined;
  /** Since the leader's page was loaded. */
  readonly traffic: Traffic;
  /** The model to predict with now; undefined before the first round. */
  model(): Promise<Model | undefined>;
  /** For good, in all tabs: sends a goodbye and waits until it is acknowledged. The contribution stays in the model. */
  leave(): Promise<void>;
  /** Stops in this tab without a message: the state stays. Another tab that shows the same takes over. */
  close(): Promise<void>;
}

/** A state that is kept in this browser. */
export interface StateSummary {
  readonly name: string;
  readonly participant: string;
  /** Absent before the first contact. */
  readonly federation?: FederationName | undefined;
  /** Of the model; 0: there is none yet. */
  readonly round: number;
}

/** What the browser does not give this page, and what follows from that. */
export interface MissingFeature {
  readonly name: 'crypto.subtle' | 'locks' | 'motion' | 'simd';
  /** A sentence. */
  readonly consequence: string;
}
