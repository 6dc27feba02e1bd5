/** Round numbers along an axis, and how they are written. */

/** The next of 1, 2, 5, 10, ... at or above. Read from the decimal text, so that no logarithm decides. */
export function roundUp(value: number): number {
  return leading(value, [1, 2, 5, 10], 1);
}

/** That of 1, 2, 5, 10, ... which is not far from the value. */
export function roundStep(rough: number): number {
  return leading(rough, [1, 2, 5, 10], 1.4);
}

/** The first of the leads that, made larger by `slack`, reaches the value. */
function leading(value: number, leads: readonly number[], slack: number): number {
  const [digits, exponent] = value.toExponential().split('e');
  const lead = leads.find((each) => Number(digits) <= each * slack * (1 + 1e-9))!;
  return Number(`${lead}e${exponent}`);
}

/** Multiples of a round step inside the range: about `wanted` of them, never fewer than two. */
export function linearTicks(low: number, high: number, wanted: number): number[] {
  const step = roundStep((high - low) / wanted);
  const list: number[] = [];
  const last = Math.floor(high / step + 1e-6);
  for (let k = Math.ceil(low / step - 1e-6); k <= last; k++) list.push(Number((k * step).toPrecision(12)));
  return list.length < 2 ? linearTicks(low, high, 2 * wanted) : list;
}

export interface LogTicks {
  readonly values: readonly number[];
  readonly minor: readonly number[];
}

/** Decades where there are two or more; else 1, 2, 5; in a range narrower than that the multiples of a step. */
export function logTicks(low: number, high: number, wanted: number): LogTicks {
  const decades = multiples(low, high, [1]);
  if (decades.length >= 2) {
    const stride = Math.ceil(decades.length / (wanted + 1));
    const values = decades.filter((_, i) => i % stride === 0);
    return { values, minor: stride === 1 ? multiples(low, high, [2, 3, 4, 5, 6, 7, 8, 9]) : decades };
  }
  const round = multiples(low, high, [1, 2, 5]);
  const minor = multiples(low, high, [1, 2, 3, 4, 5, 6, 7, 8, 9]);
  if (round.length >= 2 && round.length <= wanted + 1) return { values: round, minor };
  return { values: linearTicks(low, high, wanted), minor: [] };
}

function multiples(low: number, high: number, leads: readonly number[]): number[] {
  const exponent = (value: number) => Number(value.toExponential().split('e')[1]);
  const list: number[] = [];
  for (let e = exponent(low); e <= exponent(high); e++)
    for (const lead of leads) list.push(Number(`${lead}e${e}`));
  return list.filter((value) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
}

/** One way of writing for all ticks of an axis: the fewest digits that tell them apart. */
export function tickLabels(values: readonly number[]): string[] {
  const most = Math.max(0, ...values.map(Math.abs));
  const gaps = values.slice(1).map((value, i) => value - values[i]);
  const slack = 1e-6 * Math.min(most, ...gaps);
  if (most > 0 && (most < 1e-3 || most >= 1e12)) {
    const digits = fewest((d) => values.every((v) => Math.abs(Number(v.toExponential(d)) - v) <= slack));
    return values.map((v) => (v === 0 ? '0' : minus(v.toExponential(digits).replace('e+', 'e'))));
  }
  const [unit, letter] =
    most >= 1e9 ? [1e9, 'G'] : most >= 1e6 ? [1e6, 'M'] : most >= 1e5 ? [1e3, 'k'] : [1, ''];
  const digits = fewest((d) =>
    values.every((v) => Math.abs(Number((v / unit).toFixed(d)) - v / unit) <= slack / unit),
  );
  return values.map((v) => (v === 0 ? '0' : `${minus((v / unit).toFixed(digits))}${letter}`));
}

/** Powers of ten, written as such as soon as one of them is long. */
export function decadeLabels(values: readonly number[]): string[] {
  const exponents = values.map((value) => Number(value.toExponential().split('e')[1]));
  if (exponents.every((e) => e >= -3 && e <= 4)) return values.map((value) => tickLabels([value])[0]);
  return exponents.map((e) => `10${[...String(e)].map((c) => RAISED[c]).join('')}`);
}

const RAISED: Readonly<Record<string, string>> = {
  '-': '⁻',
  0: '⁰',
  1: '¹',
  2: '²',
  3: '³',
  4: '⁴',
  5: '⁵',
  6: '⁶',
  7: '⁷',
  8: '⁸',
  9: '⁹',
};

function fewest(enough: (digits: number) => boolean): number {
  let digits = 0;
  while (digits < 14 && !enough(digits)) digits++;
  return digits;
}

function minus(written: string): string {
  return written.replaceAll('-', '−');
}
