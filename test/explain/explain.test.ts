/** Explanations add up: weights to weights, contributions to decisions; and figures hold what they say. */
import { describe, expect, test } from 'vitest';
import { drawFigure } from '../../src/charts/draw.ts';
import { explain } from '../../src/explain/explain.ts';
import { explainRow } from '../../src/explain/explain-row.ts';
import { modelFigure, participantFigure, rowFigure } from '../../src/explain/figures.ts';
import { leadingPart } from '../../src/explain/leading.ts';
import { predict } from '../../src/methods/predict.ts';
import { norm, plusScaled } from '../../src/solver/vector.ts';
import { everyKind, expectClose, PARTICIPANTS, randomModel, randomRows } from '../export/models.ts';

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

describe.each([...everyKind()])('$kind, scaling $scale, bias $bias', (wanted) => {
  const model = randomModel(wanted);
  const rows = randomRows(400 + wanted.seed, 30);
  const predictions = predict(model, rows);

  test('base and contributions of a row add up to its decision, of many classes to the lead over the runner-up', () => {
    for (const { row, participant, prediction, decision, decisions } of predictions) {
      const explained = explainRow(model, rows, row);
      const [first, second] = [...(decisions ?? [])].sort((a, b) => b - a);
      const expected = decisions ? first - second : decision;
      expectClose(explained.decision, expected);
      expectClose(
        explained.base + sum(explained.contributions.map(({ contribution }) => contribution)),
        expected,
      );
      for (const { contribution, shared, personal } of explained.contributions)
        expectClose(shared + personal, contribution);
      expect(explained).toMatchObject({
        participant,
        prediction,
        personalised: model.personal.has(participant),
      });
      if (decisions) expect(explained.for).toBe(prediction);
      if (!explained.personalised)
        expect(explained.contributions.every(({ personal }) => personal === 0)).toBe(true);
    }
    expect(predictions.some(({ participant }) => !model.personal.has(participant))).toBe(true);
  });

  test('the leading contributions and all the others add up to the same', () => {
    const explained = explainRow(model, rows, 3);
    const { shown, others } = leadingPart(explained, 2);
    expect(others?.count).toBe(model.features.length - 2);
    const parts = [...shown, others!].map(({ contribution }) => contribution);
    expectClose(explained.base + sum(parts), explained.decision);
    const sizes = explained.contributions.map(({ contribution }) => Math.abs(contribution));
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
  });

  test('a weight is what the decision changes by when the feature rises by one standard deviation', () => {
    const { unit, heads, participants } = explain(model, rows);
    expect(unit).toBe('standard deviation');
    const ada = participants.find(({ id }) => id === 'Ada')!;
    for (const [h, { features }] of ada.heads.entries()) {
      expect(heads[h].features.length).toBe(model.features.length);
      for (const { feature, shared, personal } of features) {
        const j = model.features.indexOf(feature);
        const std = wanted.scale === 'standard' ? stdOf(randomRows(wanted.seed).x, j) : stdOf(rows.x, j);
        const at = (x: readonly number[]) => {
          const [{ decision, decisions = [decision] }] = predict(model, [x], 'Ada');
          return decisions[h];
        };
        const here = [...rows.x.subarray(0, model.features.length)];
        const moved = here.map((value, i) => (i === j ? value + std : value));
        expect(Math.abs(at(moved) - at(here) - (shared + personal))).toBeLessThan(1e-6 * Math.max(1, std));
      }
    }
  });

  test('the personal share is |v| / |w + v|, and the range holds every own weight', () => {
    const { heads, participants } = explain(model, rows);
    expect(participants.map(({ id }) => id)).toEqual(PARTICIPANTS);
    for (const { id, personalShare, heads: own } of participants) {
      const v = model.personal.get(id)!;
      expectClose(personalShare, norm(v) / norm(plusScaled(model.w, 1, v)));
      for (const [h, { features }] of own.entries())
        for (const { feature, shared, personal } of features) {
          const range = heads[h].features.find((each) => each.feature === feature)!;
          expect(range.shared).toBe(shared);
          expect(shared + personal).toBeGreaterThanOrEqual(range.low);
          expect(shared + personal).toBeLessThanOrEqual(range.high);
        }
    }
  });

  test('figures draw the features that were asked for', () => {
    const explanation = explain(model, rows);
    const [first] = explanation.participants;
    for (const figure of [
      modelFigure(explanation, 2),
      participantFigure(explanation, first, 2),
      rowFigure(explainRow(model, rows, 1), 2),
    ]) {
      const svg = drawFigure(figure);
      expect(svg).toMatch(/^<svg[\s\S]*<\/svg>\n$/);
      expect(svg).not.toMatch(/NaN|Infinity|no data/);
      expect(drawFigure(figure)).toBe(svg);
    }
  });
});

function stdOf(x: Float64Array, j: number): number {
  const column = [...x].filter((_, at) => at % 6 === j);
  const mean = sum(column) / column.length;
  return Math.sqrt(sum(column.map((value) => (value - mean) ** 2)) / column.length);
}

test('without rows a model under center or none does not know how much features vary', () => {
  const wanted = { kind: 'two classes', bias: true, seed: 1 } as const;
  expect(explain(randomModel({ ...wanted, scale: 'center' })).unit).toBe('scaled unit');
  expect(explain(randomModel({ ...wanted, scale: 'standard' })).unit).toBe('standard deviation');
});

test('what a linear function cannot express is refused', () => {
  const model = {
    ...randomModel({ kind: 'regression', scale: 'standard', bias: true, seed: 4 }),
    warp: { seed: 1 },
  };
  expect(() => explain(model)).toThrow(/"warp", which explain cannot express/);
  expect(() => explainRow(model, randomRows(9, 10), 1)).toThrow(/"warp"/);
});

test('features are found by name, and rows that there are not are refused', () => {
  const model = randomModel({ kind: 'regression', scale: 'standard', bias: true, seed: 4 });
  const rows = randomRows(9, 10);
  const turned = {
    ...rows,
    features: [...rows.features].reverse(),
    x: Float64Array.from(rows.x, (_, at) => rows.x[at - (at % 6) + 5 - (at % 6)]),
  };
  expect(explainRow(model, turned, 2)).toEqual(explainRow(model, rows, 2));
  for (const row of [0, 11, 1.5])
    expect(() => explainRow(model, rows, row)).toThrow(/a row from 1 to 10, got/);
});
