/** A chart on a canvas, by uPlot, with its values in words: a summary for screen readers, and a table for whoever wants the numbers. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import uPlot from 'uplot';
import { IconButton } from './button.tsx';
import { Card } from './card.tsx';
import { useCell } from './cell.ts';
import { alignedData, type ChartContent, chartOptions, structureOf } from './chart-options.ts';
import { elapsedText } from './chart-ticks.ts';
import { count, UNKNOWN } from './format.ts';
import { type Column, Table } from './table.tsx';
import { scheme } from './theme.ts';

interface ChartProps extends ChartContent {
  /** In a sentence: what there is to see. */
  readonly summary: string;
  readonly height?: number;
  /** Charts of one name point at the same x together. */
  readonly sync?: string;
}

export function Chart(props: ChartProps) {
  const { summary, height = 220, sync } = props;
  const shown = useCell(scheme);
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [cursor, setCursor] = useState<number | null>(null);
  const structure = structureOf(props);

  // Made anew only where its structure or the theme has changed.
  useEffect(() => {
    const element = box.current!;
    const size = { width: element.clientWidth, height };
    const onCursor = (index: number | null) => setCursor(index);
    const made = new uPlot(chartOptions(props, size, { sync, onCursor }), alignedData(props), element);
    plot.current = made;
    const observer = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width > 0 && width !== made.width) made.setSize({ width, height });
    });
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [structure, shown, height, sync]);

  const { x, series, bands } = props;
  const data = useRef<uPlot.AlignedData>(undefined);
  // The rest is its structure.
  useEffect(() => {
    const next = alignedData(props);
    if (data.current && plot.current) {
      // A part that somebody has zoomed into stays.
      plot.current.setData(next, !isZoomed(plot.current));
    }
    data.current = next;
  }, [x.values, ...series.map(({ values }) => values), ...(bands ?? []).map(({ low }) => low)]);

  return (
    <div class="chart">
      <Legend {...props} index={cursor} />
      <div class="chart-plot" ref={box} role="img" aria-label={summary} style={{ height: `${height}px` }} />
    </div>
  );
}

function isZoomed({ scales, data: [x] }: uPlot): boolean {
  const { min, max } = scales.x;
  return x.length > 1 && min !== undefined && max !== undefined && (min > x[0] || max < x[x.length - 1]);
}

/** With the values at the cursor, or the last ones. */
function Legend({ x, y, series, bands = [], index }: ChartContent & { readonly index: number | null }) {
  const at = index !== null && index < x.values.length ? index : x.values.length - 1;
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? UNKNOWN : y.format(value);
  // A curve that has ended before the others keeps its last value.
  const shown = (values: readonly (number | null)[]) =>
    text(index === null ? values.findLast((value) => value !== null) : values[at]);
  return (
    <ul class="chart-legend" aria-hidden="true">
      {series.map(({ label, colour, values, shape = 'line' }) => (
        <li key={label}>
          <span class="chart-key" data-shape={shape} style={{ color: `var(--${colour})` }} />
          {label} <b>{shown(values)}</b>
        </li>
      ))}
      {bands.map(({ label, colour, low, high }) => (
        <li key={label}>
          <span class="chart-key" data-shape="band" style={{ color: `var(--${colour})` }} />
          {label}{' '}
          <b>
            {text(low[at])} to {text(high[at])}
          </b>
        </li>
      ))}
      {index !== null && at >= 0 && (
        <li>
          {x.label} <b>{xText(x, at)}</b>
        </li>
      )}
    </ul>
  );
}

function xText({ kind, values }: ChartContent['x'], at: number): string {
  return kind === 'round' ? count(values[at]) : elapsedText(values[at]);
}

interface ChartCardProps extends ChartProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly controls?: ComponentChildren;
  /** In place of the chart, while there is nothing to draw. */
  readonly empty?: ComponentChildren;
  readonly class?: string;
}

/** A chart in a card, or its numbers as a table. */
export function ChartCard({ title, note, controls, empty, class: more, ...chart }: ChartCardProps) {
  const [view, setView] = useState<'chart' | 'table'>('chart');
  const other = view === 'chart' ? 'table' : 'chart';
  const toggle = (
    <IconButton
      icon={other}
      label={`${title}: show as a ${other}`}
      aria-pressed={view === 'table'}
      onClick={() => setView(other)}
    />
  );
  return (
    <Card title={title} note={note} class={more ?? ''} controls={empty ? controls : [controls, toggle]}>
      {empty ?? (view === 'chart' ? <Chart {...chart} /> : <Numbers {...chart} title={title} />)}
    </Card>
  );
}

function Numbers(props: ChartProps & { readonly title: string }) {
  const { x, y, series, bands = [], height = 220, summary, title } = props;
  const parts = [
    ...series,
    ...bands.flatMap(({ label, low, high }) => [
      { label: `${label}, low`, values: low },
      { label: `${label}, high`, values: high },
    ]),
  ];
  const text = (value: number | null) => (value === null ? UNKNOWN : y.format(value));
  const columns: Column<number>[] = [
    { key: 'x', label: x.label, width: '96px', cell: (i) => xText(x, i) },
    ...parts.map(({ label, values }) => ({
      ...{ key: label, label, align: 'end' as const },
      cell: (i: number) => text(values[i]),
    })),
  ];
  // The newest first.
  const rows = x.values.map((_, i) => x.values.length - 1 - i);
  return (
    <div class="chart-table">
      <p class="visually-hidden">{summary}</p>
      <Table
        label={title}
        columns={columns}
        rows={rows}
        keyOf={String}
        maxHeight={`${height + 28}px`}
        minWidth={`${96 + 110 * parts.length}px`}
      />
    </div>
  );
}
