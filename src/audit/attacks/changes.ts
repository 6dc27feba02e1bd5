/**
 * From round to round: how a participant's contribution changed, and from what. A change is a combination of the rows whose duals
 * moved, and u before it is the sum of what was accepted: the coordinator keeps both books itself, to the last bit. Under the
 * paper's masks that is the contribution as it was sent, not the participant's own.
 */
import { plusScaled } from '../../solver/vector.ts';
import { columnsOf, type Observation, type ObservedRound } from './observation.ts';

export interface ObservedChange {
  readonly round: number;
  readonly w: Float64Array;
  readonly sigma: number;
  readonly tolerance: number;
  /** Accepted before the round. */
  readonly before: Float64Array;
  readonly du: Float64Array;
  /** Change of the dual sum. With steps it is known when the next scalars come. */
  readonly ds: number | undefined;
  /** C1 sum_i c_i loss_i at `lossAt`. */
  readonly loss: number | undefined;
  /** The model that the loss is of, as far as it is known without the rows. */
  readonly lossAt: Float64Array;
  /** The share of the change that was taken. */
  readonly taken: number | undefined;
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
