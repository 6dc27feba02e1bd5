/**
 * A participant's answer to w (answer.ts) taken to a small duality gap of its own:
 *
 *   F(w) <= C2/2 |v|^2 + C1 sum_i c_i loss_i(w + v) = primal,     F(w) >= sum_i s(beta_i) - |u|^2 / (2 C2) - w.u = dual
 *
 * One solve carries the change of its margins in f32; starting again from exact margins removes that error, so the answer is solved
 * several times, each time more tightly. The first candidate is v = 0: the result is never worse than w alone.
 */
import { type Answer, answer, answerWith, boundsOf } from './answer.ts';
import { certificateOf } from './certificate.ts';
import { localTolerance } from './local-solve.ts';
import type { Shard } from './shard.ts';

interface CertifiedAnswerOptions {
  /** Stop at this relative gap. */
  readonly gap: number;
  /** Most passes over the rows, all solves together. */
  readonly passes: number;
  /** Seed of the row order in solve 1, 2, ... */
  readonly seedOf: (solve: number) => number;
}

/** Solves grow longer: computing the gap costs as much as several passes over shrunk rows. */
const FIRST_PASSES = 20;
const LONGER = 1.5;
const LEAST_TOLERANCE = 1e-12;

export function certifiedAnswer(shard: Shard, w: Float64Array, options: CertifiedAnswerOptions) {
  const boundsAt = ({ scalars }: Pick<Answer, 'scalars'>) => {
    const { value, constant } = boundsOf(scalars, shard.settings.c2);
    return { primal: value, dual: constant - scalars.wDotU };
  };
  const start = answerWith(shard, w, shard.startingBeta());
  let { beta, u } = start;
  let { primal, dual } = boundsAt(start);
  let certificate = certificateOf(primal, dual);
  let passes = 0;
  let tolerance = 0.1;
  for (let solve = 1; certificate.relativeGap > options.gap && passes < options.passes; solve++) {
    const most = Math.min(options.passes - passes, Math.ceil(FIRST_PASSES * LONGER ** solve));
    // Tighter even where the gap has not fallen: a pass skips moves that are small against its tolerance.
    tolerance = Math.max(LEAST_TOLERANCE, Math.min(localTolerance(certificate.relativeGap), tolerance / 10));
    const seed = options.seedOf(solve);
    const next = answer(shard, w, { sigma: 0, tolerance, passes: most, seed }, { beta });
    const bounds = boundsAt(next);
    if (bounds.primal < primal) ({ u } = next);
    primal = Math.min(primal, bounds.primal);
    dual = Math.max(dual, bounds.dual);
    certificate = certificateOf(primal, dual);
    beta = next.beta;
    passes += next.passes;
  }
  return { u, certificate, passes };
}
