/**
 * What a curious coordinator has seen of one participant, where answers come one by one. Every attack of the audit is a function of
 * these records and of nothing else; its results are scored against the truth elsewhere (score.ts).
 *
 * The coordinator is honest: it keeps to the protocol and only records. It knows the code, the settings (it made them) and
 * what it sent.
 */

import type { Moments } from '../../math/scaling.ts';
import { columnsOf } from '../../settings/feature-map.ts';
import type { FederationSettings } from '../../settings/wire.ts';
import type { AnswerScalars } from '../../solver/answer.ts';
import type { ProblemSettings } from '../../solver/problem.ts';
import { plusScaled } from '../../solver/vector.ts';

type Known = 'training' | 'bias' | 'classWeight' | 'features' | 'map' | 'seed' | 'passes';

export interface KnownSettings extends ProblemSettings, Pick<FederationSettings, Known> {
  /** x' = (x - shift) factor, once it is settled. */
  readonly scaling: { readonly shift: Float64Array; readonly factor: Float64Array } | undefined;
}

export interface ObservedRound {
  readonly round: number;
  /** As it was sent to the participant. */
  readonly w: Float64Array;
  readonly sigma: number;
  readonly tolerance: number;
  /** The whole contribution; undefined where there was none (a missed deadline, a round for the certificate) or it was summed unseen. */
  readonly u: Float64Array | undefined;
  /** With `answers` about (w, u / C2); with `steps` about (w, what was accepted last / C2). */
  readonly scalars: AnswerScalars | undefined;
  /** The share of the change that was taken: 1, or less by a norm bound; undefined: it was not accepted. */
  readonly taken: number | undefined;
}

export interface Observation {
  readonly participant: string;
  readonly settings: KnownSettings;
  /** n_k as reported on joining. */
  readonly rows: number | undefined;
  /** Count, mean and sum of squared deviations of every raw feature, where they were sent for the scaling. */
  readonly moments: Moments | undefined;
  readonly rounds: readonly ObservedRound[];
  /** The round whose w is in use at the end; 0: none in particular. */
  readonly best: number;
}

/**
 * From round to round: how a participant's contribution changed, and from what. A change is a combination of the rows whose duals
 * moved, and u before it is the sum of what was accepted: the coordinator keeps both books itself, to the last bit. Under the
 * paper's masks that is the contribution as it was sent, not the participant's own.
 */
export interface ObservedChange extends Pick<ObservedRound, 'round' | 'w' | 'sigma' | 'tolerance' | 'taken'> {
  /** Accepted before the round. */
  readonly before: Float64Array;
  readonly du: Float64Array;
  /** Change of the dual sum. With steps it is known when the next scalars come. */
  readonly ds: number | undefined;
  /** C1 sum_i c_i loss_i at `lossAt`. */
  readonly loss: number | undefined;
  /** The model that the loss is of, as far as it is known without the rows. */
  readonly lossAt: Float64Array;
}

/** Of every round in which a contribution was sent. One that changes nothing is a change, too: the paper's own step may hide in it. */
export function changesOf({ settings, rounds }: Observation): ObservedChange[] {
  const answers = settings.training === 'answers';
  let before: Float64Array = new Float64Array(columnsOf(settings));
  let s = 0;
  const changes: ObservedChange[] = [];
  for (const [r, seen] of rounds.entries()) {
    const { round, w, sigma, tolerance, u, scalars, taken } = seen;
    if (!u) continue;
    const du = plusScaled(u, -1, before);
    const ds = answers ? scalars && scalars.dualSum - s : laterGain(rounds, r);
    const lossAt = plusScaled(w, 1 / settings.c2, answers ? u : before);
    const loss = scalars?.loss;
    changes.push({ round, w, sigma, tolerance, before, du, ds, loss, lossAt, taken });
    if (taken === undefined) continue;
    before = taken === 1 ? u : plusScaled(before, taken, du);
    if (ds !== undefined) s += taken * ds;
  }
  return changes;
}

/** With steps scalars are about what was accepted before: those of the next round show the gain of this one. */
function laterGain(rounds: readonly ObservedRound[], r: number): number | undefined {
  const { scalars, taken } = rounds[r];
  const next = rounds.slice(r + 1).find((later) => later.scalars)?.scalars;
  return scalars && next && taken ? (next.dualSum - scalars.dualSum) / taken : undefined;
}
