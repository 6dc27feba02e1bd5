/**
 * Which shares are wrong, when more than the threshold arrived and they contradict each other: Berlekamp and Welch (1986). Up to
 * e = floor((m - t) / 2) wrong ones among m are found for certain.
 *
 * With f the dealt polynomial and E a polynomial of degree e that is 0 wherever a share y_i is wrong, Q = f E satisfies
 * Q(x_i) = y_i E(x_i) for all i, a linear system in the coefficients of Q and E. Wherever E(x_i) is not 0 the share is right.
 */
import { divide, multiply } from './field.ts';
import { extend, type Share } from './shamir.ts';

/** Splits the shares into those on one polynomial and the others; `undefined` if too many are wrong to tell. */
export function sortShares(
  shares: readonly Share[],
  threshold: number,
): { right: readonly Share[]; wrong: readonly Share[] } | undefined {
  let right = shares;
  // Two bytes after two bytes: a wrong share need not be wrong everywhere.
  for (let at = 0; at < shares[0].y.length; at += 2) {
    const sound = soundAt(right, threshold, at);
    if (!sound) return undefined;
    const given = sound.slice(0, threshold);
    const dealt = extend(
      given,
      right.map(({ x }) => x),
    );
    right = right.filter(({ y }, i) => y[at] === dealt[i].y[at] && y[at + 1] === dealt[i].y[at + 1]);
  }
  return { right, wrong: shares.filter((share) => !right.includes(share)) };
}

/** Shares that are right in the two bytes at `at`, at least `threshold` of them. */
function soundAt(shares: readonly Share[], threshold: number, at: number): Share[] | undefined {
  const errors = Math.floor((shares.length - threshold) / 2);
  if (errors < 0) return undefined;
  const system = shares.map(({ x, y }) => equation(x, y[at] | (y[at + 1] << 8), threshold + errors, errors));
  const solution = solve(system, threshold + 2 * errors);
  if (!solution) return undefined;
  const locator = [...solution.slice(threshold + errors), 1];
  const sound = shares.filter(({ x }) => valueAt(locator, x) !== 0);
  return sound.length >= threshold ? sound : undefined;
}

/** 1 x x^2 ... of Q, then y yx ... y x^(e-1) of E, then the right-hand side y x^e. (Minus is plus.) */
function equation(x: number, y: number, quotientTerms: number, errors: number): number[] {
  const row: number[] = [];
  for (let i = 0, power = 1; i < quotientTerms; i++, power = multiply(power, x)) row.push(power);
  for (let i = 0, term = y; i <= errors; i++, term = multiply(term, x)) row.push(term);
  return row;
}

/** Gauss and Jordan; unknowns that nothing fixes become 0. `undefined` if there is no solution. */
function solve(rows: number[][], unknowns: number): number[] | undefined {
  const pivots: number[] = [];
  for (let column = 0; column < unknowns && pivots.length < rows.length; column++) {
    const r = pivots.length;
    const pivot = rows.findIndex((row, i) => i >= r && row[column] !== 0);
    if (pivot < 0) continue;
    [rows[r], rows[pivot]] = [rows[pivot], rows[r]];
    const scale = rows[r][column];
    rows[r] = rows[r].map((value) => divide(value, scale));
    for (let i = 0; i < rows.length; i++) if (i !== r) subtractMultiple(rows[i], rows[i][column], rows[r]);
    pivots.push(column);
  }
  if (rows.slice(pivots.length).some((row) => row[unknowns] !== 0)) return undefined;
  const solution = new Array<number>(unknowns).fill(0);
  for (let r = 0; r < pivots.length; r++) solution[pivots[r]] = rows[r][unknowns];
  return solution;
}

function subtractMultiple(row: number[], factor: number, other: readonly number[]): void {
  if (factor === 0) return;
  for (let j = 0; j < row.length; j++) row[j] ^= multiply(factor, other[j]);
}

function valueAt(coefficients: readonly number[], x: number): number {
  return coefficients.reduceRight((value, coefficient) => multiply(value, x) ^ coefficient, 0);
}
