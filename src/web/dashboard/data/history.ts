/**
 * Closed rounds as the charts need them: a few numbers each, so that a page that stays open for days stays small. A run begins with the first round, and
 * again whenever training wakes after a rest.
 */
import type { RoundView } from '../../../node/server/routes/rounds.ts';

/** Test results that participants report, over all who do. */
export type RoundTests = NonNullable<RoundView['tests']>;
export type Summary = RoundTests['own'];

export interface RoundPoint {
  readonly round: number;
  readonly closedMs: number;
  readonly outcome: RoundView['outcome'];
  readonly purpose: RoundView['purpose'];
  readonly gap: number | null;
  readonly responders: number;
  readonly missing: number;
  readonly epsilon: number | null;
  readonly tests: RoundTests | null;
  /** Whether training woke with it. */
  readonly woken: boolean;
}

export interface Run {
  /** From 1, in the order of time. */
  readonly number: number;
  readonly points: readonly RoundPoint[];
}

export function pointOf(row: RoundView): RoundPoint {
  return {
    round: row.round,
    closedMs: row.closedMs,
    outcome: row.outcome,
    purpose: row.purpose,
    gap: row.relativeGap,
    responders: row.responders.length,
    missing: row.missing.length,
    epsilon: row.privacy?.epsilon ?? null,
    tests: row.tests,
    woken: row.woken ?? false,
  };
}

export class History {
  private readonly all: Run[] = [];
  private count = 0;

  get last(): RoundPoint | undefined {
    return this.all.at(-1)?.points.at(-1);
  }

  get rounds(): number {
    return this.count;
  }

  get runs(): readonly Run[] {
    return this.all;
  }

  /** False: it is known already. */
  add(point: RoundPoint): boolean {
    const { last } = this;
    if (last && point.round <= last.round) return false;
    if (!last || last.outcome === 'final' || point.woken) {
      this.all.push({ number: this.all.length + 1, points: [point] });
    } else {
      (this.all.at(-1)!.points as RoundPoint[]).push(point);
    }
    this.count++;
    return true;
  }

  clear(): void {
    this.all.length = 0;
    this.count = 0;
  }
}

/** More are not told apart on any screen. */
const MOST_DRAWN = 1500;

/** Evenly spread, with the first and the last, where there are too many to draw. */
export function drawn(points: readonly RoundPoint[], most = MOST_DRAWN): readonly RoundPoint[] {
  const { length } = points;
  if (length <= most) return points;
  // A step that stays the same while rounds come in: the curve does not shiver.
  const step = 2 ** Math.ceil(Math.log2(length / most));
  return points.filter((_, i) => i % step === 0 || i === length - 1);
}
