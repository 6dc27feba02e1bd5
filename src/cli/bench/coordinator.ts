/**
 * The coordinator's own work in a round against the number of participants: everybody's answer taken, bounds, the next query, and the cell
 * for the store; no network, no solves. Answers are those of a made-up quadratic, so that there is something to find.
 */
import { seal } from '../../base/packed.ts';
import { stream } from '../../base/random.ts';
import { median } from '../../reproduce/statistics.ts';
import { Inquiry } from '../../solver/inquiry.ts';
import type { SingleAnswer } from '../../solver/inquiry-types.ts';
import { ms, part } from './part.ts';

const D = 562;
const SIZES = [10, 100, 1000, 10_000];
const ROUNDS = 7;
/** The first rounds have fewer cuts than later ones. */
const WARM_UP = 2;

export const coordinator = part(
  ({ now, show }) =>
    SIZES.map((participants) => {
      show(`coordinator: ${participants} participants`);
      const single = trajectory(now, participants, 'single answers');
      const sum = trajectory(now, participants, 'sums');
      // The cell is what is written to the store.
      return { participants, singleMs: single.ms, sumMs: sum.ms, cellBytes: single.cellBytes };
    }),
  (points, { table }) => [
    'Coordinator: CPU work per round with vectors of 562 numbers, single answers and sums',
    ...table(
      ['participants', 'single', 'sum', 'bytes stored'],
      points.map(({ participants, singleMs, sumMs, cellBytes }) => [
        String(participants),
        ms(singleMs),
        ms(sumMs),
        String(cellBytes),
      ]),
    ),
  ],
);

function trajectory(now: () => number, participants: number, sees: 'single answers' | 'sums') {
  const inquiry = new Inquiry({ d: D, c2: 1, sees });
  const random = stream(1, 'coordinator bench');
  const targets = Array.from({ length: participants }, () => random.normal());
  for (let member = 0; member < participants; member++) inquiry.join(member);
  const times: number[] = [];
  let before: readonly SingleAnswer[] | undefined;
  let cellBytes = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    const answers = targets.map((target, member) => answerOf(inquiry.query, target, member));
    const start = now();
    if (sees === 'sums') inquiry.takeSum(round, sumOf(answers, before));
    else inquiry.take(round, answers);
    inquiry.close(round);
    cellBytes = seal({ kind: 'bench', version: 1 }, inquiry.memory).length;
    times.push(now() - start);
    before = answers;
  }
  return { ms: median(times.slice(WARM_UP)), cellBytes };
}

/** The best answer to w of somebody whose loss is 1/2 |w + v - a|^2 with a = target (1, 1, ...) and C2 = 1: v = (a - w) / 2. */
function answerOf(w: Float64Array, target: number, member: number): SingleAnswer {
  const u = w.map((value) => (target - value) / 2);
  let uNorm2 = 0;
  let wDotU = 0;
  let uSum = 0;
  for (let j = 0; j < u.length; j++) {
    uNorm2 += u[j] * u[j];
    wDotU += w[j] * u[j];
    uSum += u[j];
  }
  // The conjugate of the loss at u: a.u - 1/2 |u|^2.
  return { member, u, scalars: { loss: uNorm2 / 2, dualSum: target * uSum - uNorm2 / 2, uNorm2, wDotU } };
}

function sumOf(answers: readonly SingleAnswer[], before: readonly SingleAnswer[] | undefined) {
  const u = new Float64Array(D);
  let value = 0;
  let constant = 0;
  for (const [k, { u: own, scalars }] of answers.entries()) {
    const old = before?.[k];
    for (let j = 0; j < D; j++) u[j] += own[j] - (old ? old.u[j] : 0);
    value += boundOf(scalars) - (old ? boundOf(old.scalars) : 0);
    constant += constantOf(scalars) - (old ? constantOf(old.scalars) : 0);
  }
  return { counted: answers.map(({ member }) => member), u, value, constant };
}

const boundOf = ({ loss, uNorm2, wDotU }: SingleAnswer['scalars']) => loss + uNorm2 / 2 + wDotU;
const constantOf = ({ dualSum, uNorm2 }: SingleAnswer['scalars']) => dualSum - uNorm2 / 2;
