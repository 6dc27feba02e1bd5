/**
 * MOCHA (Smith et al. 2017, "Federated Multi-Task Learning"), the coordinator's side:
 *
 *   min over W = [w_1 .. w_m] and Omega  sum_t (1/n_t) sum_i c hinge(y, w_t.x) + lambda/2 tr(W Omega W^T)
 *
 * by turns. With M = Omega^-1 fixed, W is found in the dual as everywhere here: u_t = sum_i beta_i x_i with
 * 0 <= y beta <= c/n_t, w_t = (1/lambda) sum_t' M_tt' u_t', and every task solves for itself with
 * q_t = sigma' M_tt / lambda, updates added in full. With W fixed, M follows from it (relations.ts).
 *
 * A participant holds n_t beta and n_t u_t, boxes of height c instead of c/n_t: its local problem is the usual one with
 * C1 = 1 and no personal part. Divided by n_t its step is q_t / n_t, and that is the sigma it is sent.
 *
 * Departures: the certificate is that of the W step (Omega fixed), computed through u so that M need not be invertible.
 * Omega is renewed when the gap under it has come down to a tenth, or after some rounds. Whoever does not answer keeps
 * its u: the bound holds for any subset.
 */
import { invariant } from '../base/errors.ts';
import { type Certificate, certificateOf } from './certificate.ts';
import type {
  Combiner,
  CombinerMemory,
  IndexedScalars,
  IndexedUpdate,
  Joining,
  KnownMember,
  Order,
} from './combiner.ts';
import {
  couplingOf,
  modelsFrom,
  renewed,
  type Turn,
  unrelated,
  withNewcomer,
  withoutTask,
} from './relations.ts';
import { dot } from './vector.ts';

/** Rounds on one Omega at the most. */
const ROUNDS_PER_OMEGA = 20;
/** The gap at which the first Omega, which knows nothing, is given up. */
const FIRST_GOAL = 0.1;
/** Omega is settled when no entry of M moves by more than this share of the largest one. */
const SETTLED = 1e-2;

interface MochaOptions {
  /** Columns, with the bias. */
  readonly d: number;
  readonly lambda: number;
  /** The gap that is wanted in the end: no Omega is kept beyond it. */
  readonly gap: number;
}

/** A member with its rows; u is n_t u_t. */
interface Task extends KnownMember {
  readonly rows: number;
}

export class MochaAggregator implements Combiner {
  readonly members = new Map<number, Task>();
  /** There is no shared part. */
  readonly w: Float64Array;
  readonly keepsBest = false;
  private readonly options: MochaOptions;
  /** M, by rows and columns in the order of the members. */
  private matrix = unrelated(0);
  /** Made when first asked for, and again after M or a u has changed. */
  private derived: ReturnType<MochaAggregator['derive']> | undefined;
  private turn: Turn = { goal: FIRST_GOAL, rounds: 0, settled: false };

  constructor(options: MochaOptions) {
    this.options = options;
    this.w = new Float64Array(options.d);
  }

  get sigma(): number {
    return this.present.coupling;
  }

  get settled(): boolean {
    return this.turn.settled;
  }

  orderFor(member: number): Order {
    const order = this.present.orders.get(member);
    invariant(order, `mocha: participant ${member} has not joined`);
    return order;
  }

  modelOf(member: number): Float64Array {
    return this.orderFor(member).w;
  }

  /** P and D for the present Omega. */
  certificate(scalars: readonly IndexedScalars[]): Certificate {
    let loss = 0;
    let gain = 0;
    for (const { member, ...reported } of [...scalars].sort((a, b) => a.member - b.member)) {
      const { rows } = this.members.get(member)!;
      loss += reported.loss / rows;
      gain += reported.dualSum / rows;
    }
    // lambda/2 tr(W Omega W^T) = 1/2 sum_t w_t.u_t.
    let quadratic = 0;
    for (const [member, { u, rows }] of this.members) quadratic += dot(this.modelOf(member), u) / (2 * rows);
    return certificateOf(quadratic + loss, gain - quadratic);
  }

  join(member: number, { rows, u = new Float64Array(this.w.length) }: Joining): void {
    const m = this.members.size;
    // While nobody has contributed all models are 0 under any M.
    const untouched = [...this.members.values()].every((task) => task.u.every((value) => value === 0));
    this.matrix = untouched ? unrelated(m + 1) : withNewcomer(this.matrix, m);
    // A peer may claim to have no rows at all.
    this.members.set(member, { rows: Math.max(1, rows), u });
    this.unsettle();
  }

  forget(member: number): void {
    const place = [...this.members.keys()].indexOf(member);
    this.matrix = withoutTask(this.matrix, this.members.size, place);
    this.members.delete(member);
    this.unsettle();
  }

  aggregate(updates: readonly IndexedUpdate[], gap: number): void {
    for (const { member, u } of updates) {
      const task = this.members.get(member);
      invariant(task, `aggregate: participant ${member} has not joined`);
      task.u = u;
    }
    this.derived = undefined;
    this.takeTurn(gap);
  }

  get memory(): CombinerMemory {
    return { relations: { matrix: this.matrix, turn: this.turn } };
  }

  recall({ relations }: CombinerMemory): void {
    if (!relations) return;
    this.matrix = relations.matrix;
    this.turn = relations.turn;
    this.derived = undefined;
  }

  /** One more round on this Omega, whose gap was `gap` before it; then perhaps a new Omega. */
  private takeTurn(gap: number): void {
    const goal = this.turn.goal ?? Math.max(this.options.gap, gap / 10);
    const rounds = this.turn.rounds + 1;
    if (gap > goal && rounds < ROUNDS_PER_OMEGA) {
      this.turn = { ...this.turn, goal, rounds };
      return;
    }
    const models = [...this.members.keys()].map((member) => this.modelOf(member));
    const { matrix, moved } = renewed(this.matrix, models);
    this.matrix = matrix;
    this.turn = { goal: undefined, rounds: 0, settled: moved <= SETTLED };
    this.derived = undefined;
  }

  /** Others are there now: it takes a renewal to see how far that moves Omega. */
  private unsettle(): void {
    this.turn = { ...this.turn, settled: false };
    this.derived = undefined;
  }

  /** What M and all u come to. */
  private get present() {
    this.derived ??= this.derive();
    return this.derived;
  }

  private derive() {
    const { matrix, members } = this;
    const { lambda } = this.options;
    const m = members.size;
    const coupling = couplingOf(matrix, m);
    const models = modelsFrom(matrix, [...members.values()], lambda);
    const orders = [...members].map(([member, { rows }], t) => {
      const sigma = (coupling * matrix[t * m + t]) / (lambda * rows);
      return [member, { w: models[t], sigma }] as const;
    });
    return { coupling, orders: new Map<number, Order>(orders) };
  }
}
