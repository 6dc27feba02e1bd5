/**
 * Attack 4: Bernoulli masks by brute force. With rows in hand (attacks 2 and 3 give them, or the coordinator has guesses) the
 * full solve of a round is known, and the change that was sent is the sum over a subset of the changed rows: the subset that fits
 * is the mask. With d + 1 real equations for m binary unknowns the right one stands out as long as it can be found: by trying all
 * 2^m, m up to MOST changed rows (candidate-replay.ts). Continuous masks leave nothing to enumerate.
 *
 * Under the paper's semantics the u_k that was sent is a sum of masked steps and misses what was masked away, again in every round;
 * that sum of mask errors is all that hides v_k. Whoever knows the rows replays the unmasked steps and has v_k itself.
 */
import type { MaskSemantics } from '../../privacy/masks.ts';
import { type Candidate, observedSolves } from './candidate.ts';
import { replayCandidate } from './candidate-replay.ts';
import type { Observation } from './observation.ts';
import { distance } from './single-rows.ts';

/** Residual of a round that is explained: the participant's kernels are f32. */
const SAME = 1e-5;

/** The mask of each round, the share of rounds explained to `SAME`, and the participant's own v_k as rows and masks make it. */
export function explainMasks(observation: Observation, candidate: Candidate, semantics: MaskSemantics) {
  const { settings } = observation;
  const solves = observedSolves(observation);
  const replay = replayCandidate(settings, solves, candidate, semantics);
  const rounds = replay.rounds.map(({ round, mask, du }, r) => ({
    round,
    mask,
    residual: distance(du, solves[r].du),
  }));
  const explained = rounds.filter(({ mask, residual }) => mask && residual < SAME).length;
  return {
    rounds,
    explained: explained / Math.max(1, rounds.length),
    personal: replay.u.map((value) => value / settings.c2),
  };
}
