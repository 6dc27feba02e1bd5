/** What a page, its worker, and the workers of other tabs say to each other. */
import { type ErrorKind, KindredError } from '../base/errors.ts';
import type {
  JoinEvent,
  JoinResult,
  JoinStatus,
  ParticipationOptions,
} from '../client/participation-options.ts';
import type { Model } from '../solver/model.ts';
import type { JoinTiming } from './page-types.ts';
import type { Traffic } from './traffic.ts';

/** What a worker needs to take part; all of it can be cloned. */
export interface WorkerJoinOptions
  extends Omit<ParticipationOptions, 'onEvent' | 'record' | 'retryFromMs' | 'retryMostMs'> {
  readonly url: string;
  /** Of the state; undefined: by federation and participant. */
  readonly name: string | undefined;
  readonly timing: Partial<JoinTiming>;
}

export type Call = 'model' | 'leave' | 'close';

export type ToWorker =
  | { readonly type: 'join'; readonly options: WorkerJoinOptions }
  | { readonly type: 'call'; readonly id: number; readonly call: Call };

export interface News {
  readonly status: JoinStatus;
  readonly traffic: Traffic;
  readonly event?: JoinEvent | undefined;
}

export interface Failure {
  readonly code: string | undefined;
  readonly message: string;
  readonly kind: ErrorKind;
}

export type Outcome = { readonly result: JoinResult } | { readonly failure: Failure };
export type Answer = { readonly model?: Model | undefined } | { readonly failure: Failure };

export type FromWorker =
  | { readonly type: 'role'; readonly role: 'leader' | 'follower' }
  | { readonly type: 'news'; readonly news: News }
  | { readonly type: 'answer'; readonly id: number; readonly answer: Answer }
  | { readonly type: 'done'; readonly outcome: Outcome };

/** Between the tabs of one participant; `from` is a follower, by a random name. */
export type BetweenTabs =
  /** A follower is there, has gone, wants to leave the federation. */
  | { readonly type: 'hello' | 'gone' | 'leave'; readonly from: string }
  /** A leader begins: who was waiting for the one before asks again. */
  | { readonly type: 'leading' }
  | { readonly type: 'news'; readonly news: News }
  | { readonly type: 'done'; readonly outcome: Outcome };

/** Tabs of another version of the page have a channel of their own: they are not understood here. */
export function tabChannel(name: string): BroadcastChannel {
  return new BroadcastChannel(`kindred 1 ${name}`);
}

export function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof KindredError) return { code: error.code, message, kind: error.kind };
  return { code: undefined, message, kind: 'run' };
}

export function errorOf({ code, message, kind }: Failure): Error {
  return code === undefined ? new Error(message) : new KindredError(code, message, kind);
}
