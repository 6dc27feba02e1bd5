import { curveLinear, curveStepAfter } from 'd3-shape';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { curvesCsv } from '../../src/charts/csv.ts';
import { thinned, within } from '../../src/charts/curve.ts';
import { drawFigure } from '../../src/charts/draw.ts';
import { COLOURS, levelColour } from '../../src/charts/figure.ts';
import { lineData } from '../../src/charts/line-panel.ts';
import { scaleOf } from '../../src/charts/scale.ts';
import { idOf } from '../../src/charts/svg.ts';
import { textWidth, wrapped } from '../../src/charts/text-width.ts';
import { badNumbers, fault, idsOf, targetsOf } from './markup.ts';
import { anyFigure, chart, figureOf, linePanel } from './samples.ts';

/** How colours are seen without one kind of cone (Machado, Oliveira and Fernandes 2009, severity 1). */
const SIGHT = {
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

const real = fc.double({ min: -1e9, max: 1e9, noNaN: true });

describe('any figure', () => {
  test('is drawn as well-formed XML without a number that is none, the same each time', () => {
    fc.assert(
      fc.property(anyFigure, (figure) => {
        const svg = drawFigure(figure);
        expect(fault(svg)).toBeUndefined();
        expect(badNumbers(svg)).toEqual([]);
        expect(drawFigure(structuredClone(figure))).toBe(svg);
      }),
      { numRuns: 400 },
    );
  });

  test('points only at ids it has, and has each once', () => {
    fc.assert(
      fc.property(anyFigure, (figure) => {
        const svg = drawFigure(figure);
        const ids = idsOf(svg);
        expect(new Set(ids).size).toBe(ids.length);
        for (const target of targetsOf(svg)) expect(ids).toContain(target);
      }),
    );
  });

  test('survives being stored as JSON', () => {
    fc.assert(
      fc.property(anyFigure, (figure) => {
        const stored = JSON.parse(JSON.stringify(figure));
        expect(badNumbers(drawFigure(stored))).toEqual([]);
      }),
    );
  });
});

describe('scales', () => {
  const scale = fc.constantFrom('linear', 'log');
  const fit = fc.constantFrom('tight', 'padded', 'round');

  test('hold all values, have at least two ticks inside, in order, with different labels', () => {
    fc.assert(
      fc.property(fc.array(real, { minLength: 1 }), scale, fit, (values, kind, fitted) => {
        const found = scaleOf({ title: '', scale: kind }, values, 5, fitted);
        const valid = values.filter((value) => kind === 'linear' || value >= 1e-100);
        expect(found === undefined).toBe(valid.length === 0);
        if (valid.length === 0) return;
        for (const value of valid) {
          expect(found!.place(value)).toBeGreaterThanOrEqual(-1e-6);
          expect(found!.place(value)).toBeLessThanOrEqual(1 + 1e-6);
        }
        const places = found!.ticks.map((tick) => found!.place(tick.value));
        expect(places.length).toBeGreaterThanOrEqual(2);
        expect(places.length).toBeLessThanOrEqual(12);
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(places[0]).toBeGreaterThanOrEqual(-1e-6);
        expect(places.at(-1)).toBeLessThanOrEqual(1 + 1e-6);
        expect(new Set(found!.ticks.map((tick) => tick.label)).size).toBe(places.length);
      }),
      { numRuns: 500 },
    );
  });

  test('write round numbers with no more digits than they need', () => {
    const labels = (low: number, high: number, kind: 'linear' | 'log' = 'linear') =>
      scaleOf({ title: '', scale: kind }, [low, high], 5, 'tight')!.ticks.map((tick) => tick.label);
    expect(labels(0, 0.6)).toEqual(['0', '0.1', '0.2', '0.3', '0.4', '0.5', '0.6']);
    expect(labels(-2, 2)).toEqual(['−2', '−1', '0', '1', '2']);
    expect(labels(0, 2.5e6)).toEqual(['0', '0.5M', '1.0M', '1.5M', '2.0M', '2.5M']);
    expect(labels(0.01, 100, 'log')).toEqual(['0.01', '0.1', '1', '10', '100']);
    expect(labels(1e-6, 1e-2, 'log')).toEqual(['10⁻⁶', '10⁻⁵', '10⁻⁴', '10⁻³', '10⁻²']);
    expect(labels(2, 60, 'log')).toEqual(['2', '5', '10', '20', '50']);
  });

  test('keep the ends that are asked for', () => {
    const found = scaleOf({ title: '', scale: 'linear', low: 0.5, high: 0.93 }, [0, 2], 5, 'round')!;
    expect([found.low, found.high]).toEqual([0.5, 0.93]);
  });
});

describe('thinning', () => {
  const curve = fc.array(fc.record({ x: real, y: real }), { minLength: 2, maxLength: 3000 }).map((points) => {
    const sorted = points.map(({ x }) => Math.abs(x % 500)).sort((a, b) => a - b);
    return points.map(({ y }, i) => ({ x: sorted[i], y, low: y + 2, high: y - 3 }));
  });

  test('leaves no more points than pixels, in order, with both ends, both extremes and the whole band', () => {
    fc.assert(
      fc.property(curve, fc.integer({ min: 40, max: 500 }), (points, width) => {
        const scaled = points.map((point) => ({ ...point, x: (point.x / 500) * width }));
        const kept = thinned(scaled, 0, width);
        expect(kept.length).toBeLessThanOrEqual(Math.max(width, 2));
        const least = (list: readonly number[]) => list.reduce((a, b) => Math.min(a, b));
        const most = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b));
        expect(least(kept.map(({ y }) => y))).toBe(least(scaled.map(({ y }) => y)));
        expect(most(kept.map(({ y }) => y))).toBe(most(scaled.map(({ y }) => y)));
        expect(least(kept.map(({ high }) => high!))).toBe(least(scaled.map(({ high }) => high)));
        expect(kept[0]).toEqual(scaled[0]);
        expect(kept.at(-1)).toEqual(scaled.at(-1));
        for (let i = 1; i < kept.length; i++) expect(kept[i].x).toBeGreaterThanOrEqual(kept[i - 1].x);
      }),
    );
  });

  test('of what lies outside keeps the points from which lines come in', () => {
    const points = [-9, -5, -1, 3, 6, 12, 15, 20].map((x) => ({ x, y: x }));
    expect(within(points, 0, 10).map(({ x }) => x)).toEqual([-1, 3, 6, 12]);
    expect(within([], 0, 10)).toEqual([]);
  });

  test('a hundred thousand points take a few kilobytes', () => {
    const points = Array.from({ length: 100_000 }, (_, x) => ({ x, y: Math.sin(x), low: -1, high: 1 }));
    expect(drawFigure(figureOf(linePanel([{ points }]))).length).toBeLessThan(20_000);
  });
});

describe('drawing', () => {
  test('a path leads to the places it was given, to a tenth of a pixel', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(real, real), { minLength: 1, maxLength: 50 }), (wide) => {
        const places = wide.map(([x, y]) => ({ x: x % 1000, y: y % 1000 }));
        const end = walk(lineData(places, curveLinear));
        expect(Math.abs(end[0] - places.at(-1)!.x)).toBeLessThanOrEqual(0.051);
        expect(Math.abs(end[1] - places.at(-1)!.y)).toBeLessThanOrEqual(0.051);
      }),
    );
  });

  test('steps go across first, then up or down', () => {
    const places = [
      { x: 0, y: 5 },
      { x: 2, y: 5 },
      { x: 3, y: 1 },
      { x: 9, y: 1 },
    ];
    expect(lineData(places, curveStepAfter)).toBe('M0 5h3v-4h6');
  });

  test('curves are cut at the plot; dots outside are left out', () => {
    const points = [0, 1, 2].map((x) => ({ x, y: x }));
    const cut = { low: 0, high: 1.5 };
    expect(drawFigure(figureOf(linePanel([{ points }], cut)))).toContain('clip-path="url(#figure-f_p1)"');
    const dots = drawFigure(figureOf(linePanel([{ points, shape: 'dots', name: '' }], cut)));
    expect(dots.match(/<circle/g)).toHaveLength(2);
  });

  test('without anything to draw it says so', () => {
    const nothing = [{ points: [{ x: Number.NaN, y: 1 }] }];
    expect(drawFigure(figureOf(linePanel(nothing)))).toContain('no data');
    expect(drawFigure(figureOf(linePanel([{ points: [{ x: 0, y: -1 }] }], { scale: 'log' })))).toContain(
      'no data',
    );
    expect(drawFigure(figureOf({ kind: 'svg', title: '', svg: 'none' }))).toContain('no data');
    expect(drawFigure(figureOf({ kind: 'vectors', title: '', arrows: [] }))).toContain('no data');
    expect(
      drawFigure(figureOf({ kind: 'bars', title: '', y: { title: '', scale: 'linear' }, groups: [] })),
    ).toContain('no data');
  });

  test('bars across begin at zero, as long as their values, whatever the number of rows', () => {
    const rows = [-2, 4, 0].map((value, r) => ({
      name: `row ${r}`,
      bars: [{ name: 'kappa', colour: 'red', value }],
      mark: value,
    }));
    const panel = {
      kind: 'across',
      title: '',
      x: { title: '', scale: 'linear' },
      rows,
      markName: 'sum',
    } as const;
    const svg = drawFigure(figureOf(panel));
    const bars = [...svg.matchAll(/<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]* fill="red"/g)]
      .map(([, x, width]) => ({ from: Number(x), to: Number(x) + Number(width) }))
      // The legend's.
      .slice(1);
    expect(bars).toHaveLength(3);
    const [negative, positive, none] = bars;
    expect(negative.to).toBeCloseTo(positive.from, 1);
    expect((positive.to - positive.from) / (negative.to - negative.from)).toBeCloseTo(2, 1);
    expect(none.to - none.from).toBe(0);
    const height = (count: number) =>
      Number(
        /viewBox="0 0 \S+ (\S+)"/.exec(
          drawFigure(figureOf({ ...panel, rows: Array(count).fill(rows[0]) })),
        )![1],
      );
    expect(height(30) - height(20)).toBe(height(20) - height(10));
    expect(drawFigure(figureOf({ ...panel, rows: [] }))).toContain('no data');
  });

  test('the legend names each look once, whatever the number of panels', () => {
    const panel = linePanel([{ name: 'kappa' }, { name: 'lambda' }, { name: 'lambda', dash: '2 2' }]);
    const svg = drawFigure(figureOf(panel, panel));
    expect(svg.match(/>kappa</g)).toHaveLength(1);
    expect(svg.match(/>lambda</g)).toHaveLength(2);
  });

  test('an embedded document keeps its ids and its style to itself', () => {
    const panel = { kind: 'svg', title: '', svg: chart() } as const;
    const svg = drawFigure(figureOf(panel, panel));
    expect(svg).toContain('#figure-f_p2 text,#figure-f_p2 .a{fill:red}');
    expect(idsOf(svg)).toEqual(['figure-f_p1', 'figure-f_p1-m', 'figure-f_p2', 'figure-f_p2-m']);
  });
});

describe('words', () => {
  test('wrapped lines fit, and lose nothing while there are lines left', () => {
    fc.assert(
      fc.property(fc.lorem({ maxCount: 30 }), fc.integer({ min: 100, max: 600 }), (text, width) => {
        const lines = wrapped(text, width, 12, 99);
        for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(width);
        expect(lines.join(' ')).toBe(text.split(/\s+/).join(' '));
        expect(wrapped(text, width, 12, 2).length).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('different texts give different ids', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(idOf(a)).toMatch(/^[\w-]*$/);
        expect(idOf(a) === idOf(b)).toBe(a === b);
      }),
    );
    expect(idOf('_61_')).not.toBe(idOf('a'));
  });
});

describe('colours', () => {
  test('of methods differ in lightness: grey print keeps them apart', () => {
    const greys = Object.values(COLOURS)
      .map(lightness)
      .sort((a, b) => a - b);
    for (let i = 1; i < greys.length; i++) expect(greys[i] - greys[i - 1]).toBeGreaterThan(8);
  });

  test.each(Object.entries(SIGHT))('of methods are told apart by %s sight', (_, sight) => {
    const seen = Object.values(COLOURS).map((colour) => lab(seenBy(sight, linear(colour))));
    for (const [i, a] of seen.entries())
      for (const b of seen.slice(i + 1)) expect(Math.hypot(...a.map((v, c) => v - b[c]))).toBeGreaterThan(18);
  });

  test('of levels get lighter, and stay darker than the paper', () => {
    for (const n of [2, 5, 11]) {
      const greys = Array.from({ length: n }, (_, i) => lightness(levelColour(i, n)));
      for (let i = 1; i < n; i++) expect(greys[i]).toBeGreaterThan(greys[i - 1]);
      expect(greys.at(-1)).toBeLessThan(80);
    }
    for (const [i, n] of [
      [0, 1],
      [9, 3],
      [-1, 3],
      [Number.NaN, 3],
    ])
      expect(levelColour(i, n)).toMatch(/^#[0-9a-f]{6}$/);
  });
});

describe('CSV', () => {
  test('every number comes back as it was, every text too', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 20 }),
        fc.array(fc.record({ x: real, y: fc.double() })),
        (name, points) => {
          const rows = parse(curvesCsv(figureOf(linePanel([{ name, points }]))));
          expect(rows[0]).toEqual(['figure', 'panel', 'series', 'x', 'y', 'low', 'high']);
          expect(rows).toHaveLength(points.length + 1);
          for (const [i, { x, y }] of points.entries()) {
            expect(rows[i + 1].slice(0, 3)).toEqual(['f', 'panel', name]);
            expect(Number(rows[i + 1][3])).toBe(x === 0 ? 0 : x);
            expect(rows[i + 1][4]).toBe(Number.isFinite(y) ? String(y) : '');
          }
        },
      ),
    );
  });
});

/** Where a path of relative moves ends. */
function walk(d: string): [number, number] {
  let [x, y] = [0, 0];
  for (const [, letter, rest] of d.matchAll(/([Mlhv])([^Mlhvz]*)/g)) {
    const numbers = (rest.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    if (letter === 'M') [x, y] = numbers;
    else if (letter === 'h') x += numbers[0];
    else if (letter === 'v') y += numbers[0];
    else [x, y] = [x + numbers[0], y + numbers[1]];
  }
  return [x, y];
}

function linear(colour: string): number[] {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

const times = (matrix: readonly (readonly number[])[], v: readonly number[]) =>
  matrix.map((row) => row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);

function seenBy(sight: readonly (readonly number[])[], colour: readonly number[]): number[] {
  return times(sight, colour).map((value) => Math.min(1, Math.max(0, value)));
}

/** CIE Lab under D65. */
function lab(rgb: readonly number[]): number[] {
  const xyz = times(
    [
      [0.4124, 0.3576, 0.1805],
      [0.2126, 0.7152, 0.0722],
      [0.0193, 0.1192, 0.9505],
    ],
    rgb,
  );
  const [x, y, z] = [xyz[0] / 0.9505, xyz[1], xyz[2] / 1.089].map((t) =>
    t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116,
  );
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function lightness(colour: string): number {
  return lab(linear(colour))[0];
}

/** RFC 4180. */
function parse(csv: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, end] of csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows;
}
