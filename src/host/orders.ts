/** What the operator asks of a running federation: orders wait for their turn, and are answered once their effects have been carried out. */
import type { CoordinatorEffect, CoordinatorInput } from '../coordinator/effects.ts';
import type { Timing } from '../coordinator/state.ts';

/** What the operator may ask of a federation. */
export type Order =
  | 'pause'
  | 'resume'
  | 'finish'
  | 'recount'
  | 'reopen'
  | { readonly forget: string }
  | { readonly timing: Timing };

type Answer = (refusal: string | undefined) => void;

const CANCELLED = Symbol('refused before it was applied');

export class Orders {
  private readonly waiting = new Map<CoordinatorInput, Answer | typeof CANCELLED>();
  /** Answers the order whose effects are being carried out. */
  private answerCurrent: (() => void) | undefined;

  /** Resolves when the order has been carried out: with the reason if it was refused. */
  give(order: Order, now: number, take: (input: CoordinatorInput) => void): Promise<string | undefined> {
    const input = inputOf(order, now);
    return new Promise((answer) => {
      this.waiting.set(input, answer);
      take(input);
    });
  }

  /** The effects of an input, which may be an order: none, if it was refused while it waited. */
  effectsOf(input: CoordinatorInput, step: () => readonly CoordinatorEffect[]): readonly CoordinatorEffect[] {
    const answer = this.waiting.get(input);
    this.waiting.delete(input);
    if (answer === CANCELLED) return [];
    const effects = step();
    this.answerCurrent = answer && (() => answer(refusalIn(effects)));
    return effects;
  }

  /** All effects have been carried out. */
  settled(): void {
    this.answerCurrent?.();
    this.answerCurrent = undefined;
  }

  /** One that has been taken is carried out; those that wait behind it are not. */
  refuseAll(sentence: string): void {
    this.settled();
    for (const [input, answer] of this.waiting) {
      if (answer === CANCELLED) continue;
      this.waiting.set(input, CANCELLED);
      answer(sentence);
    }
  }
}

function refusalIn(effects: readonly CoordinatorEffect[]): string | undefined {
  const refusal = effects.find((effect) => effect.type === 'refusal');
  return refusal?.type === 'refusal' ? refusal.message : undefined;
}

function inputOf(order: Order, now: number): CoordinatorInput {
  if (typeof order === 'string') return { type: order, now };
  return 'forget' in order
    ? { type: 'forget', id: order.forget, now }
    : { type: 'timing', timing: order.timing, now };
}
