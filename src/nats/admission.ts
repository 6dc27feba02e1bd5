/** What gateways ask the leading root about those who want to take part, as JSON, and what it answers. */

import type { NodesVersion } from './nodes-version.ts';

/** A step of admission. The root checks what is in it as if a stranger had sent it. */
export type AdmissionStep =
  | { readonly step: 'announcement'; readonly federation: string }
  | { readonly step: 'challenge'; readonly federation: string; readonly protocol?: number | undefined }
  | {
      readonly step: 'session';
      readonly federation: string;
      readonly request: unknown;
      /** Of the participant, as the gateway sees it. */
      readonly address: string;
    }
  | { readonly step: 'redeem'; readonly federation: string; readonly ticket: string }
  /** Which version the root speaks: `NodesVersion`. `federation` is empty. */
  | { readonly step: 'nodes'; readonly federation: string };

/** A ticket was good. */
export interface Grant {
  readonly federation: { readonly name: string; readonly id: string };
  readonly participant: string;
  readonly shards: number;
  /** Higher than that of every earlier connection of the participant. */
  readonly connection: number;
  /** How many columns it must have; absent: nobody has sent their names. */
  readonly columns?: number | undefined;
  readonly agent?: string | undefined;
}

export type AdmissionAnswer =
  | { readonly ok: unknown }
  | { readonly error: { readonly code: string; readonly message: string } };

/** One federation of the leading root, for those who own its shards. */
export interface ListedFederation {
  readonly name: string;
  readonly id: string;
  readonly createdMs: number;
  readonly shards: number;
  readonly fanIn?: number | undefined;
  /** `optionsToJson`. */
  readonly options: unknown;
  /** The highest epoch that the root has heard of, by number in the tree: a new owner's is higher. */
  readonly epochs: readonly number[];
}

export interface FederationList extends NodesVersion {
  readonly federations: readonly ListedFederation[];
}

export function toJson(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** Undefined: it is not JSON. */
export function fromJson<T>(bytes: Uint8Array): T | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as T;
  } catch {
    return undefined;
  }
}
