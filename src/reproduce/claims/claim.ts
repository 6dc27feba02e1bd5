/**
 * A claim of the paper, and how it is decided: by a rule written down before the numbers were seen, from the findings of
 * experiments, by code. A claim has parts; each part says yes, no, or that the repeats do not settle it.
 */
import type { FindingsOf } from '../experiment.ts';
import type { EXPERIMENTS, ExperimentId } from '../experiments/all.ts';
import { estimateText, meanText } from '../experiments/common.ts';
import type { Verdict } from '../report/report.ts';
import { compare, type Estimate, estimate } from '../statistics.ts';

export type Findings = { readonly [K in ExperimentId]: FindingsOf<(typeof EXPERIMENTS)[K]> };

/** What the repeats do not settle leans one way or the other: to the side that their mean is on. */
export interface Part {
  readonly says: 'yes' | 'leans to yes' | 'leans to no' | 'no';
  readonly text: string;
}

interface Decision {
  readonly parts: readonly Part[];
  /** What else there is to say, such as what the defaults make of it. */
  readonly note?: string;
}

export interface Claim {
  readonly id: string;
  readonly section: string;
  readonly claim: string;
  readonly rule: string;
  readonly needs: readonly ExperimentId[];
  decide(findings: Findings): Decision;
}

type FoundBy<K extends readonly ExperimentId[]> = { [I in keyof K]: Findings[K[I]] };

/** Makes claims of one section that are decided by the findings of the same experiments. */
export function claimsOf<const K extends ExperimentId[]>(section: string, ...needs: K) {
  return (
    id: string,
    { decide, ...words }: Pick<Claim, 'claim' | 'rule'> & { decide(...found: FoundBy<K>): Decision },
  ): Claim => ({
    ...{ id, section, needs, ...words },
    decide: (findings) => decide(...(needs.map((need) => findings[need]) as FoundBy<K>)),
  });
}

/** All parts yes: holds. Some yes, or at least leaning to it: in part. Otherwise it does not. */
export function verdictOf(parts: readonly Part[]): Verdict {
  if (parts.every((part) => part.says === 'yes')) return 'holds';
  const some = parts.some((part) => part.says === 'yes' || part.says === 'leans to yes');
  return some ? 'holds in part' : 'does not hold';
}

export function opposite(part: Part): Part {
  return { ...part, says: OPPOSITE[part.says] };
}

const OPPOSITE = {
  yes: 'no',
  'leans to yes': 'leans to no',
  'leans to no': 'leans to yes',
  no: 'yes',
} as const;

/** "x is greater than y", over pairs that share a repeat. */
export function greater(
  [xName, x]: readonly [string, readonly number[]],
  [yName, y]: readonly [string, readonly number[]],
  digits = 4,
): Part {
  const found = compare(x, y);
  const says = found.says === 'greater' ? 'yes' : found.says === 'smaller' ? 'no' : leaning(found.mean > 0);
  const [a, b] = [estimate(x).mean.toFixed(digits), estimate(y).mean.toFixed(digits)];
  return { says, text: `${xName} ${a}, ${yName} ${b}: difference ${estimateText(found, digits)}` };
}

/** "the mean is at most this", from the 95% interval. */
export function atMost(name: string, values: readonly number[], limit: number, digits = 4): Part {
  const found = estimate(values);
  return { says: side(found, limit), text: `${name} ${estimateText(found, digits)}, at most ${limit}` };
}

export function atLeast(name: string, values: readonly number[], limit: number, digits = 4): Part {
  const found = estimate(values.map((value) => -value));
  const shown = meanText(values, digits);
  return { says: side(found, -limit), text: `${name} ${shown}, at least ${limit}` };
}

/** "the two are within this of each other", from the interval of the paired differences. */
export function alike(
  [xName, x]: readonly [string, readonly number[]],
  [yName, y]: readonly [string, readonly number[]],
  within: number,
  digits = 4,
): Part {
  const found = compare(x, y);
  const text = `${xName} and ${yName} differ by ${estimateText(found, digits)}, within ${within}`;
  if (found.low > -within && found.high < within) return { says: 'yes', text };
  const beyond = found.low > within || found.high < -within;
  return { says: beyond ? 'no' : leaning(Math.abs(found.mean) < within), text };
}

/** Not settled, but the mean fulfils the claim, or does not. */
export function leaning(fulfilled: boolean): Part['says'] {
  return fulfilled ? 'leans to yes' : 'leans to no';
}

function side({ mean, low, high }: Estimate, limit: number): Part['says'] {
  if (high <= limit) return 'yes';
  return low > limit ? 'no' : leaning(mean <= limit);
}
