/** What a branch brings its parent for the scaling and the agreement: that of all behind it, merged, as if one participant had all their rows. */
import { type ColumnSummary, mergeSummaries } from '../data/column-summary.ts';
import { naturallySorted } from '../data/participants.ts';
import type { ColumnClaim } from '../protocol/agreement.ts';
import type { Moments } from '../protocol/messages.ts';
import { areLabelsAsked, areRowsMeasured, mergedMoments } from './agreement.ts';
import { summaryOf } from './columns.ts';
import type { Member } from './member.ts';
import type { CoordinatorState } from './state.ts';

type Brought = NonNullable<Member['moments']>;

interface Claimed {
  readonly id: string;
  readonly moments: Brought;
}

const NOTHING = new Float64Array(0);

/** Undefined: somebody's part is still missing. */
export function groupMoments(state: CoordinatorState): Moments | undefined {
  const { members, above, nowMs, deadlineMs } = state;
  const brought = naturallySorted(members.keys()).flatMap((id) => {
    const { moments } = members.get(id)!;
    return moments ? [{ id, moments }] : [];
  });
  const meanings = meaningsOf(brought);
  // Under secure aggregation only their sum is known.
  if (state.secure && areRowsMeasured(state)) {
    const summed = above!.moments;
    return summed && { kind: 'moments', ...meanings, target: undefined, ...summed };
  }
  const isAsked = areRowsMeasured(state) || areLabelsAsked(state);
  if (isAsked && brought.length < members.size && nowMs < deadlineMs) return undefined;
  if (isAsked && brought.length === 0) return undefined;
  return { kind: 'moments', ...meanings, ...rowsOf(state, brought) };
}

/** Classes of all, and the positive one that somebody has named: who contradicts it was refused. */
function meaningsOf(brought: readonly Claimed[]): Pick<Moments, 'labels' | 'positive'> {
  const labels = new Set(brought.flatMap(({ moments }) => moments.labels));
  const named = brought.find(({ moments }) => moments.positive !== undefined);
  return { labels: naturallySorted(labels), positive: named?.moments.positive };
}

function rowsOf(
  { features }: CoordinatorState,
  brought: readonly Claimed[],
): Pick<Moments, 'count' | 'mean' | 'm2' | 'target' | 'columns'> {
  const measured = brought.filter(({ moments }) => moments.count > 0);
  if (measured.length === 0) return { count: 0, mean: NOTHING, m2: NOTHING, target: undefined };
  if (!measured.some(({ moments }) => moments.columns)) {
    const { moments } = mergedMoments(measured);
    return { target: undefined, ...moments };
  }
  const columns = measured.map(({ moments }) => summaryOf(moments, features)).reduce(mergeSummaries);
  const targets = measured.map(({ id, moments }) => ({
    id,
    moments: { ...moments, mean: NOTHING, m2: NOTHING },
  }));
  const { moments } = mergedMoments(targets);
  return {
    count: measured.reduce((sum, { moments }) => sum + moments.count, 0),
    mean: Float64Array.from(columns, (column) => (column.kind === 'number' ? column.mean : 0)),
    m2: Float64Array.from(columns, (column) => (column.kind === 'number' ? column.m2 : 0)),
    target: 'target' in moments ? moments.target : undefined,
    columns: columns.map(claimOf),
  };
}

function claimOf(column: ColumnSummary): ColumnClaim {
  const { kind, missing } = column;
  if (kind === 'number') return { kind, missing, levels: [] };
  return { kind, missing, levels: [...column.levels].map(([level, rows]) => ({ level, rows })) };
}
