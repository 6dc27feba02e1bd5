import { describe, expect, test } from 'vitest';
import { drawFigure } from '../../src/charts/draw.ts';
import { train } from '../../src/methods/train.ts';
import { curveFigure } from '../../src/sim/figures.ts';
import { csvLines, jsonLines } from '../../src/sim/observe.ts';
import { runScenario } from '../../src/sim/run.ts';
import { parseScenario, type ScenarioInput } from '../../src/sim/scenario.ts';
import { computeModel, generatedTable } from '../../src/sim/scenario-plan.ts';
import { arrowsOf, barsOf, windowOf } from '../../src/sim/sequence.ts';
import { sequenceChart } from '../../src/sim/sequence-chart.ts';

const small = { generator: 'har', participants: 3, rows: 30, features: 8 } as const;

function run(given: ScenarioInput, seed = 1) {
  const scenario = parseScenario('s.json', { data: small, ...given });
  const table = generatedTable(scenario)!;
  const inputs = { source: 's.json', table, compute: computeModel(scenario) };
  return { ...runScenario(scenario, inputs, { seed, transcript: 'on' }), table };
}

const faulty: ScenarioInput = {
  passes: 5,
  link: { delayMs: 5, jitterMs: 5, loss: 0.1, duplicate: 0.1 },
  crashes: [{ node: '2', step: 6, afterEffects: 1, downMs: 50 }],
  rounds: 10,
  gap: 0.05,
};

describe('rows', () => {
  test('are the same bytes for the same seed, and others for another', () => {
    const bytes = (seed: number) => [...jsonLines(run(faulty, seed).rows)].join('');
    expect(bytes(1)).toBe(bytes(1));
    expect(bytes(1)).not.toBe(bytes(2));
  });

  test('end with what the in-process trainer comes to', () => {
    const { rows, table } = run({ gap: 1e-4 });
    const result = train(table, { gap: 1e-4 });
    const last = rows.at(-1)!;
    expect(last).toMatchObject({ outcome: 'final', certified: true, responders: 3, active: 3 });
    expect(last.primal).toBeCloseTo(result.certificate!.primal, 9);
    expect(last.metric.mean).toBeCloseTo(result.mean.balancedAccuracy!, 12);
    for (const { id, balancedAccuracy } of result.participants)
      expect(last.metric.participants[id]).toBeCloseTo(balancedAccuracy!, 12);
  });

  test('measure R2 for regression', () => {
    const data = { generator: 'regression', participants: 3, rows: 30, features: 4 } as const;
    const { rows } = run({ data, c1: 10 });
    expect(rows.at(-1)!.metric.name).toBe('r2');
    expect(rows.at(-1)!.metric.mean).toBeGreaterThan(0.5);
  });

  test('count a participant from its joining until it is forgotten', () => {
    const { rows } = run({
      passes: 5,
      gap: 0,
      rounds: 40,
      startMs: { 3: 30 },
      deeds: [
        { atMs: 60, kind: 'leave', participant: '1' },
        { atMs: 80, kind: 'forget', participant: '1' },
      ],
    });
    const there = rows.map((row) => Object.keys(row.metric.participants).join(''));
    expect([...new Set(there)]).toEqual(['12', '123', '23']);
  });

  test('without test rows have no metric', () => {
    const { rows, summary } = run({ testFraction: 0 });
    expect(rows[0].metric).toEqual({ name: 'balancedAccuracy', mean: null, worst: null, participants: {} });
    expect(summary.metric?.mean).toBe(null);
    expect([...csvLines(rows, ['1'])][1]).toMatch(/,true,,,\n$/);
  });

  test('as CSV', () => {
    const { rows, table } = run({ rounds: 2, gap: 0, passes: 4, compute: { spread: 0 } });
    const rounded = rows.map((row) => ({ ...row, primal: 0, dual: 0, relativeGap: 0 }));
    const lines = [...csvLines(rounded, table.participants)].map((line) =>
      line.split(',').slice(0, 13).join(','),
    );
    expect(lines).toMatchInlineSnapshot(`
      [
        "seed,atMs,round,purpose,outcome,responders,active,bytesUp,bytesDown,primal,dual,relativeGap,certified",
        "1,4.03024,1,train,aggregated,3,3,1116,2805,0,0,0,true",
        "1,8.06048,2,train,aggregated,3,3,1572,3231,0,0,0,true",
      ]
    `);
  });

  test('quote ids with commas in the header', () => {
    expect([...csvLines([], ['a,b'])][0]).toMatch(/,"metric a,b"\n$/);
  });
});

describe('the message sequence chart', () => {
  test('has an arrow for each message, and shows its outcome', () => {
    const { transcript } = run(faulty);
    const arrows = arrowsOf(transcript);
    const count = (kind: string) => transcript.filter((entry) => entry.kind === kind).length;
    expect(arrows.filter(({ delivered }) => delivered !== undefined)).toHaveLength(count('delivered'));
    expect(new Set(arrows.map(({ sent }) => sent)).size).toBe(count('sent'));
    expect(new Set(arrows.map(({ fate }) => fate))).toEqual(new Set(['taken', 'late', 'lost']));
    for (const { sent, delivered } of arrows) expect(delivered ?? sent + 1).toBeGreaterThan(sent);
  });

  test('has a bar for each solve', () => {
    const { transcript } = run({ passes: 4, rounds: 3, gap: 0 });
    const bars = barsOf(transcript, { first: 0, end: transcript.length });
    // Three rounds of three: an answered query needs no second check.
    expect(bars).toHaveLength(3 * 3);
    expect(bars.every(({ end }) => end === 'answered')).toBe(true);
  });

  test('shows the wanted rounds and no others', () => {
    const { transcript } = run({ passes: 4, rounds: 5, gap: 0 });
    const { first, end } = windowOf(transcript, { from: 2, to: 3 });
    const rounds = new Set(transcript.slice(first, end).map((entry) => entry.about?.round));
    expect(rounds).toEqual(new Set([2, 3]));
    expect(windowOf(transcript, { from: 0, to: 99 })).toEqual({ first: 0, end: transcript.length });
    expect(windowOf(transcript, { from: 50, to: 99 }).first).toBe(transcript.length);
  });

  test('is SVG that says so, and escapes names', () => {
    const { transcript } = run(faulty);
    const chart = sequenceChart('a < b & "c"', transcript, ['1', '2', '3'], { from: 0, to: 4 });
    expect(chart).toMatch(/^<svg xmlns=/);
    expect(chart).toContain('<title>a &lt; b &amp; &quot;c&quot;</title>');
    expect(chart).toContain('crashes');
    expect(chart).not.toMatch(/NaN|undefined|Infinity/);
    expect(sequenceChart('none', transcript, ['1'], { from: 900, to: 901 })).not.toMatch(/NaN/);
  });

  test('of one round', () => {
    const { transcript } = run({ passes: 2, rounds: 1, gap: 0, compute: { spread: 0 } });
    const chart = sequenceChart('one round', transcript, ['1', '2', '3'], { from: 1, to: 1 });
    const words = [...chart.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map((match) => match[1]);
    expect(words).toMatchInlineSnapshot(`
      [
        "one round",
        "message",
        "late or duplicate: acknowledged, not used",
        "lost",
        "solve",
        "solve interrupted",
        "round 1",
        "coordinator",
        "1",
        "2",
        "3",
        "time, ms",
        "0.0",
        "2.0",
        "2.0",
        "round 1",
        "round 1",
        "round 1",
        "answer 1",
        "answer 1",
        "answer 1",
        "finish (rounds)",
        "finish (rounds)",
        "finish (rounds)",
      ]
    `);
  });
});

test('the curve is drawn with and without a metric', () => {
  const records = [1, 2].map((seed) => run({ rounds: 3, gap: 0 }, seed));
  const chart = drawFigure(curveFigure('two seeds', records));
  expect(chart.match(/<path class="kc-(line|band)"/g)).toHaveLength(4);
  expect(chart).not.toMatch(/NaN|undefined|Infinity/);
  expect(drawFigure(curveFigure('none', [run({ rounds: 1, testFraction: 0 })]))).toContain('No test rows');
});
