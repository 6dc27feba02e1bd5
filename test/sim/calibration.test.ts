import { expect, test } from 'vitest';
import { stream } from '../../src/base/random.ts';
import { drawFigure } from '../../src/charts/draw.ts';
import { calibrationFromText, fitCalibration } from '../../src/sim/calibration.ts';
import { calibrationFigure } from '../../src/sim/figures.ts';

const GRID = [20, 60, 200, 600].flatMap((rows) => [25, 100, 300, 561].map((columns) => ({ rows, columns })));

function times(fixed: number, perRow: number, perValue: number, spread: number) {
  const random = stream(3, 'times');
  return GRID.map(({ rows, columns }) => {
    const mean = fixed + perRow * rows + perValue * rows * columns;
    return { rows, columns, ms: Array.from({ length: 200 }, () => mean * (1 + spread * random.normal())) };
  });
}

test('the fit recovers the constants that times were made from', () => {
  const fit = fitCalibration(times(0.5, 0.002, 4e-5, 0.1));
  // 16 means of 200 times each, known to 0.7%: the terms resemble each other, so each is known less well than that.
  expect(Math.abs(fit.fixedMs / 0.5 - 1)).toBeLessThan(0.03);
  expect(Math.abs(fit.perRowMs / 0.002 - 1)).toBeLessThan(0.1);
  expect(Math.abs(fit.perValueMs / 4e-5 - 1)).toBeLessThan(0.03);
  expect(fit.spread).toBeCloseTo(0.1, 2);
  for (const { residual, deviation } of fit.points) {
    expect(Math.abs(residual)).toBeLessThan(0.03);
    expect(deviation).toBeCloseTo(0.1, 1);
  }
});

test('without noise it is exact, also where a constant is zero', () => {
  for (const [fixed, perRow, perValue] of [
    [1, 0.01, 1e-4],
    [0, 0, 3e-6],
    [2, 0, 0],
    [0, 0.3, 0.001],
  ]) {
    const fit = fitCalibration(times(fixed, perRow, perValue, 0));
    for (const { residual } of fit.points) expect(Math.abs(residual)).toBeLessThan(1e-9);
    expect(fit.spread).toBeLessThan(1e-9);
    expect(Math.min(fit.fixedMs, fit.perRowMs, fit.perValueMs)).toBeGreaterThanOrEqual(0);
  }
});

test('a constant that would be negative is zero, and the others are fitted again', () => {
  const concave = GRID.map(({ rows, columns }) => ({ rows, columns, ms: [Math.sqrt(rows * columns)] }));
  const convex = GRID.map(({ rows, columns }) => ({ rows, columns, ms: [(rows * columns) ** 2 / 1e6] }));
  for (const shape of [concave, convex]) {
    const { fixedMs, perRowMs, perValueMs } = fitCalibration(shape);
    for (const constant of [fixedMs, perRowMs, perValueMs]) expect(constant).toBeGreaterThanOrEqual(0);
    expect(fixedMs + perRowMs + perValueMs).toBeGreaterThan(0);
  }
});

test('a calibration file is read back, and a wrong one refused', () => {
  const fit = fitCalibration(times(0.5, 0.002, 4e-5, 0.1));
  expect(calibrationFromText('c.json', JSON.stringify(fit))).toMatchObject({ spread: fit.spread });
  expect(() => calibrationFromText('c.json', 'x')).toThrow(/^c\.json: expected JSON/);
  expect(() => calibrationFromText('c.json', '{"fixedMs":1}')).toThrow(
    /^c\.json: perValueMs: expected a number/,
  );
  expect(drawFigure(calibrationFigure(fit))).not.toMatch(/NaN|undefined|Infinity/);
});
