/**
 * Drives a machine: inputs go in one at a time, and what the machine asks for is carried out in order. An effect that returns a
 * promise is complete before the next one begins; inputs that arrive meanwhile wait their turn. Where nothing returns a promise
 * everything happens before `take` returns, so that a simulation on a virtual clock and a real process run the same loop.
 */
interface Driven<Input, Effect> {
  step(input: Input): readonly Effect[];
  /** Absent: every input is taken on its own. */
  readonly group?: Group<Input, Effect> | undefined;
  perform(effect: Effect): void | Promise<void>;
  /** All effects of an input have been carried out. */
  settled?(): void;
  /** A step or an effect has thrown. Nothing after it has been carried out, and the loop has stopped. */
  failed(error: unknown): void;
}

/** Inputs that have waited may be taken together: what they ask for is then carried out once for all of them. */
interface Group<Input, Effect> {
  /** Asked before each: of those that follow one another. */
  takes(next: Input): boolean;
  merge(effects: readonly Effect[]): readonly Effect[];
}

const MOST_TOGETHER = 1000;

export class EffectLoop<Input, Effect> {
  private readonly driven: Driven<Input, Effect>;
  private readonly inputs: Input[] = [];
  private effects: readonly Effect[] = [];
  private next = 0;
  /** Effects of the present input are still to be carried out, or `settled` to be called. */
  private isUnsettled = false;
  private isRunning = false;
  private isStopped = false;

  constructor(driven: Driven<Input, Effect>) {
    this.driven = driven;
  }

  take(input: Input): void {
    if (this.isStopped) return;
    this.inputs.push(input);
    if (!this.isRunning) this.run();
  }

  /** Nothing more is carried out, not even what is left of the present input. */
  stop(): void {
    this.isStopped = true;
    this.inputs.length = 0;
  }

  /** Until there is nothing to do, or something has to be waited for. */
  private run(): void {
    this.isRunning = true;
    try {
      while (!this.isStopped) {
        if (this.next < this.effects.length) {
          const pending = this.driven.perform(this.effects[this.next++]);
          if (pending) {
            pending.then(
              () => this.run(),
              (error: unknown) => this.fail(error),
            );
            return;
          }
          continue;
        }
        if (this.isUnsettled) this.settle();
        else if (!this.takeNext()) break;
      }
    } catch (error) {
      this.fail(error);
    }
    this.isRunning = false;
  }

  private takeNext(): boolean {
    const input = this.inputs.shift();
    if (input === undefined) return false;
    const { group } = this.driven;
    this.effects = group?.takes(input) ? this.together(input, group) : this.driven.step(input);
    this.next = 0;
    this.isUnsettled = true;
    return true;
  }

  private together(first: Input, { takes, merge }: Group<Input, Effect>): readonly Effect[] {
    const all = [this.driven.step(first)];
    while (this.inputs.length > 0 && all.length < MOST_TOGETHER && takes(this.inputs[0]))
      all.push(this.driven.step(this.inputs.shift()!));
    return all.length === 1 ? all[0] : merge(all.flat());
  }

  private settle(): void {
    this.isUnsettled = false;
    this.driven.settled?.();
  }

  private fail(error: unknown): void {
    this.stop();
    this.driven.failed(error);
  }
}
