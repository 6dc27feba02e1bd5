/** The participant's machine, spoken to by hand: rows, solves and the disk are the test's. */
import type { ParticipantEffect, SolveRequest } from '../../src/participant/effects.ts';
import { step } from '../../src/participant/machine.ts';
import { secureSide } from '../../src/participant/secure.ts';
import {
  newParticipant,
  type ParticipantState,
  type Profile,
  type Stored,
} from '../../src/participant/state.ts';
import type {
  Accepted,
  AnswerMessage,
  Finish,
  RoundMessage,
  ToCoordinator,
  ToParticipant,
} from '../../src/protocol/messages.ts';
import type { FederationSettings } from '../../src/settings/wire.ts';
import type { BoxContext } from '../../src/solver/problem.ts';
import { SETTINGS } from '../protocol/samples.ts';

const SIDE = secureSide();

const PROFILE: Profile = {
  id: 'ada',
  rows: 1,
  features: 1,
  benchmarkMs: 5,
  moments: { count: 1, mean: Float64Array.of(0), m2: Float64Array.of(0) },
  targets: { labels: ['-1', '1'], positive: undefined, values: { mean: 0, m2: 0 } },
  retryMs: 100,
};

export class ParticipantBench {
  state: ParticipantState;
  readonly settings: FederationSettings;
  /** What was stored last. */
  disk: Stored | undefined;
  now = 0;
  /** In order, the types of all effects, and the kinds of what was sent. */
  readonly log: string[] = [];
  request: SolveRequest | undefined;

  constructor(settings: Partial<FederationSettings> = {}, profile: Partial<Profile> = {}) {
    this.settings = { ...SETTINGS, features: 1, bias: false, retryMs: 50, straggler: 'restart', ...settings };
    this.state = newParticipant({ ...PROFILE, ...profile });
  }

  /** What it sends on an input. */
  take(effects: readonly ParticipantEffect[]): ToCoordinator[] {
    for (const effect of effects) {
      this.log.push(effect.type === 'send' ? `send ${effect.message.kind}` : effect.type);
      if (effect.type === 'persist') this.disk = structuredClone(effect.stored);
      if (effect.type === 'solve') this.request = effect.request;
    }
    return effects.flatMap((effect) => (effect.type === 'send' ? [effect.message] : []));
  }

  start = () => this.take(step(this.state, { type: 'start', now: this.now }, SIDE));
  timer = () => this.take(step(this.state, { type: 'timer', now: this.now }, SIDE));
  leave = () => this.take(step(this.state, { type: 'leave', now: this.now }, SIDE));
  receive = (message: ToParticipant) =>
    this.take(step(this.state, { type: 'message', message, now: this.now }, SIDE));

  welcome(scaled: 'scaled' | 'not yet' = 'scaled', shift = 0): ToCoordinator[] {
    const scaling = { shift: Float64Array.of(shift), factor: Float64Array.of(1) };
    return this.receive({
      kind: 'welcome',
      settings: this.settings,
      scaling: scaled === 'scaled' ? scaling : undefined,
      agreement: scaled === 'scaled' ? { classes: undefined, target: { shift: 0, scale: 1 } } : undefined,
      waitingFor: undefined,
      awaited: scaled === 'scaled' ? 0 : 1,
    });
  }

  /** Its rows are scaled. */
  prepared(): ToCoordinator[] {
    const problem = { objective: 'classification', y: [1], cap: [1], c: [1], n: 1, settings: this.settings };
    return this.take(
      step(this.state, { type: 'prepared', problem: problem as unknown as BoxContext, now: this.now }, SIDE),
    );
  }

  /** Started, welcomed and ready for a round. */
  ready(): this {
    this.start();
    this.welcome();
    this.prepared();
    return this;
  }

  round(round: number, accepted: Accepted, changes: Partial<RoundMessage> = {}): ToCoordinator[] {
    return this.receive({
      kind: 'round',
      session: this.state.stored.session,
      round,
      best: 0,
      purpose: 'train',
      w: Float64Array.of(0),
      sigma: 0,
      tolerance: 0.1,
      waitMs: 100,
      accepted,
      sendPrevious: false,
      ...changes,
    });
  }

  finish(round: number, accepted: Accepted, changes: Partial<Finish> = {}): ToCoordinator[] {
    const { session } = this.state.stored;
    const w = Float64Array.of(7);
    const told = { participants: 2, missing: 0, w, accepted };
    return this.receive({ kind: 'finish', session, round, best: 0, reason: 'gap', ...told, ...changes });
  }

  /** The solve that was asked for has come to u. */
  solved(u: number): ToCoordinator[] {
    const { round, purpose, committed } = this.request!;
    const solution = { beta: new Float64Array(0), u: Float64Array.of(u), s: 0 };
    const scalars = { loss: 1, dualSum: 0, uNorm2: u * u, wDotU: 0 };
    const from = committed ?? { ...solution, u: Float64Array.of(0) };
    const result = { round, purpose, scalars, solution, committed: from, passes: 3, computeMs: 1 };
    return this.take(step(this.state, { type: 'solved', result, now: this.now }, SIDE));
  }

  /** Asked, and answered with u. */
  answers(round: number, accepted: Accepted, u: number, changes: Partial<RoundMessage> = {}): AnswerMessage {
    this.round(round, accepted, changes);
    return this.solved(u).find((message) => message.kind === 'answer')!;
  }

  /** Killed at once, and started again from what is stored. */
  crashAndRestart(): ToCoordinator[] {
    this.state = newParticipant(this.state.profile, this.disk);
    const sent = this.start();
    return [...sent, ...this.prepared()];
  }

  /** What counts, as far as it knows. */
  get contribution(): number | undefined {
    return this.state.stored.committed?.u[0];
  }
}
