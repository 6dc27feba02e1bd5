/** What participants report of their test rows, round by round: shown to people, and used for nothing else. */
import { type ReportSums, reportSums } from '../protocol/summed-reports.ts';
import {
  type GroupStatistics,
  type GroupTests,
  type RoundTests,
  TEST_METRIC,
  type TestMetric,
  type TestStatistics,
} from '../protocol/test-reports.ts';
import type { Member } from './member.ts';
import type { CoordinatorState } from './state.ts';

/** Of sums fewer reports are not shown: hardly anybody is hidden by one or two others. */
const LEAST_SUMMED = 3;

/** From single answers. */
export function testsOf({ options }: CoordinatorState, members: readonly Member[]): RoundTests | null {
  const reports = members.flatMap(({ answer }) => answer?.tests ?? []);
  if (reports.length === 0) return null;
  const metric = TEST_METRIC[options.objective];
  const shared = reports.flatMap((report) => report.shared ?? []);
  return {
    metric,
    participants: reports.length,
    own: statisticsOf(
      reports.map(({ own }) => own),
      metric,
    ),
    shared: shared.length === 0 ? null : statisticsOf(shared, metric),
  };
}

function statisticsOf(values: readonly number[], metric: TestMetric): TestStatistics {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const worst = values.reduce((a, b) => (metric === 'rmse' ? Math.max(a, b) : Math.min(a, b)));
  return { mean, spread: Math.sqrt(squares / values.length), worst };
}

/** As a branch sends them on to its parent. */
export function groupTests(tests: RoundTests | null | undefined): GroupTests | undefined {
  if (!tests) return undefined;
  const of = ({ mean, spread, worst }: TestStatistics) => ({ mean, spread, worst: worst ?? undefined });
  return {
    reports: tests.participants,
    own: of(tests.own),
    shared: tests.shared ? of(tests.shared) : undefined,
  };
}

/** From what branches send on. */
export function testsOfGroups({ options }: CoordinatorState, members: readonly Member[]): RoundTests | null {
  const groups = members.flatMap(({ partial }) => partial?.tests ?? []).filter(({ reports }) => reports > 0);
  const metric = TEST_METRIC[options.objective];
  const merged = (key: 'own' | 'shared') => {
    const known = groups.flatMap(({ reports, [key]: one }) => (one ? [{ reports, ...one }] : []));
    return known.length === 0 ? null : mergedStatistics(known, metric);
  };
  const own = merged('own');
  const participants = groups.reduce((sum, { reports }) => sum + reports, 0);
  return own && { metric, participants, own, shared: merged('shared') };
}

function mergedStatistics(
  groups: readonly (GroupStatistics & { readonly reports: number })[],
  metric: TestMetric,
): TestStatistics {
  const all = groups.reduce((sum, { reports }) => sum + reports, 0);
  const mean = groups.reduce((sum, one) => sum + one.reports * one.mean, 0) / all;
  const squares = groups.reduce(
    (sum, one) => sum + one.reports * (one.spread ** 2 + (one.mean - mean) ** 2),
    0,
  );
  const worst = groups
    .map((one) => one.worst)
    .reduce((a, b) => {
      if (a === undefined || b === undefined) return undefined;
      return metric === 'rmse' ? Math.max(a, b) : Math.min(a, b);
    });
  return { mean, spread: Math.sqrt(squares / all), worst: worst ?? null };
}

/** From the end of a secure sum. */
export function testsInSum(
  { options, agreement }: CoordinatorState,
  entries: Float64Array,
  members: number,
): RoundTests | null {
  if (options.dp) return null;
  const { objective, secure } = options;
  const sums = reportSums(entries, members, { objective, secure, target: agreement?.target });
  return sums && sums.reports >= LEAST_SUMMED ? summedTests(TEST_METRIC[objective], sums) : null;
}

function summedTests(metric: TestMetric, { reports, own, shared }: ReportSums): RoundTests {
  return {
    metric,
    participants: reports,
    own: { ...own, worst: null },
    shared: { ...shared, worst: null },
  };
}
