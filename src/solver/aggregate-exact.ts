/**
 * `exact`: for each participant the coordinator keeps the last local solutions as atoms (their u and s; the participant
 * keeps their beta) beside the committed one, and takes the convex combination of all of them that maximises the dual.
 *
 * This is simplicial decomposition with one simplex per participant, or a bundle method seen from the primal: the atoms
 * are cuts, sigma is the proximal term. The committed solution is always among the atoms with its true s, so the dual
 * never falls, also for regression (where s of a combination is at least the combination of the s), and with any subset
 * of participants answering: those who did not are left as they are.
 */
import {
  type Aggregator,
  agreedSigma,
  type IndexedUpdate,
  inMemberOrder,
  type Outcome,
  sumOfChanges,
} from './aggregate.ts';
import { ascendSimplices, type Block } from './simplex-ascent.ts';
import { addScaled, plusScaled, weightedSum } from './vector.ts';

/** Local solutions kept per participant. Fewer converge later, more cost memory and gain little (docs/aggregation.md). */
export const ATOMS = 6;
/** Most sweeps over the blocks, and most multiplications in all, so that a coordinator of thousands keeps its pace. */
const SWEEPS = 200;
const MULTIPLICATIONS = 3e8;

interface KnownMember {
  u: Float64Array;
  atoms: { u: Float64Array; s: number }[];
}

export class Exact implements Aggregator {
  w: Float64Array;
  readonly atoms = ATOMS;
  sigma: number;
  private readonly c2: number;
  private readonly members: KnownMember[];

  constructor(d: number, participants: number, c2: number) {
    this.w = new Float64Array(d);
    this.sigma = participants;
    this.c2 = c2;
    this.members = Array.from({ length: participants }, () => ({ u: new Float64Array(d), atoms: [] }));
  }

  start(contributions: readonly Float64Array[]): void {
    for (const [k, u] of contributions.entries()) {
      this.members[k].u = u;
      addScaled(this.w, 1, u);
    }
  }

  aggregate(updates: readonly IndexedUpdate[]): Outcome[] {
    const ordered = inMemberOrder(updates);
    const blocks = ordered.map((update) => this.blockFor(update));
    const sweepCost = blocks.length * (this.atoms + 1) * this.w.length;
    const sweeps = Math.max(10, Math.min(SWEEPS, Math.floor(MULTIPLICATIONS / sweepCost)));
    ascendSimplices(this.w.slice(), blocks, this.c2, sweeps);
    for (const [i, { member }] of ordered.entries()) {
      this.members[member].u = weightedSum(normalised(blocks[i].weights), blocks[i].u);
    }
    this.sigma = agreedSigma(this.sigma, ordered, sumOfChanges(this.w.length, ordered));
    // Summed afresh from every participant's part: conservation holds to rounding, however many rounds have gone by.
    this.w = new Float64Array(this.w.length);
    for (const known of this.members) addScaled(this.w, 1, known.u);
    return ordered.map(({ member }, i) => ({ member, weights: blocks[i].weights }));
  }

  private blockFor(update: IndexedUpdate): Block {
    const known = this.members[update.member];
    known.atoms.push({ u: plusScaled(known.u, 1, update.du), s: update.s + update.ds });
    if (known.atoms.length > this.atoms) known.atoms.shift();
    return {
      s: [update.s, ...known.atoms.map((atom) => atom.s)],
      u: [known.u, ...known.atoms.map((atom) => atom.u)],
      weights: [1, ...known.atoms.map(() => 0)],
    };
  }
}

/** In place: weights that add up to 1 to the last bit that rounding allows. */
function normalised(weights: number[]): number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  for (let m = 0; m < weights.length; m++) weights[m] = weights[m] / sum;
  return weights;
}
