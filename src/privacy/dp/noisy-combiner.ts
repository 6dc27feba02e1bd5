/**
 * A combiner whose shared part carries noise: w = sum_k u_k + N, N the noise of all rounds so far. What the members have
 * contributed stays exact and is summed afresh as ever; N is kept beside it, so that w - N = sum_k u_k can be checked and
 * a crash neither loses noise nor adds it twice. N undoes the protection: it never leaves the coordinator.
 *
 * Only for rules that take steps without w or scalars (`safe`, `sum`).
 */

import { type Certificate, certificateOf } from '../../solver/certificate.ts';
import type {
  Combiner,
  CombinerMemory,
  IndexedUpdate,
  Joining,
  KnownMember,
  Order,
} from '../../solver/combiner.ts';
import { addScaled, plusScaled } from '../../solver/vector.ts';

export class NoisyCombiner implements Combiner {
  readonly settled = true;
  /** Which model is best is not known without the losses, and those are not sent. */
  readonly keepsBest = false;
  /** N. */
  noise: Float64Array;
  w: Float64Array;
  private readonly inner: Combiner;

  constructor(inner: Combiner) {
    this.inner = inner;
    this.noise = new Float64Array(inner.w.length);
    this.w = inner.w.slice();
  }

  get members(): ReadonlyMap<number, KnownMember> {
    return this.inner.members;
  }

  get sigma(): number {
    return this.inner.sigma;
  }

  orderFor(): Order {
    return { w: this.w, sigma: this.sigma };
  }

  modelOf(member: number): Float64Array {
    return plusScaled(this.inner.modelOf(member), 1, this.noise);
  }

  /** Participants do not send what it takes. */
  certificate(): Certificate {
    return certificateOf(Number.NaN, Number.NaN);
  }

  join(member: number, joining: Joining): void {
    this.inner.join(member, joining);
    this.renew();
  }

  forget(member: number): void {
    this.inner.forget(member);
    this.renew();
  }

  aggregate(updates: readonly IndexedUpdate[], gap: number): void {
    this.inner.aggregate(updates, gap);
    this.renew();
  }

  /** Once for every sum that is published. */
  addNoise(noise: Float64Array): void {
    this.noise = plusScaled(this.noise, 1, noise);
    this.renew();
  }

  get memory(): CombinerMemory {
    return { ...this.inner.memory, noise: this.noise };
  }

  recall(memory: CombinerMemory): void {
    this.inner.recall(memory);
    if (memory.noise) this.noise = memory.noise.slice();
    this.renew();
  }

  private renew(): void {
    this.w = this.inner.w.slice();
    addScaled(this.w, 1, this.noise);
  }
}
