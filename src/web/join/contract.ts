/** The types of kindred/browser until it is there (contract A). */

import type { FederationName } from '../../client/participant-file.ts';
import type {
  JoinEvent,
  JoinResult,
  JoinStatus,
  ParticipationOptions,
} from '../../client/participation-options.ts';
import type { Model } from '../../solver/model.ts';

export interface Traffic {
  readonly sentBytes: number;
  readonly receivedBytes: number;
  readonly sent: Readonly<Record<string, { readonly count: number; readonly bytes: number }>>;
}
export type PageEvent =
  | JoinEvent
  | { readonly type: 'role'; readonly role: 'leader' | 'follower' }
  | { readonly type: 'traffic'; readonly traffic: Traffic }
  | { readonly type: 'status'; readonly status: JoinStatus };
export interface PageJoinOptions
  extends Omit<ParticipationOptions, 'onEvent' | 'record' | 'retryFromMs' | 'retryMostMs'> {
  readonly url: string;
  readonly state?: string;
  readonly worker?: () => Worker;
  onEvent?(event: PageEvent): void;
}
export interface PageParticipation {
  readonly done: Promise<JoinResult>;
  readonly status: JoinStatus;
  readonly role: 'leader' | 'follower' | undefined;
  readonly traffic: Traffic;
  model(): Promise<Model | undefined>;
  leave(): Promise<void>;
  close(): Promise<void>;
}
export interface StateSummary {
  readonly name: string;
  readonly participant: string;
  readonly federation?: FederationName;
  readonly round: number;
}
export interface MissingFeature {
  readonly name: 'crypto.subtle' | 'locks' | 'serviceWorker' | 'motion' | 'simd';
  readonly consequence: string;
}
