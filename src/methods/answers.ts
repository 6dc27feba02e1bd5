/**
 * Rounds of questions and answers as a federation does them (solver/inquiry.ts): everybody answers the query, the answers give
 * bounds and the next query. With the same seed a federation in which all answer every round comes to the same.
 */
import { seed32 } from '../base/random.ts';
import { type Answer, boundsOf, headScalars } from '../solver/answer.ts';
import { Inquiries } from '../solver/inquiries.ts';
import type { SummedAnswer } from '../solver/inquiry-types.ts';
import { localTolerance } from '../solver/local-solve.ts';
import { addScaled, plusScaled } from '../solver/vector.ts';
import type { HistoryRow, Trajectory } from './method.ts';
import { type Asking, type AskingInput, ask } from './questions.ts';

interface Solved extends Trajectory {
  readonly w: Float64Array;
  /** Everybody's answer to w. */
  readonly answers: readonly Answer[];
  /** Everybody's last answer, and what the coordinator's side holds as the sum of them. */
  readonly last: readonly Answer[];
  readonly u: Float64Array;
}

export function* inquire(input: AskingInput): Asking<Solved> {
  const { settings, tasks, d, heads, onRound, warmStart, sees = 'single answers' } = input;
  const { c2 } = settings;
  const inquiry = new Inquiries({ heads, d, c2, sees, claims: 'trusted', gap: settings.gap });
  const everybody = [...tasks.keys()];
  for (const k of everybody) inquiry.join(k);
  // Asked about the w of a nearby problem: the sum of its duals would be another w as soon as C1 or C2 has changed.
  if (warmStart) inquiry.askAgain(warmStart.w);
  const history: HistoryRow[] = [];
  let last: readonly Answer[] | undefined;
  let best: readonly Answer[] | undefined;
  let passes = 0;
  let gap = 1;
  for (let round = 1; ; round++) {
    const { query, sigma } = inquiry;
    const before = last;
    const answers = yield* ask('answer', everybody, (k) => ({
      query,
      options: {
        sigma,
        tolerance: localTolerance(gap),
        passes: input.passesOf?.(k, round) ?? settings.passes,
        seed: seed32(settings.seed, 'solve', round, tasks[k].id),
      },
      warm: before?.[k] ?? (warmStart?.duals && { beta: warmStart.duals[k] }),
    }));
    passes += answers.reduce((sum, one) => sum + one.passes, 0);
    if (sees === 'sums') inquiry.takeSum(round, changes(answers, last, c2));
    else
      inquiry.take(
        round,
        answers.map(({ u, scalars }, member) => ({ member, u, scalars })),
      );
    const standing = inquiry.close(round);
    const { primal, dual, relativeGap, largestGap } = standing;
    last = answers;
    best = improved(best, answers, inquiry.improvedIn(round));
    const row = { round, primal, dual, relativeGap };
    history.push(row);
    gap = largestGap;
    const used = best;
    onRound?.({ row, w: inquiry.w, personal: (k) => personalPart(used[k], c2) });
    const done = settings.gap > 0 && largestGap <= settings.gap;
    if (done || round === settings.rounds) {
      const stopped = done ? 'gap' : 'rounds';
      const certificate = { primal, dual, relativeGap, ...(heads > 1 && { heads: standing.heads }) };
      const { w, u } = inquiry;
      return { certificate, rounds: round, passes, history, stopped, w, answers: used, last, u };
    }
  }
}

/** Everybody's answers to the queries in use: in heads that have improved the new ones. */
function improved(
  best: readonly Answer[] | undefined,
  answers: readonly Answer[],
  heads: readonly boolean[],
): readonly Answer[] {
  if (!best || heads.every(Boolean)) return answers;
  if (!heads.includes(true)) return best;
  return best.map((before, k) => {
    const now = answers[k];
    return { ...now, u: mixed(before.u, now.u, heads), beta: mixed(before.beta, now.beta, heads) };
  });
}

/** Block by block: of the second where a head says so. */
function mixed(a: Float64Array, b: Float64Array, heads: readonly boolean[]): Float64Array {
  const length = a.length / heads.length;
  const all = a.slice();
  for (const [h, isNew] of heads.entries())
    if (isNew) all.set(b.subarray(h * length, (h + 1) * length), h * length);
  return all;
}

/** v = u / C2. */
export function personalPart({ u }: Pick<Answer, 'u'>, c2: number): Float64Array {
  return u.map((value) => value / c2);
}

/** What a coordinator that sees sums alone would see. */
function changes(
  answers: readonly Answer[],
  before: readonly Answer[] | undefined,
  c2: number,
): SummedAnswer {
  const total = (list: readonly Answer[]) => {
    const u = new Float64Array(list[0].u.length);
    for (const one of list) addScaled(u, 1, one.u);
    return { u, ...summedScalars(list, c2) };
  };
  const now = total(answers);
  const then = before && total(before);
  const change = (a: SummedScalars, b: SummedScalars | undefined) => ({
    value: a.value - (b?.value ?? 0),
    constant: a.constant - (b?.constant ?? 0),
  });
  return {
    counted: [...answers.keys()],
    u: then ? plusScaled(now.u, -1, then.u) : now.u,
    ...change(now, then),
    heads: now.heads.map((head, h) => change(head, then?.heads[h])),
  };
}

type SummedScalars = Pick<SummedAnswer, 'value' | 'constant'>;

function summedScalars(list: readonly Answer[], c2: number) {
  const heads = headScalars(list[0].scalars).map((_, h): SummedScalars => {
    let value = 0;
    let constant = 0;
    for (const { scalars } of list) {
      const own = headScalars(scalars)[h];
      const bounds = boundsOf(own, c2);
      value += bounds.value + own.wDotU;
      constant += bounds.constant;
    }
    return { value, constant };
  });
  const total = (key: keyof SummedScalars) => heads.reduce((sum, head) => sum + head[key], 0);
  return { value: total('value'), constant: total('constant'), heads };
}
