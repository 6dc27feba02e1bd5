/**
 * A limit (epsilon, delta) and what has been spent of it. Immutable: `spend` returns the next one. It refuses a round
 * that would go over the limit, so training stops BEFORE the budget is exceeded; ask `wouldExceed`
 * first. A round must be spent before its sum is published, and is spent even if the run fails after.
 */
import { inputError, invariant, KindredError } from '../../base/errors.ts';
import { checkDelta, checkEpsilon, composed, type RdpCurve, type Spent, spentAt } from './accountant.ts';
import { ORDERS } from './rdp.ts';

export interface PrivacyLimit {
  readonly epsilon: number;
  readonly delta: number;
}

/** For a store: plain numbers. */
export interface StoredBudget {
  readonly limit: PrivacyLimit;
  readonly rounds: number;
  /** RDP so far at each of `ORDERS`. */
  readonly rdp: readonly number[];
}

export class Budget {
  readonly limit: PrivacyLimit;
  readonly rounds: number;
  private readonly rdp: RdpCurve;

  constructor(limit: PrivacyLimit, rounds = 0, rdp: RdpCurve = new Float64Array(ORDERS.length)) {
    checkEpsilon(limit.epsilon);
    checkDelta(limit.delta);
    this.limit = limit;
    this.rounds = rounds;
    this.rdp = rdp;
  }

  static restore({ limit, rounds, rdp }: StoredBudget): Budget {
    if (rdp.length !== ORDERS.length || rdp.some((value) => !(value >= 0)))
      throw inputError('DP_BUDGET', `stored budget: expected ${ORDERS.length} RDP values, got ${rdp.length}`);
    return new Budget(limit, rounds, Float64Array.from(rdp));
  }

  stored(): StoredBudget {
    return { limit: this.limit, rounds: this.rounds, rdp: [...this.rdp] };
  }

  get spent(): Spent {
    return spentAt(this.rdp, this.limit.delta);
  }

  afterRounds(cost: RdpCurve, rounds = 1): Spent {
    checkRounds(rounds);
    return spentAt(composed(this.rdp, cost, rounds), this.limit.delta);
  }

  wouldExceed(cost: RdpCurve, rounds = 1): boolean {
    return this.afterRounds(cost, rounds).epsilon > this.limit.epsilon;
  }

  spend(cost: RdpCurve, rounds = 1): Budget {
    if (this.wouldExceed(cost, rounds)) {
      const { epsilon } = this.afterRounds(cost, rounds);
      throw new KindredError(
        'DP_BUDGET_EXCEEDED',
        `privacy budget: expected epsilon at most ${this.limit.epsilon}, got ${epsilon} with this round`,
        'run',
      );
    }
    return new Budget(this.limit, this.rounds + rounds, composed(this.rdp, cost, rounds));
  }
}

function checkRounds(rounds: number): void {
  invariant(Number.isInteger(rounds) && rounds >= 0, `rounds: expected an integer >= 0, got ${rounds}`);
}
