/**
 * How good a participant's models are on rows that nobody learns from, as it may report with its answers: balanced accuracy, or the root mean
 * squared error. summed-reports.ts has what secure sums hold of it.
 */
import type { Objective } from '../settings/losses.ts';

export interface TestReport {
  /** With the participant's own model. */
  readonly own: number;
  /** With the shared part alone; undefined where there is none. */
  readonly shared: number | undefined;
}

/** Reports of the participants behind a branch, as it sends them on. */
export interface GroupTests {
  readonly reports: number;
  readonly own: GroupStatistics;
  /** Undefined where there is no shared part. */
  readonly shared: GroupStatistics | undefined;
}

export interface GroupStatistics {
  readonly mean: number;
  /** Standard deviation over participants. */
  readonly spread: number;
  /** Undefined where only sums are seen. */
  readonly worst: number | undefined;
}

export const TEST_METRIC = { classification: 'balancedAccuracy', regression: 'rmse' } as const;
export type TestMetric = (typeof TEST_METRIC)[Objective];

/** Errors above are nobody's: sums of their squares are finite. */
const LARGEST_ERROR = 1e30;

/** What no models can have, as a sentence; undefined: it can be. */
export function implausibleReport(objective: Objective, { own, shared }: TestReport): string | undefined {
  const most = objective === 'regression' ? LARGEST_ERROR : 1;
  const wrong = [own, shared ?? 0].find((value) => !(value >= 0 && value <= most));
  if (wrong === undefined) return undefined;
  return `tests: expected a ${TEST_METRIC[objective]} from 0 to ${most}, got ${wrong}`;
}

/** Of those participants that report; a participant is worst with the least accuracy, or the largest error. */
export interface RoundTests {
  readonly metric: TestMetric;
  readonly participants: number;
  /** With their own models. */
  readonly own: TestStatistics;
  /** With the shared part alone; null where there is none. */
  readonly shared: TestStatistics | null;
}

export interface TestStatistics {
  readonly mean: number;
  /** Standard deviation over participants. */
  readonly spread: number;
  /** Null where only sums are seen. */
  readonly worst: number | null;
}
