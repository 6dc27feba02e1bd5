/**
 * What the choice of aggregation means for a federation: what participants do in a round, and who makes something of it.
 *
 *   answers    an inquiry for each head (solver/inquiry.ts): everybody answers a query with its best personal part
 *   safe, sum  an Aggregator: everybody makes a step from where it stands, and w is the sum of all
 *   mocha      another problem (classification only), step by step
 */
import { invariant } from '../base/errors.ts';
import { NoisyCombiner } from '../privacy/dp/noisy-combiner.ts';
import { type Agreement, headsBy, vectorLength } from '../protocol/agreement.ts';
import { personalCost } from '../settings/wire.ts';
import { Aggregator } from '../solver/aggregate.ts';
import { MochaAggregator } from '../solver/aggregate-mocha.ts';
import type { Combiner, Order } from '../solver/combiner.ts';
import { Inquiries } from '../solver/inquiries.ts';
import { SummedSteps } from '../solver/summed-steps.ts';
import { plusScaled } from '../solver/vector.ts';
import type { Member } from './member.ts';
import type { CoordinatorOptions } from './options.ts';
import { ALONE, type Place } from './place.ts';
import { type CoordinatorState, type Trainer, UNKNOWN } from './state.ts';

/** What the participants' settings say of the local problem. */
export function localProblem({ method, aggregation, c1, c2 }: CoordinatorOptions) {
  // MOCHA has a lambda instead of C1 and C2.
  if (method === 'mocha') return { method, training: 'steps', c1: 1, c2: 1 } as const;
  return { method, training: aggregation === 'answers' ? 'answers' : 'steps', c1, c2 } as const;
}

export function newTrainer(
  options: CoordinatorOptions,
  features: number,
  agreement: Agreement | undefined,
  { below }: Place = ALONE,
): Trainer {
  const { method, aggregation, lambda, features: map, bias, stop, secure, dp, levels } = options;
  const heads = headsBy(agreement);
  const d = vectorLength({ features, levels, map, bias }, agreement);
  const c2 = personalCost(options);
  if (method === 'mocha') return { combiner: new MochaAggregator({ d, lambda, gap: stop.gap }) };
  if (aggregation === 'answers') {
    invariant(!dp, 'differential privacy: expected safe or sum, got answers');
    const sees = below === 'groups' ? 'groups' : secure ? 'sums' : 'single answers';
    return { inquiry: new Inquiries({ heads, d, c2, sees, gap: stop.gap }) };
  }
  if (secure) return { combiner: new SummedSteps(aggregation, d) };
  const aggregator = new Aggregator(aggregation, d, c2);
  return { combiner: dp ? new NoisyCombiner(aggregator) : aggregator };
}

export function inquiryOf({ trainer }: CoordinatorState): Inquiries | undefined {
  return trainer && 'inquiry' in trainer ? trainer.inquiry : undefined;
}

export function combinerOf({ trainer }: CoordinatorState): Combiner | undefined {
  return trainer && 'combiner' in trainer ? trainer.combiner : undefined;
}

/** What a member is sent in a round. */
export function orderFor(state: CoordinatorState, { index }: Pick<Member, 'index'>): Order {
  const inquiry = inquiryOf(state);
  if (inquiry) return { w: inquiry.query, sigma: inquiry.sigma };
  return combinerOf(state)!.orderFor(index);
}

/** The shared part in use. */
export function sharedPart(state: CoordinatorState): Float64Array | undefined {
  return inquiryOf(state)?.w ?? combinerOf(state)?.w;
}

/** A member's last accepted contribution, where it is known. */
export function contributionOf(state: CoordinatorState, { index }: Member): Float64Array | undefined {
  return inquiryOf(state)?.contributionOf(index) ?? combinerOf(state)?.members.get(index)?.u;
}

/** The sum of all contributions as it is held, without the noise that was put on it. */
export function sumOfContributions(state: CoordinatorState): Float64Array {
  const inquiry = inquiryOf(state);
  if (inquiry) return inquiry.u;
  const { w, memory } = combinerOf(state)!;
  return memory.noise ? plusScaled(w, -1, memory.noise) : w;
}

/** A place among those who train. */
export function joinTraining(state: CoordinatorState, { index, rows, participants }: Member): void {
  inquiryOf(state)?.join(index, participants);
  combinerOf(state)?.join(index, { rows });
}

/** A place in the sums: after all who have one. */
export function admit(state: CoordinatorState, member: Member): void {
  // With steps, another problem from here on: its models are not to be compared with those before.
  if (!inquiryOf(state)) dropProof(state);
  member.index = state.nextIndex++;
  joinTraining(state, member);
}

export const NOTHING_ACCEPTED = { round: 0 };

/** Everybody is asked again, with the rows it has now: nothing that was answered before counts. */
export function askAgain(state: CoordinatorState): void {
  const inquiry = inquiryOf(state);
  invariant(inquiry, 'ask again: expected training by answers');
  inquiry.askAgain();
  noteDropped(state);
  for (const member of state.members.values()) member.accepted = NOTHING_ACCEPTED;
}

/** In a branch: the group is another one from now on, and a partial sum that is not accepted cannot be undone to what was dropped. */
function noteDropped({ above }: CoordinatorState): void {
  if (!above) return;
  above.renewed++;
  above.hasDropped = true;
  if (above.pending) above.pending = { message: above.pending.message };
}

/** A member's answers are dropped; where nobody knows its part of a sum, everybody's are. False: that cannot be done. */
export function dropAnswers(state: CoordinatorState, member: Member): boolean {
  const inquiry = inquiryOf(state);
  if (inquiry) {
    if (inquiry.hasAnswered(member.index)) noteDropped(state);
    if (member.index >= 0 && !inquiry.forget(member.index)) askAgain(state);
    member.accepted = NOTHING_ACCEPTED;
    return true;
  }
  const combiner = combinerOf(state);
  if (combiner instanceof SummedSteps) return false;
  if (member.index >= 0) combiner?.forget(member.index);
  return true;
}

/**
 * The model in use, as far as the coordinator knows it: the shared part w. Personal parts are the participants' own; only MOCHA, which
 * has no shared part, makes them here.
 */
interface ModelInUse {
  /** The round that asked about it, or opened with it. */
  readonly round: number;
  readonly w: Float64Array;
  /** By participant, where they are made here. */
  readonly v: ReadonlyMap<string, Float64Array>;
  readonly scaling: NonNullable<CoordinatorState['scaling']>;
  readonly agreement: CoordinatorState['agreement'];
  /** Whether its primal value is known. */
  readonly certified: boolean;
}

/** Undefined: there is none yet. */
export function modelOf(state: CoordinatorState): ModelInUse | undefined {
  const { scaling, agreement, best, round, bestW } = state;
  const w = inquiryOf(state) ? sharedPart(state) : (bestW ?? sharedPart(state));
  if (!scaling || !w) return undefined;
  const certified = best !== undefined && (inquiryOf(state) !== undefined || bestW !== undefined);
  return { round: certified ? best.round : round, w, v: ownModels(state), scaling, agreement, certified };
}

export function dropBest(state: CoordinatorState): void {
  state.best = undefined;
  state.bestW = undefined;
}

/** What is known of a model belongs to that model and to those who answered: for another w, or other rows, nothing is known. */
export function dropProof(state: CoordinatorState): void {
  dropBest(state);
  state.certificate = UNKNOWN;
  state.missing = [];
  state.bestGap = Number.POSITIVE_INFINITY;
  state.bestRound = state.round;
}

function ownModels(state: CoordinatorState): ModelInUse['v'] {
  if (state.options.method !== 'mocha') return new Map();
  const combiner = combinerOf(state)!;
  return new Map([...state.members.values()].map(({ id, index }) => [id, combiner.modelOf(index)]));
}
