/** Figures of any kind and content, good and bad. */
import fc from 'fast-check';
import type { Axis, Figure, LinePanel, Panel, Series } from '../../src/charts/figure.ts';

const anyNumber = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: -10, max: 1000, noNaN: true }) },
  { weight: 2, arbitrary: fc.double() },
  {
    weight: 1,
    arbitrary: fc.constantFrom(0, -0, Number.NaN, Number.POSITIVE_INFINITY, -1e308, 1e308, 5e-324, 1e16),
  },
);
const maybe = fc.option(anyNumber, { nil: undefined });
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom('', 'a <b> & "c" | d', 'one two three four five six seven eight nine ten eleven twelve'),
);
const colour = fc.constantFrom('#14539a', 'red', '"><script>');
const dash = fc.constantFrom(undefined, '4 2');
const axis: fc.Arbitrary<Axis> = fc.record({
  title: words,
  scale: fc.constantFrom('linear', 'log'),
  low: maybe,
  high: maybe,
});
const point = fc.record({ x: anyNumber, y: anyNumber, low: maybe, high: maybe });
const series: fc.Arbitrary<Series> = fc.record({
  name: words,
  colour,
  dash,
  points: fc.array(point, { maxLength: 40 }),
  shape: fc.constantFrom('line', 'steps', 'dots'),
});
const place = fc.tuple(anyNumber, anyNumber);
const bar = fc.record({ name: words, colour, value: anyNumber, low: maybe, high: maybe });
const group = fc.record({ name: words, bars: fc.array(bar, { maxLength: 4 }) });

const cell = fc.record({
  value: anyNumber,
  colour,
  strength: anyNumber,
  lines: fc.array(words, { maxLength: 3 }),
});

const kinds: fc.Arbitrary<Panel>[] = [
  fc.record({
    kind: fc.constant('lines'),
    title: words,
    x: axis,
    y: axis,
    series: fc.array(series, { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('bars'), title: words, y: axis, groups: fc.array(group, { maxLength: 5 }) }),
  fc.record({
    kind: fc.constant('across'),
    title: words,
    x: axis,
    rows: fc.array(fc.record({ name: words, bars: fc.array(bar, { maxLength: 3 }), mark: maybe }), {
      maxLength: 6,
    }),
    markName: fc.option(words, { nil: undefined }),
  }),
  fc.record({
    kind: fc.constant('vectors'),
    title: words,
    arrows: fc.array(fc.record({ from: place, to: place, colour, name: words, dash }), { maxLength: 4 }),
  }),
  fc.record({
    kind: fc.constant('heat'),
    title: words,
    rows: fc.record({ title: words, names: fc.array(words, { maxLength: 4 }) }),
    columns: fc.record({ title: words, names: fc.array(words, { maxLength: 4 }) }),
    cells: fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 5 }),
  }),
  fc.record({
    kind: fc.constant('svg'),
    title: words,
    svg: fc.constantFrom('', 'no <svg', chart(), '<svg width="9"/>'),
  }),
];

export const anyFigure: fc.Arbitrary<Figure> = fc.record({
  id: words,
  title: words,
  caption: words,
  panels: fc.array(fc.oneof(...kinds), { maxLength: 4 }),
  columns: fc.constantFrom(1, 2, 3),
  spread: fc.option(words, { nil: undefined }),
});

/** A drawn document with ids and a style sheet that would reach beyond it. */
export function chart(): string {
  return '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40" viewBox="0 0 90 40"><style>text,.a{fill:red}</style><marker id="m"/><line class="a" marker-end="url(#m)"/></svg>';
}

export function linePanel(lines: Partial<Series>[], y: Partial<Axis> = {}): LinePanel {
  return {
    kind: 'lines',
    title: 'panel',
    x: { title: 'time, s', scale: 'linear' },
    y: { title: 'value', scale: 'linear', ...y },
    series: lines.map((line) => ({ name: 'curve', colour: '#14539a', shape: 'line', points: [], ...line })),
  };
}

export function figureOf(...panels: Panel[]): Figure {
  return { id: 'f', title: 'title', caption: 'caption', columns: 2, panels };
}
