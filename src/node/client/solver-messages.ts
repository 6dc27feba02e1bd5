/** What the solver's thread and its owner say to each other. */
import type { ErrorKind } from '../../base/errors.ts';
import type { Moments, Scaling } from '../../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../../participant/effects.ts';
import type { FederationSettings } from '../../protocol/messages.ts';

/** Given to the thread when it starts. */
export interface SolverData {
  /** Training rows, n x d, raw: transferred. */
  readonly x: Float64Array;
  readonly n: number;
  readonly d: number;
  /** How many times as slow as it is the thread pretends to be; 1: not at all. */
  readonly slowdown: number;
  /** Shared: the orders below. */
  readonly orders: Int32Array<SharedArrayBuffer>;
}

/** Places in `orders`. Each holds the number of a solve: it, and all before it, are to stop, or to be dropped without an answer. */
export const STOP_UP_TO = 0;
export const DROP_UP_TO = 1;
export const ORDERS = 2;

export type ToSolver =
  | {
      readonly kind: 'prepare';
      /** Counted from 1. */
      readonly number: number;
      readonly settings: FederationSettings;
      readonly scaling: Scaling;
      readonly y: Float64Array;
    }
  | {
      readonly kind: 'solve';
      /** Counted from 1. */
      readonly number: number;
      readonly request: SolveRequest;
      /** By the clock of `monotonicMs`, which all threads share; Infinity: as long as it takes. */
      readonly untilMs: number;
    };

export type FromSolver =
  | { readonly kind: 'ready'; readonly benchmarkMs: number; readonly moments: Moments }
  | { readonly kind: 'prepared'; readonly number: number; readonly cap: Float64Array }
  | { readonly kind: 'solved'; readonly number: number; readonly result: SolveResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly cause: ErrorKind };

/** `performance.now` counts from the start of its thread; this one is the same in all of them. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
