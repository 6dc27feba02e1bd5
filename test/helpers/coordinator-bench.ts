/** The coordinator's machine, spoken to by hand. */
import {
  type CoordinatorEffect,
  type CoordinatorOptions,
  type CoordinatorState,
  DEFAULT_OPTIONS,
  newCoordinator,
  restoreCoordinator,
  type StoredMember,
  type StoredRun,
  step,
} from '../../src/coordinator/index.ts';
import type { ToCoordinator, UpdateMessage } from '../../src/protocol/index.ts';

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
  tell(input: { readonly type: 'timer' | 'summed' | 'pause' | 'resume' | 'finish' }): CoordinatorEffect[] {
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

  join(id: string): CoordinatorEffect[] {
    const unknown = { session: 1, base: 0, pending: 0 };
    return this.say(id, { kind: 'join', id, rows: 3, features: 1, benchmarkMs: 10, ...unknown });
  }

  gather(...ids: string[]): void {
    for (const id of ids) this.join(id);
    for (const id of ids)
      this.say(id, { kind: 'moments', count: 3, mean: Float64Array.of(0), m2: Float64Array.of(1) });
  }
}

const scalars = { loss: 2, dualSum: 0, uNorm2: 0 };
export function update(round: number, base: number, changes: Partial<UpdateMessage> = {}): UpdateMessage {
  const du = Float64Array.of(0.5, 0.1);
  const duNorm2 = 0.5 * 0.5 + 0.1 * 0.1;
  return {
    kind: 'update',
    session: 1,
    round,
    base,
    du,
    ds: 1,
    uDotDu: 0,
    duNorm2,
    scalars,
    passes: 1,
    computeMs: 1,
    ...changes,
  };
}

export const sentTo = (effects: readonly CoordinatorEffect[], to: string) =>
  effects.flatMap((effect) => (effect.type === 'send' && effect.to === to ? [effect.message] : []));
