/**
 * The end of a round of which only the sum is known: the scaling from the first one; later the certificate and the step. What it
 * takes for the gap to be known is the loss of everybody at one w: until all are counted in, the last certificate stands.
 */

import { invariant } from '../base/errors.ts';
import { scalingFrom } from '../data/index.ts';
import type { Summed } from '../privacy/secure/index.ts';
import { exactLimit, momentsFrom, updateFrom } from '../protocol/index.ts';
import { type Certificate, TotalAggregator } from '../solver/index.ts';
import { closeWith, limitReached, modelInUse, noteGap, noteSilence } from './closing.ts';
import type { CoordinatorEffect } from './effects.ts';
import { settleScaling } from './membership.ts';
import { dropBest } from './model.ts';
import { payForSum, privacySpent } from './private-rounds.ts';
import { finish, open, openMeasuring } from './rounds.ts';
import { type CoordinatorState, membersHere, type RoundRow } from './state.ts';
import { steer } from './waiting.ts';

/** After so many steps without a known gap everybody is asked. */
const LOOK_EVERY = 10;

export function onSecureSummed(state: CoordinatorState, now: number): CoordinatorEffect[] {
  const secure = state.secure!;
  const { outcome } = secure;
  secure.outcome = undefined;
  const summed = outcome?.kind === 'summed' ? outcome : undefined;
  // Shares that come too late would still uncover the sum for a coordinator that kept it.
  if (outcome?.kind === 'abandoned' && outcome.phase === 'revealing') secure.looked = true;
  return secure.purpose === 'measure' ? onMeasured(state, summed, now) : onRoundSummed(state, summed, now);
}

function onMeasured(state: CoordinatorState, summed: Summed | undefined, now: number): CoordinatorEffect[] {
  const moments = summed && momentsFrom(summed.sum, state.secure!.core!.layout.ids.length);
  // Nobody sees who has put nonsense into a secret sum; that there is some, everybody would.
  if (!moments || !(moments.count >= 1)) {
    noteSilence(state);
    return limitReached(state, now) === undefined ? openMeasuring(state, now) : finish(state, 'rounds');
  }
  return settleScaling(state, scalingFrom(moments, state.options.scale), now);
}

function onRoundSummed(
  state: CoordinatorState,
  summed: Summed | undefined,
  now: number,
): CoordinatorEffect[] {
  const secure = state.secure!;
  const here = membersHere(state);
  const responders = here.filter((member) => member.answered);
  noteSilence(state);
  if (state.purpose === 'train') steer(state, responders.length / Math.max(1, here.length));
  const proof = look(state, summed);
  const used = proof ? modelInUse(state, { ...proof, certified: true }) : secure.certificate;
  secure.certificate = used;
  if (proof) noteGap(state, proof.relativeGap, used.relativeGap);
  const base: Omit<RoundRow, 'outcome'> = {
    round: state.round,
    atMs: now,
    purpose: state.purpose,
    responders: responders.map((member) => member.id),
    certified: proof !== undefined,
    sigma: state.aggregator!.sigma,
    ...used,
    ...privacySpent(state),
  };
  if (proof && used.relativeGap <= state.options.stop.gap) {
    return closeWith({ ...base, outcome: 'final' }, finish(state, 'gap'));
  }
  const limit = limitReached(state, now);
  if (limit && (state.purpose === 'certify' || limit === 'time' || limit === 'budget')) {
    return closeWith({ ...base, outcome: 'final' }, finish(state, limit));
  }
  if (state.purpose === 'certify') {
    return closeWith({ ...base, outcome: 'certified' }, open(state, 'train', now, []));
  }
  const changed = summed ? takeStep(state, summed) : [];
  if (summed && secure.purpose === 'train' && !proof) dropBest(state);
  const outcome = changed.length > 0 ? ('aggregated' as const) : ('abandoned' as const);
  const row = { ...base, outcome, ...privacySpent(state) };
  const end = limitReached(state, now);
  // Where no loss is told there is nothing to look at.
  if (state.options.dp)
    return closeWith(row, end ? finish(state, end, changed) : open(state, 'train', now, changed));
  // The loss at this w is known, if not of everybody: asked again it would tell of the rest.
  if (end && secure.looked) return closeWith(row, finish(state, end));
  const look10 = secure.unseen >= LOOK_EVERY && !secure.looked && [...state.members.values()].every(isHere);
  return closeWith(row, open(state, end || look10 ? 'certify' : 'train', now, changed));
}

/** The certificate of the present w, if everybody was counted in. */
function look(state: CoordinatorState, summed: Summed | undefined): Certificate | undefined {
  const secure = state.secure!;
  const { purpose } = secure;
  if (!summed || purpose === 'step' || purpose === 'measure' || state.options.dp) return undefined;
  secure.looked = true;
  const counted = new Set(summed.counted);
  if (state.purpose === 'certify') secure.unseen = 0;
  if (![...state.members.keys()].every((id) => counted.has(id))) return undefined;
  secure.unseen = 0;
  if (purpose === 'certify') return totalOf(state).certificateAt(summed.sum[0]);
  const { loss, gained } = updateFrom(summed.sum, purpose);
  return totalOf(state).certificateAt(loss!, gained);
}

/** Takes the sum in: the same weights for everybody who was counted in. Nobody, where sums would no longer be exact. */
function takeStep(state: CoordinatorState, { sum, counted }: Summed) {
  const secure = state.secure!;
  const purpose = secure.purpose === 'step' ? 'step' : 'train';
  const total = totalOf(state);
  const update = updateFrom(sum, purpose);
  const most = exactLimit(state.options.secure!);
  if (total.weigh(update).w.some((value) => Math.abs(value) >= most)) return [];
  const { weights } = total.take(update);
  const members = counted.flatMap((id) => state.members.get(id) ?? []);
  for (const member of members) member.accepted = { round: state.round, weights };
  payForSum(state);
  state.aggregated++;
  secure.unseen++;
  if (weights[1] > 0) secure.looked = false;
  return members;
}

function totalOf({ aggregator }: CoordinatorState): TotalAggregator {
  invariant(aggregator instanceof TotalAggregator, 'sums in secret need an aggregator of sums');
  return aggregator;
}

const isHere = ({ presence }: { presence: 'here' | 'left' }) => presence === 'here';
