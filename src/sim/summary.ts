/** What a run comes to: plain data, so that workers can hand it over. */
import type { PrivacySpent } from '../coordinator/round-row.ts';
import type { Suspicion } from '../privacy/defence/suspects.ts';
import type { DpSettings } from '../privacy/dp/settings.ts';
import type { RoundTests } from '../protocol/test-reports.ts';
import type { MetricName, ObservedRow } from './observe.ts';
import type { TranscriptEntry } from './transcript.ts';

export interface RunSummary {
  readonly seed: number;
  /** Null: virtual time ran out first. */
  readonly stopped: string | null;
  /** Rounds that changed the model, that were abandoned, and that only measured the certificate. */
  readonly rounds: { readonly aggregated: number; readonly abandoned: number; readonly certifying: number };
  readonly virtualMs: number;
  readonly responders: {
    readonly wanted: number | null;
    /** The waiting period computed for that. */
    readonly waitMs: number | null;
    /** Mean share of those there that answered a training round in time. */
    readonly observed: number;
  };
  readonly bytes: {
    readonly up: number;
    readonly down: number;
    readonly upPerParticipantRound: number;
    readonly downPerParticipantRound: number;
  };
  readonly certificate: Pick<ObservedRow, 'primal' | 'dual' | 'relativeGap' | 'certified'> | null;
  readonly metric: {
    readonly name: MetricName;
    readonly mean: number | null;
    readonly worst: number | null;
    /** When the mean first reached a target; null: never. */
    readonly reached: readonly { readonly target: number; readonly atMs: number | null }[];
  } | null;
  /** What participants reported of their test rows in the last round in which somebody did. */
  readonly tests?: RoundTests;
  /** Under differential privacy: what was agreed on, and what was spent of it. */
  readonly privacy?: { readonly settings: DpSettings; readonly spent: PrivacySpent };
  readonly rejections: Readonly<Record<string, number>>;
  readonly badFrames: number;
  readonly participants: readonly ParticipantSummary[];
}

export interface ParticipantSummary {
  readonly id: string;
  readonly rows: number;
  readonly hardware: number;
  /** Training rounds answered in time. */
  readonly answered: number;
  readonly metric: number | null;
  /** With a defence. */
  readonly contribution?: ContributionSummary;
}

/** What the coordinator thinks of a participant; null: there was nothing to go by. */
export interface ContributionSummary {
  readonly cosine: number | null;
  readonly normRatio: number | null;
  readonly ownShare: number | null;
  /** Rounds in which only a part of its step was taken. */
  readonly shortened: number;
  readonly suspicions: readonly Suspicion[];
}

export interface RunRecord {
  readonly summary: RunSummary;
  readonly rows: readonly ObservedRow[];
  /** Empty unless it was asked for. */
  readonly transcript: readonly TranscriptEntry[];
}

/** The parts of a summary that follow from the last rows alone. */
export function resultOf(
  rows: readonly ObservedRow[],
  targets: readonly number[],
): Pick<RunSummary, 'virtualMs' | 'certificate' | 'metric'> {
  const last = rows.at(-1);
  if (!last) return { virtualMs: 0, certificate: null, metric: null };
  const { primal, dual, relativeGap, certified } = last;
  const { name, mean, worst } = last.metric;
  const reached = targets.map((target) => {
    const first = rows.find((row) => row.metric.mean !== null && row.metric.mean >= target);
    return { target, atMs: first?.atMs ?? null };
  });
  return {
    virtualMs: last.atMs,
    certificate: { primal, dual, relativeGap, certified },
    metric: { name, mean, worst, reached },
  };
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
