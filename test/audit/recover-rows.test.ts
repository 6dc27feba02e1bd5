import { describe, expect, test } from 'vitest';
import { explainMasks } from '../../src/audit/attacks/brute-force-masks.ts';
import {
  chooseRowCount,
  EQUATION_DEFAULTS,
  type EquationFit,
  EXPLAINED,
  recoverByEquations,
} from '../../src/audit/attacks/recover-by-equations.ts';
import { recoverPersonal } from '../../src/audit/attacks/recover-personal.ts';
import { recoverRows, rowSpace } from '../../src/audit/attacks/recover-rows.ts';
import { guessRows, scoreRows, scoreVector } from '../../src/audit/attacks/score.ts';
import { singleRows } from '../../src/audit/attacks/single-rows.ts';
import {
  MASKS,
  type MaskName,
  ruleFor,
  type Truth,
  tiny,
  type Watched,
  watch,
  withoutBias,
} from './federation.ts';

/** One pass a round, the default gap. */
const scene = (mask: MaskName, aggregation = ruleFor(mask)) =>
  watch({ table: tiny(), passes: 1, rounds: 100, aggregation, mask: MASKS[mask] }).watched;

const trueRows = ({ rows }: Truth) => rows.map(({ x }) => withoutBias(x));

function rowsOf({ candidate: { rows, y } }: EquationFit): Float64Array[] {
  const columns = rows.length / y.length;
  return Array.from(y, (_, i) => rows.slice(i * columns, (i + 1) * columns - 1));
}

function found(watched: readonly Watched[]): { right: number; reported: number } {
  let [right, reported] = [0, 0];
  for (const { observation, truth } of watched) {
    const rows = recoverRows(observation, { seed: 1, samples: 1000 });
    const guesses = rows.map(({ x }) => withoutBias(x));
    right += scoreRows(guesses, trueRows(truth)).recovered;
    reported += rows.length;
  }
  return { right, reported };
}

describe('rows by linear algebra', () => {
  test.each(Object.keys(MASKS) as MaskName[])('the rank of the changes counts the rows: %s', (mask) => {
    const watched = scene(mask, 'safe');
    for (const { observation, truth } of watched) {
      expect(rowSpace(observation).rank).toBeLessThanOrEqual(truth.rows.length);
    }
    const counted = watched.filter(
      ({ observation, truth }) => rowSpace(observation).rank === truth.rows.length,
    );
    expect(counted.length).toBeGreaterThanOrEqual(5);
  });

  test('rows on the margin are planes through known points', () => {
    const { right, reported } = found(scene('none', 'safe'));
    expect(right).toBeGreaterThanOrEqual(12);
    expect(reported - right).toBeLessThanOrEqual(4);
  });

  test.each(['Bernoulli, paper', 'Bernoulli, consistent'] as const)(
    '%s masks leave rows standing alone, which gives them away',
    (mask) => {
      const alone = (watched: readonly Watched[]) =>
        watched.reduce((sum, { observation, truth }) => {
          const guesses = singleRows(observation).map(({ x }) => withoutBias(x));
          return sum + scoreRows(guesses, trueRows(truth)).errors.filter((error) => error < 1e-6).length;
        }, 0);
      expect(alone(scene(mask, 'safe'))).toBeGreaterThanOrEqual(15);
      expect(alone(scene('none', 'safe'))).toBeLessThanOrEqual(2);
    },
  );

  test('Beta masks of the consistent kind leave neither', () => {
    expect(found(scene('Beta, consistent')).right).toBeLessThanOrEqual(1);
  });

  test('labels come with rows', () => {
    for (const { observation, truth } of scene('Bernoulli, consistent', 'safe')) {
      for (const { x, y } of singleRows(observation)) {
        const same = truth.rows.find((row) => row.x.every((value, j) => Math.abs(value - x[j]) < 1e-6));
        expect(y).toBe(same?.y);
      }
    }
  });
});

describe("rows by the paper's equations", () => {
  const alone = { ...EQUATION_DEFAULTS, seed: 1, starts: 1 };

  test('four rows of eight features come out of twelve answers, with their labels', () => {
    const watched = scene('none');
    for (const { observation, truth } of [watched[0], watched[1]]) {
      const [fit] = recoverByEquations(observation, { ...alone, rowCounts: [4] });
      expect(fit.residual).toBeLessThan(EXPLAINED);
      for (const error of scoreRows(rowsOf(fit), trueRows(truth)).errors) expect(error).toBeLessThan(1e-4);
      expect([...fit.candidate.y]).toEqual([...truth.candidate.y]);
    }
  });

  test('rows that linear algebra has given are a good start', () => {
    const { observation, truth } = scene('none')[0];
    const known = recoverRows(observation, { seed: 1, samples: 1000 });
    expect(known.length).toBe(1);
    const [fit] = recoverByEquations(observation, { ...alone, rowCounts: [4], known });
    expect(fit.residual).toBeLessThan(EXPLAINED);
    expect(scoreRows(rowsOf(fit), trueRows(truth)).recovered).toBe(4);
  });

  test('n_k need not be known', () => {
    const [{ observation }] = scene('none');
    const fits = recoverByEquations(observation, { ...alone, rowCounts: [3, 4], arrangements: 16 });
    expect(fits[0].residual).toBeGreaterThan(1e3 * EXPLAINED);
    expect(fits[1].residual).toBeLessThan(EXPLAINED);
    expect(chooseRowCount(fits).candidate.y.length).toBe(4);
  });

  test('a guess at the population is no match for it', () => {
    const [first, ...others] = scene('none');
    const population = others.flatMap(({ truth }) => trueRows(truth));
    const mean = population[0].map((_, j) =>
      population.reduce((sum, row) => sum + row[j] / population.length, 0),
    );
    for (const guess of [Array.from({ length: 4 }, () => mean), guessRows(population, 4, 1)])
      expect(scoreRows(guess, trueRows(first.truth)).median).toBeGreaterThan(0.5);
  });

  test('Bernoulli masks of the paper fall by trying them all, and the own v_k with them', () => {
    const [, { observation, truth }] = scene('Bernoulli, paper');
    const known = singleRows(observation);
    const [fit] = recoverByEquations(observation, { ...alone, rowCounts: [4], masking: 'paper', known });
    expect(fit.residual).toBeLessThan(EXPLAINED);
    expect(scoreRows(rowsOf(fit), trueRows(truth)).recovered).toBe(4);
    const { explained, personal } = explainMasks(observation, fit.candidate, 'paper');
    expect(explained).toBe(1);
    expect(scoreVector(personal, truth.personal).relativeError).toBeLessThan(1e-5);
    expect(scoreVector(recoverPersonal(observation), truth.personal).relativeError).toBeGreaterThan(0.3);
  });

  test('a fit that is wrong says so', () => {
    const [{ observation }] = scene('Beta, consistent');
    const [fit] = recoverByEquations(observation, { ...alone, rowCounts: [4], arrangements: 4 });
    expect(fit.residual).toBeGreaterThan(1e3 * EXPLAINED);
  });

  test('the fewest rows that explain everything are chosen', () => {
    const ended = (n: number, residual: number): EquationFit => ({
      candidate: { rows: new Float64Array(n), y: new Float64Array(n) },
      residual,
    });
    expect(chooseRowCount([ended(3, 1e-3), ended(5, 1e-9), ended(4, 1e-8)]).candidate.y.length).toBe(4);
    expect(chooseRowCount([ended(3, 1e-3), ended(4, 1e-2)]).candidate.y.length).toBe(3);
  });
});
