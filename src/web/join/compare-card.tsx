/** One's own model, the shared one and training alone, round by round. */
import { useMemo } from 'preact/hooks';
import { ChartCard } from '../shared/chart.tsx';
import type { ChartSeries, ChartY } from '../shared/chart-options.ts';
import { Empty } from '../shared/empty.tsx';
import { count } from '../shared/format.ts';
import type { Alone } from './compare.ts';
import type { History } from './saved.ts';
import { METRIC_NAMES, scoreText } from './scores.ts';

interface CompareProps {
  readonly history: History | undefined;
  readonly alone: Alone | undefined;
  readonly testRows: number;
}

const NO_HISTORY: History = { metric: 'balancedAccuracy', rounds: [], own: [], shared: [] };

export function CompareCard({ history = NO_HISTORY, alone, testRows }: CompareProps) {
  const { metric, rounds, own, shared } = history;
  const level = alone?.type === 'measured' ? (alone.value ?? null) : null;
  const flat = useMemo(() => rounds.map(() => level), [rounds, level]);
  const y: ChartY = {
    scale: 'linear',
    format: (value) => scoreText(metric, value),
    ...(metric === 'balancedAccuracy' && { most: 1 }),
  };
  const series: ChartSeries[] = [
    { label: 'Your model', colour: 'series-1', values: own },
    { label: 'Shared model', colour: 'series-2', values: shared },
    { label: 'Training alone', colour: 'series-3', values: flat, shape: 'dash' },
  ];
  return (
    <ChartCard
      title="How the models do"
      note={testRows > 0 ? `${METRIC_NAMES[metric]} on ${count(testRows)} test rows` : undefined}
      x={{ label: 'Round', values: rounds, kind: 'round' }}
      y={y}
      series={series}
      summary={summaryOf(history, level)}
      {...(rounds.length === 0 && { empty: <Nothing testRows={testRows} /> })}
    />
  );
}

function Nothing({ testRows }: { readonly testRows: number }) {
  return testRows === 0 ? (
    <Empty compact icon="chart" title="Nothing to compare on">
      <p>You have too few rows to keep some for testing. Your model is trained all the same.</p>
    </Empty>
  ) : (
    <Empty compact icon="chart" title="Nothing learnt yet">
      <p>Each round adds a point: your model, the one that all share, and what your rows alone would give.</p>
    </Empty>
  );
}

function summaryOf({ metric, rounds, own, shared }: History, alone: number | null): string {
  if (rounds.length === 0) return 'Nothing yet.';
  const last = rounds.length - 1;
  const text = (value: number | null) => (value === null ? 'unknown' : scoreText(metric, value));
  return `${METRIC_NAMES[metric]} over ${rounds.length} rounds. In round ${rounds[last]} your model has ${text(own[last])}, the shared model ${text(shared[last])}, training alone ${text(alone)}.`;
}
