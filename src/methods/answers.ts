/**
 * Rounds of questions and answers as a federation does them (solver/inquiry.ts): everybody answers the query, the answers give
 * bounds and the next query. With the same seed a federation in which all answer every round comes to the same.
 */
import { seed32 } from '../base/random.ts';
import { type Answer, boundsOf } from '../solver/answer.ts';
import { Inquiry } from '../solver/inquiry.ts';
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
  const { settings, tasks, d, onRound, warmStart, sees = 'single answers' } = input;
  const { c2 } = settings;
  const inquiry = new Inquiry({ d, c2, sees, claims: 'trusted' });
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
    const { primal, dual, relativeGap } = inquiry.close(round);
    last = answers;
    if (!best || inquiry.best?.round === round) best = answers;
    const row = { round, primal, dual, relativeGap };
    history.push(row);
    gap = relativeGap;
    const used = best;
    onRound?.({ row, w: inquiry.w, personal: (k) => personalPart(used[k], c2) });
    const done = settings.gap > 0 && relativeGap <= settings.gap;
    if (done || round === settings.rounds) {
      const stopped = done ? 'gap' : 'rounds';
      const certificate = { primal, dual, relativeGap };
      const { w, u } = inquiry;
      return { certificate, rounds: round, passes, history, stopped, w, answers: used, last, u };
    }
  }
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
    let value = 0;
    let constant = 0;
    for (const one of list) {
      const bounds = boundsOf(one.scalars, c2);
      addScaled(u, 1, one.u);
      value += bounds.value + one.scalars.wDotU;
      constant += bounds.constant;
    }
    return { u, value, constant };
  };
  const now = total(answers);
  const then = before && total(before);
  return {
    counted: [...answers.keys()],
    u: then ? plusScaled(now.u, -1, then.u) : now.u,
    value: now.value - (then?.value ?? 0),
    constant: now.constant - (then?.constant ?? 0),
  };
}
