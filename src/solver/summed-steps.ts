/**
 * Steps of which only the sum is seen (`safe` and `sum` under secure aggregation with differential privacy): all that is known is w.
 * Nobody reports a loss, so there is no certificate, and nobody's part can be taken out again.
 */
import { STEP_RULES, type StepRule } from './aggregate.ts';
import { type Certificate, certificateOf } from './certificate.ts';
import type { Combiner, CombinerMemory, KnownMember, Order } from './combiner.ts';
import { plusScaled } from './vector.ts';

export class SummedSteps implements Combiner {
  /** Nothing is known of anybody. */
  readonly members: ReadonlyMap<number, KnownMember> = new Map();
  readonly settled = true;
  readonly keepsBest = false;
  w: Float64Array;
  private readonly rule: StepRule;
  private participants = 0;

  constructor(rule: StepRule, d: number) {
    this.rule = rule;
    this.w = new Float64Array(d);
  }

  get sigma(): number {
    return STEP_RULES[this.rule].sigma(this.participants);
  }

  orderFor(): Order {
    return { w: this.w, sigma: this.sigma };
  }

  /** What is known of anybody's model: the shared part. */
  modelOf(): Float64Array {
    return this.w;
  }

  certificate(): Certificate {
    return certificateOf(Number.NaN, Number.NaN);
  }

  join(): void {
    this.participants++;
  }

  /** Its part stays in w: nobody but itself knows it. */
  forget(): void {
    this.participants--;
  }

  aggregate(): void {}

  add(steps: Float64Array): void {
    this.w = plusScaled(this.w, 1, steps);
  }

  get memory(): CombinerMemory {
    return { w: this.w };
  }

  recall({ w }: CombinerMemory): void {
    if (w) this.w = w;
  }
}
