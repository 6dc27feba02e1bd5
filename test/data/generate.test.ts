import { describe, expect, test } from 'vitest';
import { makeHarLike, makeHarPerson } from '../../src/data/generate-har.ts';
import { makeRegression, type RegressionOptions } from '../../src/data/generate-regression.ts';
import { makeRings } from '../../src/data/generate-rings.ts';
import { rowsOfParticipant } from '../../src/data/participants.ts';
import type { Table } from '../../src/data/table.ts';
import { refused } from './helpers.ts';

function rowsOf(table: Table, k: number): number[] {
  return Array.from(table.participantOf, (p, i) => (p === k ? i : -1)).filter((i) => i >= 0);
}

describe('makeHarLike', () => {
  test('has the shape of UCI HAR', () => {
    const table = makeHarLike({ participants: 8 });
    expect(table.features).toHaveLength(561);
    expect(table.participants).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
    for (let k = 0; k < 8; k++) {
      const rows = rowsOf(table, k);
      expect(rows.length).toBeGreaterThanOrEqual(281);
      expect(rows.length).toBeLessThanOrEqual(409);
      const sitting = rows.filter((i) => table.targets![i] === '1').length / rows.length;
      expect(sitting).toBeGreaterThan(0.08);
      expect(sitting).toBeLessThan(0.3);
    }
    expect(table.x.length).toBe(table.n * 561);
    expect(table.x.every((value) => value >= -1 && value <= 1)).toBe(true);
    expect(new Set(table.targets)).toEqual(new Set(['1', '-1']));
  });

  test('is made from its seed, and a person is the same among few and many', () => {
    const options = { participants: 3, rowsPerParticipant: 20, features: 30 };
    const table = makeHarLike({ ...options, seed: 5 });
    expect(makeHarLike({ ...options, seed: 5 })).toEqual(table);
    expect(makeHarLike({ ...options, seed: 6 }).x).not.toEqual(table.x);
    const more = makeHarLike({ ...options, participants: 4, seed: 5 });
    expect(more.x.subarray(0, table.x.length)).toEqual(table.x);
    expect(more.targets!.slice(0, table.n)).toEqual(table.targets);
  });

  test('one person alone has the rows that it has among others', () => {
    const options = { rowsPerParticipant: 20, features: 30, seed: 5, target: 'activity' } as const;
    const table = makeHarLike({ ...options, participants: 4 });
    for (const id of table.participants)
      expect(makeHarPerson(Number(id), options)).toEqual(rowsOfParticipant(table, id));
  });

  test('has correlated features', () => {
    const table = makeHarLike({ participants: 2, features: 60 });
    let strong = 0;
    for (let a = 0; a < 60; a++)
      for (let b = 0; b < a; b++) if (Math.abs(correlation(table, a, b)) > 0.5) strong++;
    expect(strong).toBeGreaterThan(100);
  });

  test('refuses to make nothing', async () => {
    await refused(() => makeHarLike({ participants: 0 }), 'GENERATOR_OPTION', 'participants', '0');
    await refused(() => makeHarLike({ features: 1.5 }), 'GENERATOR_OPTION', 'features', '1.5');
    await refused(() => makeHarPerson(0), 'GENERATOR_OPTION', 'person', '0');
  });
});

describe('makeRings', () => {
  test('has a ring of each class around a centre of its own', () => {
    const table = makeRings({ participants: 12, rows: 400, features: 3 });
    const radii = table.participants.map((_, k) => {
      const rows = rowsOf(table, k);
      const centre = [0, 1, 2].map((j) => mean(rows.map((i) => table.x[3 * i + j])));
      const radius = (label: string) =>
        mean(
          rows
            .filter((i) => table.targets![i] === label)
            .map((i) => Math.hypot(...centre.map((c, j) => table.x[3 * i + j] - c))),
        );
      expect(rows.filter((i) => table.targets![i] === '1')).toHaveLength(200);
      const [inner, outer] = [radius('-1'), radius('1')];
      expect(Math.abs(outer / inner - 2)).toBeLessThan(0.15);
      return { inner, centre };
    });
    const size = radii.map(({ inner }) => inner);
    expect(Math.min(...size)).toBeGreaterThan(0.6);
    expect(Math.max(...size)).toBeLessThan(1.45);
    expect(Math.max(...size) - Math.min(...size)).toBeGreaterThan(0.2);
    expect(new Set(radii.map(({ centre }) => centre[0].toFixed(1))).size).toBeGreaterThan(4);
  });

  test('is made from its seed, and a participant is the same among few and many', () => {
    const table = makeRings({ participants: 3, rows: 20, seed: 5 });
    expect(makeRings({ participants: 3, rows: 20, seed: 5 })).toEqual(table);
    expect(makeRings({ participants: 3, rows: 20, seed: 6 }).x).not.toEqual(table.x);
    const more = makeRings({ participants: 4, rows: 20, seed: 5 });
    expect(more.x.subarray(0, table.x.length)).toEqual(table.x);
  });

  test('without a shift all have the same centre', () => {
    const { x } = makeRings({ participants: 3, rows: 2000, shift: 0 });
    for (let k = 0; k < 3; k++)
      expect(Math.abs(mean([...x.subarray(4000 * k, 4000 * (k + 1))]))).toBeLessThan(0.1);
  });

  test('refuses to make nothing', async () => {
    await refused(() => makeRings({ rows: 0 }), 'GENERATOR_OPTION', 'rows', '0');
    await refused(() => makeRings({ shift: -1 }), 'GENERATOR_OPTION', 'shift', '-1');
  });
});

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('makeRegression', () => {
  test('has 20 tasks of 200 rows and 200 features', () => {
    const table = makeRegression();
    expect([table.n, table.features.length, table.participants.length]).toEqual([4000, 200, 20]);
    expect(rowsOf(table, 19)).toHaveLength(200);
  });

  test('gives everyone the same distribution of x, or everyone their own', () => {
    const statistics = (table: Table) =>
      table.participants.map((_, k) => {
        const own = table.x.subarray(k * 200 * 50, (k + 1) * 200 * 50);
        const mean = own.reduce((sum, v) => sum + v, 0) / own.length;
        const variance = own.reduce((sum, v) => sum + (v - mean) ** 2, 0) / own.length;
        return { mean, deviation: Math.sqrt(variance) };
      });
    for (const { mean, deviation } of statistics(makeRegression({ features: 50 }))) {
      expect(Math.abs(mean)).toBeLessThan(0.05);
      expect(Math.abs(deviation - 1)).toBeLessThan(0.05);
    }
    const diverse = statistics(makeRegression({ features: 50, heterogeneity: 'diverse' }));
    expect(Math.max(...diverse.map((s) => s.mean)) - Math.min(...diverse.map((s) => s.mean))).toBeGreaterThan(
      1,
    );
    for (const { deviation } of diverse) expect(deviation > 0.45 && deviation < 2.1).toBe(true);
  });

  test('keeps the ratio of signal to noise for everyone', () => {
    const options = { tasks: 6, rows: 400, features: 3, seed: 2 };
    for (const heterogeneity of ['same', 'diverse'] as const) {
      const clean = makeRegression({ ...options, heterogeneity, snrDb: 200 });
      const noisy = makeRegression({ ...options, heterogeneity, snrDb: 20 });
      expect(noisy.x).toEqual(clean.x);
      for (let k = 0; k < 6; k++) {
        const rows = rowsOf(clean, k);
        const signal = rows.map((i) => Number(clean.targets![i]));
        const noise = rows.map((i, r) => Number(noisy.targets![i]) - signal[r]);
        const db = 10 * Math.log10(variance(signal) / variance(noise));
        expect(Math.abs(db - 20)).toBeLessThan(1);
      }
    }
  });

  test('gives everyone the same model, or one of which the stated share is personal', () => {
    // With as good as no noise, two rows of a task say what its model is.
    const models = (options: RegressionOptions) => {
      const { x, targets } = makeRegression({ tasks: 5, rows: 2, features: 2, snrDb: 200, ...options });
      return Array.from({ length: 5 }, (_, k) => {
        const [a, b, c, d] = x.subarray(4 * k, 4 * k + 4);
        const [p, q] = targets!.slice(2 * k, 2 * k + 2).map(Number);
        return [(p * d - b * q) / (a * d - b * c), (a * q - c * p) / (a * d - b * c)];
      });
    };
    const [shared] = models({ heterogeneity: 'same' });
    expect(Math.hypot(...shared)).toBeCloseTo(1, 8);
    for (const model of models({ heterogeneity: 'same' })) {
      expect(Math.hypot(model[0] - shared[0], model[1] - shared[1])).toBeCloseTo(0, 8);
    }
    for (const personalShare of [0, 0.3, 1]) {
      for (const model of models({ heterogeneity: 'diverse', personalShare })) {
        const common = shared.map((w) => w * Math.sqrt(1 - personalShare));
        const personal = Math.hypot(model[0] - common[0], model[1] - common[1]);
        expect(personal).toBeCloseTo(Math.sqrt(personalShare), 8);
      }
    }
  });

  test('refuses options that make no sense', async () => {
    await refused(() => makeRegression({ tasks: 0 }), 'GENERATOR_OPTION', 'tasks');
    await refused(() => makeRegression({ snrDb: -3 }), 'GENERATOR_OPTION', 'snrDb', '-3');
    await refused(() => makeRegression({ personalShare: 2 }), 'GENERATOR_OPTION', 'personalShare', '2');
  });
});

function variance(values: readonly number[]): number {
  const mean = values.reduce((sum, v) => sum + v, 0) / values.length;
  return values.reduce((sum, v) => sum + (v - mean) ** 2, 0) / values.length;
}

function correlation(table: Table, a: number, b: number): number {
  const d = table.features.length;
  const column = (j: number) => Array.from({ length: table.n }, (_, i) => table.x[i * d + j]);
  const [u, v] = [column(a), column(b)];
  const sum = u.map((value, i) => value + v[i]);
  return (variance(sum) - variance(u) - variance(v)) / (2 * Math.sqrt(variance(u) * variance(v)));
}
