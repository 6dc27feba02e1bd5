/** The coordinator's machine, spoken to by hand. */

import type { CoordinatorEffect } from '../../src/coordinator/effects.ts';
import { step } from '../../src/coordinator/machine.ts';
import { type CoordinatorOptions, DEFAULT_OPTIONS } from '../../src/coordinator/options.ts';
import type { CoordinatorState } from '../../src/coordinator/state.ts';
import type { StoredMember, StoredRun } from '../../src/coordinator/stored.ts';
import { newCoordinator, restoreCoordinator } from '../../src/coordinator/stored.ts';
import { orderFor } from '../../src/coordinator/training.ts';
import type { AnswerMessage, Join, ToCoordinator } from '../../src/protocol/messages.ts';
import { dot } from '../../src/solver/vector.ts';
import { USUAL_CLASSES } from './moments.ts';

/** A coordinator with a disk, spoken to by hand. */
export class Bench {
  state: CoordinatorState;
  readonly options: CoordinatorOptions;
  readonly disk = { run: undefined as StoredRun | undefined, members: new Map<string, StoredMember>() };
  now = 0;

  constructor(options: Partial<CoordinatorOptions> = {}) {
    this.options = { ...DEFAULT_OPTIONS, minParticipants: 2, retryMs: 1e6, maxWaitMs: 1000, ...options };
    this.state = newCoordinator(this.options);
    this.take(step(this.state, { type: 'start', now: 0 }));
  }

  say(from: string, message: ToCoordinator): CoordinatorEffect[] {
    return this.take(step(this.state, { type: 'message', from, message, now: this.now }));
  }

  /** Anything but a message, at the present time. */
  tell(
    input:
      | { readonly type: 'timer' | 'summed' | 'recount' | 'pause' | 'resume' | 'finish' | 'reopen' }
      | { readonly type: 'present'; readonly id: string },
  ): CoordinatorEffect[] {
    return this.take(step(this.state, { ...input, now: this.now }));
  }

  take(effects: CoordinatorEffect[]): CoordinatorEffect[] {
    for (const effect of effects) {
      if (effect.type !== 'persist') continue;
      this.disk.run = effect.changes.run;
      for (const member of effect.changes.members) this.disk.members.set(member.id, member);
      for (const id of effect.changes.removed) this.disk.members.delete(id);
    }
    return effects;
  }

  crashAndRestart(): CoordinatorEffect[] {
    this.state = restoreCoordinator(this.options, this.disk.run!, this.disk.members.values());
    return this.take(step(this.state, { type: 'start', now: this.now }));
  }

  join(id: string, changes: Partial<Join> = {}): CoordinatorEffect[] {
    const unknown = { session: 1, base: 0, pending: 0, edition: 0 };
    return this.say(id, { kind: 'join', id, rows: 3, features: 1, benchmarkMs: 10, ...unknown, ...changes });
  }

  forget(id: string): CoordinatorEffect[] {
    return this.take(step(this.state, { type: 'forget', id, now: this.now }));
  }

  away(id: string): CoordinatorEffect[] {
    return this.take(step(this.state, { type: 'away', id, now: this.now }));
  }

  /** Everybody named answers the open round, as one with the given function. */
  answer(...ids: string[]): CoordinatorEffect[] {
    return ids.flatMap((id) => this.say(id, this.answerOf(id)));
  }

  /** An exact answer to the open round by somebody whose function is C2/2 |w - centre|^2. */
  answerOf(id: string, centre: readonly [number, number] = [1, 0.2]): AnswerMessage {
    const { round, options, members } = this.state;
    const { accepted, session } = members.get(id)!;
    const { c2 } = options;
    const { w } = orderFor(this.state, members.get(id)!);
    const u = w.map((value, j) => c2 * (centre[j] - value));
    return answer(round, accepted.round, { session, u, scalars: scalarsFor(w, u, c2) });
  }

  /** The w of the open round. */
  get query(): Float64Array {
    return orderFor(this.state, [...this.state.members.values()][0]).w;
  }

  get isResting(): boolean {
    return this.state.phase === 'finished';
  }

  gather(...ids: string[]): void {
    for (const id of ids) this.join(id);
    for (const id of ids)
      this.say(id, {
        kind: 'moments',
        count: 3,
        mean: Float64Array.of(0),
        m2: Float64Array.of(1),
        ...USUAL_CLASSES,
      });
  }
}

/**
 * What somebody says whose loss, at its best personal part, is that of the quadratic C2/2 |w - centre|^2: F is |u|^2 / (2 C2), so the
 * loss beside the personal part is 0, and the cut touches F at w.
 */
function scalarsFor(w: Float64Array, u: Float64Array, c2: number) {
  const uNorm2 = dot(u, u);
  const wDotU = dot(w, u);
  return { loss: 0, dualSum: uNorm2 / c2 + wDotU, uNorm2, wDotU };
}

/** Of the first round, in which w is 0; C2 is 1. */
export function answer(round: number, base: number, changes: Partial<AnswerMessage> = {}): AnswerMessage {
  const u = Float64Array.of(1, 0.2);
  return {
    kind: 'answer',
    session: 1,
    round,
    base,
    u,
    scalars: scalarsFor(new Float64Array(2), u, 1),
    passes: 1,
    computeMs: 1,
    previous: undefined,
    ...changes,
  };
}

export const sentTo = (effects: readonly CoordinatorEffect[], to: string) =>
  effects.flatMap((effect) => (effect.type === 'send' && effect.to === to ? [effect.message] : []));
