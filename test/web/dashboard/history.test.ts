import { describe, expect, test } from 'vitest';
import { gapCurve, metricCurve, overlaid } from '../../../src/web/dashboard/data/curves.ts';
import { drawn, History, type RoundPoint } from '../../../src/web/dashboard/data/history.ts';

function point(round: number, changes: Partial<RoundPoint> = {}): RoundPoint {
  return {
    ...{ round, closedMs: 1000 * round, outcome: 'aggregated', purpose: 'train', gap: 1 / round },
    ...{ responders: 2, missing: 0, epsilon: null, tests: null, woken: false },
    ...changes,
  };
}

function historyOf(...points: readonly RoundPoint[]): History {
  const history = new History();
  for (const one of points) history.add(one);
  return history;
}

const tests = (mean: number, worst: number | null = mean - 0.2) => ({
  ...{ metric: 'balancedAccuracy' as const, participants: 3 },
  own: { mean, spread: 0.1, worst },
  shared: { mean: mean - 0.1, spread: 0.1, worst },
});

describe('a history', () => {
  test('takes no round twice, and none that is older', () => {
    const history = historyOf(point(1), point(2));
    expect([history.add(point(2)), history.add(point(1)), history.add(point(3))]).toEqual([
      false,
      false,
      true,
    ]);
    expect(history.rounds).toBe(3);
    expect(history.last?.round).toBe(3);
  });

  test('has a run for each time that training woke', () => {
    const { runs } = historyOf(
      point(1),
      point(2, { outcome: 'final' }),
      point(3),
      point(4),
      point(5, { woken: true }),
    );
    expect(runs.map(({ number, points }) => [number, points.map(({ round }) => round)])).toEqual([
      [1, [1, 2]],
      [2, [3, 4]],
      [3, [5]],
    ]);
  });

  test('is drawn with its first and last round, however long it is, and does not shift as it grows', () => {
    const points = Array.from({ length: 5000 }, (_, i) => point(i + 1));
    const shown = drawn(points, 1000);
    expect(shown.length).toBeLessThanOrEqual(1001);
    expect([shown[0].round, shown.at(-1)?.round]).toEqual([1, 5000]);
    const later = drawn([...points, point(5001)], 1000);
    expect(later.slice(0, shown.length - 1)).toEqual(shown.slice(0, -1));
  });
});

describe('curves', () => {
  test('over time begin at the first round', () => {
    const [run] = historyOf(point(4), point(6)).runs;
    expect(gapCurve(run, 'elapsed').x.values).toEqual([0, 2]);
    expect(gapCurve(run, 'round').x.values).toEqual([4, 6]);
  });

  test('of metrics have rounds with reports only; the spread of a share stays within 0 and 1', () => {
    const [run] = historyOf(point(1), point(2, { tests: tests(0.95) }), point(3, { tests: tests(0.5) })).runs;
    const { metric, x, series, bands } = metricCurve(run, 'round');
    expect(metric).toBe('balancedAccuracy');
    expect(x.values).toEqual([2, 3]);
    expect(series.map(({ label }) => label)).toEqual(['Own models', 'Shared model', 'Worst']);
    expect(bands[0].high).toEqual([1, 0.6]);
  });

  test('of sums have no worst', () => {
    const [run] = historyOf(point(1, { tests: tests(0.9, null) })).runs;
    expect(metricCurve(run, 'round').series.map(({ label }) => label)).toEqual([
      'Own models',
      'Shared model',
    ]);
  });

  test('of several runs start at 1, hold between their points, and end where they end', () => {
    const [first] = historyOf(point(1), point(2)).runs;
    const [second] = historyOf(point(7), point(9), point(10)).runs;
    const { x, series } = overlaid(
      [
        { label: 'a', run: first },
        { label: 'b', run: second },
      ],
      'round',
      'gap',
    );
    expect(x.values).toEqual([1, 2, 3, 4]);
    expect(series[0].values).toEqual([1, 1 / 2, null, null]);
    expect(series[1].values).toEqual([1 / 7, 1 / 7, 1 / 9, 1 / 10]);
  });
});
