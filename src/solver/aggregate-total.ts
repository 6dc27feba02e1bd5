/**
 * Aggregation where the coordinator sees sums only: all that it knows is w, and sum_k s and sum_k |u_k|^2 as they follow from
 * what was added up. Rules that need no more: `line-search`, `safe`, `sum` (aggregate.ts).
 *
 * The step is a multiple of 2^-stepBits, the best of these along the direction: D is a parabola in the step, so the nearest to its top,
 * and the dual still never falls. Everybody moves by theta du_k exactly (`commitStep`), and where du is on a grid so are
 * w and u_k: then w is the sum of all u_k to the last bit.
 *
 *   S <- S + gained + theta sum ds          gained: what s was more than its share of ds after the last step (regression)
 *   N <- N + 2 theta sum u_k.du_k + theta^2 sum |du_k|^2
 */
import { AGGREGATION_RULES, type Aggregation } from './aggregate.ts';
import type { AggregationRule, IndexedUpdate } from './aggregation-rule.ts';
import { type Certificate, certificate } from './certificate.ts';
import type { Combiner, CombinerMemory, IndexedScalars, KnownMember, Order, Outcome } from './combiner.ts';
import type { CommitContext, MemberState, Update } from './member.ts';
import { commit } from './member.ts';
import { dot, plusScaled } from './vector.ts';

/** A sum over those who were counted in. */
export interface TotalUpdate extends Omit<Update, 's'> {
  readonly gained: number;
}

export interface TotalOptions {
  readonly rule: Exclude<Aggregation, 'exact'>;
  readonly d: number;
  readonly c2: number;
  readonly stepBits: number;
}

export class TotalAggregator implements Combiner {
  /** Nothing is known of anybody. */
  readonly members: ReadonlyMap<number, KnownMember> = new Map();
  readonly settled = true;
  readonly keepsBest: boolean;
  w: Float64Array;
  private readonly rule: AggregationRule;
  private readonly options: TotalOptions;
  private participants = 0;
  private s = 0;
  private uNorm2 = 0;

  constructor(options: TotalOptions) {
    this.options = options;
    this.rule = AGGREGATION_RULES[options.rule];
    this.keepsBest = options.rule !== 'sum';
    this.w = new Float64Array(options.d);
  }

  get atoms(): number {
    return this.rule.atoms;
  }

  get sigma(): number {
    return this.rule.startSigma(this.participants);
  }

  orderFor(): Order {
    return { w: this.w, sigma: this.sigma };
  }

  /** What is known of anybody's model: the shared part. */
  modelOf(): Float64Array {
    return this.w;
  }

  certificate(scalars: readonly IndexedScalars[]): Certificate {
    return this.certificateAt(scalars.reduce((sum, { loss }) => sum + loss, 0));
  }

  /** From the loss of all at the present w; without what s has gained, the dual is a lower bound. */
  certificateAt(loss: number, gained = 0): Certificate {
    const { w, s, uNorm2, options } = this;
    return certificate(dot(w, w), options.c2, [{ loss, dualSum: s + gained, uNorm2 }]);
  }

  join(): void {
    this.participants++;
  }

  /** Its part stays in w: nobody but itself knows it. */
  forget(): void {
    this.participants--;
  }

  aggregate(updates: readonly IndexedUpdate[]): Outcome[] {
    const total = updates.reduce<TotalUpdate>(
      (sum, { du, ds, uDotDu, duNorm2 }) => ({
        du: plusScaled(sum.du, 1, du),
        ds: sum.ds + ds,
        uDotDu: sum.uDotDu + uDotDu,
        duNorm2: sum.duNorm2 + duNorm2,
        gained: 0,
      }),
      { du: new Float64Array(this.w.length), ds: 0, uDotDu: 0, duNorm2: 0, gained: 0 },
    );
    const { weights } = this.take(total);
    return updates.map(({ member }) => ({ member, weights: [...weights] }));
  }

  /** w after a step along the sum, and the weights for everybody who was counted in; nothing is changed yet. */
  weigh(total: TotalUpdate): { readonly w: Float64Array; readonly weights: readonly number[] } {
    const theta = this.options.rule === 'line-search' ? this.bestStep(total) : 1;
    return { w: plusScaled(this.w, theta, total.du), weights: [1 - theta, theta] };
  }

  take(total: TotalUpdate): { readonly weights: readonly number[] } {
    const { w, weights } = this.weigh(total);
    const theta = weights[1];
    this.w = w;
    this.s += total.gained + theta * total.ds;
    this.uNorm2 += 2 * theta * total.uDotDu + theta * theta * total.duNorm2;
    return { weights };
  }

  get memory(): CombinerMemory {
    const { w, s, uNorm2 } = this;
    return { sigma: undefined, relations: undefined, total: { w, s, uNorm2 } };
  }

  recall({ total }: CombinerMemory): void {
    if (!total) return;
    this.w = total.w;
    this.s = total.s;
    this.uNorm2 = total.uNorm2;
  }

  private bestStep({ du, ds, uDotDu, duNorm2 }: TotalUpdate): number {
    const { c2, stepBits } = this.options;
    const slope = ds - dot(this.w, du) - uDotDu / c2;
    const curvature = dot(du, du) + duNorm2 / c2;
    const best = curvature > 0 ? Math.min(1, Math.max(0, slope / curvature)) : 0;
    const grid = 2 ** stepBits;
    return Math.round(best * grid) / grid;
  }
}

/**
 * `commit` for one atom, with u moved by theta (u' - u): the same numbers as a combination of u and u', and exact where both
 * are on a grid. Also says what s has gained beyond theta ds.
 */
export function commitStep(
  context: CommitContext,
  state: MemberState,
  weights: readonly number[],
): MemberState & { readonly gained: number } {
  const next = commit(context, state, weights);
  const { committed } = state;
  const [atom] = state.atoms;
  const theta = weights[1];
  const u = plusScaled(committed.u, theta, plusScaled(atom.u, -1, committed.u));
  const gained = next.committed.s - (committed.s + theta * (atom.s - committed.s));
  return { committed: { ...next.committed, u }, atoms: next.atoms, gained };
}
