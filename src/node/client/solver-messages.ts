/**
 * What the solver's thread and its owner send to each other. Solutions stay in the thread: a request refers to those of earlier solves by
 * number, and only what the thread cannot know crosses over.
 */
import type { ErrorKind } from '../../base/errors.ts';
import type { RawTrainingRows } from '../../client/ports.ts';
import type { Moments, Scaling } from '../../math/scaling.ts';
import type { SolveRequest, SolveResult } from '../../participant/effects.ts';
import type { FederationSettings } from '../../settings/federation.ts';
import type { Solution } from '../../solver/member.ts';

/** Given to the thread when it starts; the rows are transferred. */
export interface SolverData extends RawTrainingRows {
  /** Shared: the orders below. */
  readonly orders: Int32Array<SharedArrayBuffer>;
}

/** Places in `orders`. Each holds the number of a solve: it, and all before it, are to stop, or to be dropped without an answer. */
export const STOP_UP_TO = 0;
export const DROP_UP_TO = 1;
export const ORDERS = 2;

/** By the number of the solve whose solution it is, or that it first came with (then `value` is it). */
export interface KnownSolution {
  readonly number: number;
  readonly value?: Solution;
}

export interface SolveOrder {
  readonly kind: 'solve';
  /** Counted from 1. */
  readonly number: number;
  readonly request: Omit<SolveRequest, 'committed' | 'warm'>;
  readonly committed: KnownSolution | undefined;
  /** The duals themselves, or those of a solution. */
  readonly warm: Float64Array | KnownSolution | undefined;
  /** What will be referred to from now on, at most, beside the solution of this solve. */
  readonly keep: readonly number[];
  /** By the clock of `monotonicMs`, which all threads share; Infinity: as long as it takes. */
  readonly untilMs: number;
}

export type ToSolver =
  | {
      readonly kind: 'prepare';
      /** Counted from 1. */
      readonly number: number;
      readonly settings: FederationSettings;
      readonly scaling: Scaling;
      readonly y: Float64Array;
    }
  | SolveOrder;

export type FromSolver =
  | { readonly kind: 'ready'; readonly benchmarkMs: number; readonly moments: Moments }
  | { readonly kind: 'prepared'; readonly number: number; readonly cap: Float64Array }
  | {
      readonly kind: 'solved';
      readonly number: number;
      /** `committed` only where the request had none. */
      readonly result: Omit<SolveResult, 'committed'> & { readonly committed: Solution | undefined };
    }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly cause: ErrorKind };

/** `performance.now` counts from the start of its thread; this one is the same in all of them. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
