/** Training by steps: the gap of the present w as far as it is known, the model in use, and the steps of a closed round. */
import { invariant } from '../base/errors.ts';
import { type Certificate, certificateOf } from '../solver/certificate.ts';
import { excessOf } from '../solver/last-answers.ts';
import { SummedSteps } from '../solver/summed-steps.ts';
import { comparable } from './claims.ts';
import type { Collected } from './collecting/plain.ts';
import { noteChange } from './defence.ts';
import { accept, type Member } from './member.ts';
import { makePrivate, payForSum } from './private-rounds.ts';
import { NO_PROOF, type Proof } from './proof.ts';
import type { CoordinatorState } from './state.ts';
import { combinerOf, dropBest } from './training.ts';

/** Takes every step in full. */
export function takeSteps(
  state: CoordinatorState,
  { members, answers, sum }: Collected,
  noise: Float64Array | undefined,
): readonly Member[] {
  if (members.length === 0) return [];
  const combiner = combinerOf(state)!;
  const before = combiner.w.slice();
  if (sum) {
    invariant(combiner instanceof SummedSteps, 'sums of steps need a combiner of sums');
    combiner.add(sum.u);
    payForSum(state, members.length);
  } else {
    combiner.aggregate(
      answers!.map((given) => ({ member: given.member, u: takenPart(state, given) })),
      state.gap,
    );
    makePrivate(state, noise);
  }
  accept(state.round, members, answers);
  noteChange(state, before);
  state.aggregated++;
  return members;
}

function takenPart(
  state: CoordinatorState,
  { member, u, factor }: { readonly member: number; readonly u: Float64Array; readonly factor: number },
): Float64Array {
  if (factor === 1) return u;
  const old = combinerOf(state)!.members.get(member)!.u;
  return old.map((value, j) => value + factor * (u[j] - value));
}

/** Relative; losses at a w that was rounded to single precision differ by less. */
const CONTRADICTION = 1e-6;

/** With steps: the gap of the present w, as far as it is known: exact when all who contribute have reported about it. */
export function examine(state: CoordinatorState): Proof {
  const combiner = combinerOf(state)!;
  // No scalars are sent under differential privacy: the gap is unknown.
  if (state.options.dp) {
    const { relativeGap, ...unknown } = combiner.certificate([]);
    return { ...unknown, relativeGap, largestGap: relativeGap, ...NO_PROOF };
  }
  const members = [...state.members.values()];
  const known = members.filter((member) => member.scalars);
  const claims = comparable(
    state,
    known.map((member) => ({ member: member.index, ...member.scalars! })),
  );
  const { primal, dual } = combiner.certificate(claims);
  // What one claims beyond the losses of all others makes nobody's gap seem small.
  const losses = claims.map(({ loss }, k) =>
    state.options.method === 'mocha' ? loss / Math.max(1, known[k].rows) : loss,
  );
  const all = certificateOf(primal, dual, primal - excessOf(losses));
  // What was sent does not reveal the duals: all that is known of the dual is its value at zero duals.
  const { mask } = state.options;
  const proof = mask?.semantics === 'paper' ? certificateOf(all.primal, 0) : all;
  const reported = members.every((member) => member.scalars && member.scalarsRound === state.round);
  // No dual value is above a primal one: if they claim so, somebody lies, and nothing is known.
  const contradicted = reported && proof.dual - proof.primal > CONTRADICTION * Math.abs(proof.primal);
  const complete = members.every((member) => member.scalars || member.accepted.round === 0);
  const certified = reported && !contradicted;
  const used = modelInUse(state, proof, certified);
  state.certificate = used;
  return {
    ...used,
    certified,
    known: complete && known.length > 0 && !contradicted,
    largestGap: used.relativeGap,
    likelyGap: used.relativeGap,
    settled: combiner.settled,
    complete: true,
  };
}

/**
 * With steps: the best model that is known for certain, if the rule keeps it; otherwise, and where not everybody has reported about this
 * very w, the latest.
 */
function modelInUse(state: CoordinatorState, proof: Certificate, certified: boolean): Certificate {
  const combiner = combinerOf(state)!;
  if (!combiner.keepsBest || !certified) {
    dropBest(state);
    return proof;
  }
  const { round, best } = state;
  if (!best || proof.primal < best.primal) {
    state.best = { round, primal: proof.primal };
    state.bestW = combiner.w;
  }
  return certificateOf(state.best!.primal, proof.dual);
}
