/**
 * Participants that do not play fair, for seeing what the defence is worth. They run the honest machine and change what it
 * sends: the change of their contribution in a round becomes
 *
 *   free-rider  nothing at all
 *   noise       a random direction, as long as the honest change
 *   echo        the last change of w, as long as the honest change
 *   poison      a long step against the shared model (at first, against the honest step)
 *
 * each times `scale`. They are no fools: what can be checked fits what they have sent before, as far as it goes: a value between the
 * bounds of their last answer, and the highest cut below it that the box of the duals allows. The same seed gives the same lies.
 */
import { stream } from '../base/random.ts';
import type { Accepted, AnswerMessage, Scalars, ToCoordinator, ToParticipant } from '../protocol/messages.ts';
import type { ScenarioValues } from '../settings/scenario.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { boundsOf } from '../solver/answer.ts';
import { lossOf } from '../solver/losses/losses.ts';
import { dot, norm, plusScaled } from '../solver/vector.ts';

export type Misbehaviour = NonNullable<ScenarioValues['misbehaving']>[number];

const DEFAULT_SCALE = { 'free-rider': 0, noise: 1, echo: 1, poison: 10 } as const;

/** A loss that drowns those of all others. */
const FALSE_ALARM = 1e9;

/** What was sent in a round, and to which w. */
interface Lie {
  readonly message: AnswerMessage;
  readonly w: Float64Array;
}

export class Misbehaving {
  private readonly behaviour: Misbehaviour;
  private readonly rows: number;
  private readonly seed: number;
  private settings: FederationSettings | undefined;
  /** What the coordinator has of us; undefined: nothing yet. */
  private contribution: Float64Array | undefined;
  /** The last lie that was accepted: those after it must fit it. */
  private believed: Lie | undefined;
  private lie: Lie | undefined;
  private latestRound = 0;
  private w: Float64Array | undefined;
  private change: Float64Array | undefined;

  constructor(behaviour: Misbehaviour, rows: number, seed: number) {
    this.behaviour = behaviour;
    this.rows = rows;
    this.seed = seed;
  }

  receive(message: ToParticipant): void {
    switch (message.kind) {
      case 'welcome':
        this.settings = message.settings;
        break;
      case 'round':
        this.settle(message.accepted, (round) => round < message.round);
        this.note(message.round, message.w);
        break;
      case 'outcome':
        this.settle(message.accepted, (round) => round === message.round);
        break;
      case 'reject':
        if (message.code === 'FORGOTTEN') this.contribution = this.believed = undefined;
    }
  }

  alter(message: ToCoordinator): ToCoordinator {
    if (message.kind !== 'answer') return message;
    // A retransmission, perhaps in another session.
    if (this.lie?.message.round === message.round) return { ...this.lie.message, session: message.session };
    const w = this.w ?? new Float64Array(message.u.length);
    this.lie = { message: this.lieFor(message, w), w };
    return this.lie.message;
  }

  private lieFor(honest: AnswerMessage, w: Float64Array): AnswerMessage {
    const before = this.contribution ?? new Float64Array(honest.u.length);
    const du = this.step(plusScaled(honest.u, -1, before), honest.round);
    const full = plusScaled(before, 1, du);
    const u = this.settings?.precision === 'f32' ? full.map(Math.fround) : full;
    const claims =
      this.settings?.training === 'answers' ? this.claims(honest, u, w) : this.scalars(honest, w);
    return { ...honest, u, scalars: claims, previous: honest.previous && before };
  }

  private step(du: Float64Array, round: number): Float64Array {
    const { kind, participant, scale = DEFAULT_SCALE[kind] } = this.behaviour;
    const size = scale * norm(du);
    switch (kind) {
      case 'free-rider':
        return new Float64Array(du.length);
      case 'noise': {
        const random = stream(this.seed, 'misbehaving', round, participant);
        const direction = du.map(() => random.normal());
        return ofLength(size, direction);
      }
      case 'echo':
        return ofLength(size, this.change ?? new Float64Array(du.length));
      case 'poison':
        return ofLength(-size, this.w?.some((value) => value !== 0) ? this.w : du);
    }
  }

  /** A value that fits the last one, and the highest cut below it that the box allows. */
  private claims({ scalars }: AnswerMessage, u: Float64Array, w: Float64Array): Scalars {
    const { c1 = 1, c2 = 1, objective = 'classification', loss } = this.settings ?? {};
    const uNorm2 = dot(u, u);
    const wDotU = dot(w, u);
    const personal = uNorm2 / (2 * c2);
    const value = Math.max(personal, this.fitting(w) ?? boundsOf(scalars, c2).value);
    const most = lossOf({ objective, loss }).dualRange.most * c1 * this.rows;
    const dualSum = Math.min(most, Math.max(0, value + wDotU + personal));
    return { loss: value - personal, dualSum, uNorm2, wDotU };
  }

  /** The most that the last accepted lie allows the value to be at w. */
  private fitting(w: Float64Array): number | undefined {
    if (!this.believed) return undefined;
    const { message, w: then } = this.believed;
    const { c2 = 1 } = this.settings ?? {};
    const step = plusScaled(w, -1, then);
    return boundsOf(message.scalars, c2).value - dot(message.u, step) + (c2 / 2) * dot(step, step);
  }

  /** With steps: of the model before, with a loss that goes with the dual sum. */
  private scalars({ scalars, round }: AnswerMessage, w: Float64Array): Scalars {
    if (this.settings?.dp) return scalars;
    const u = this.contribution ?? new Float64Array(w.length);
    const uNorm2 = dot(u, u);
    const product = dot(w, u) + (this.settings?.method === 'mtl' ? uNorm2 / this.settings.c2 : 0);
    const poisons = this.behaviour.kind === 'poison';
    const dualSum = poisons ? 0 : scalars.dualSum;
    const loss = Math.max(poisons ? FALSE_ALARM / round : scalars.loss, dualSum - product);
    return { loss, dualSum, uNorm2, wDotU: poisons ? 0 : scalars.wDotU };
  }

  private settle({ round, factor = 1 }: Accepted, closed: (round: number) => boolean): void {
    const { lie } = this;
    if (!lie || !closed(lie.message.round)) return;
    this.lie = undefined;
    if (round !== lie.message.round) return;
    const { u } = lie.message;
    const before = this.contribution ?? new Float64Array(u.length);
    this.contribution = factor === 1 ? u : plusScaled(before, factor, plusScaled(u, -1, before));
    this.believed = factor === 1 ? lie : undefined;
  }

  private note(round: number, w: Float64Array): void {
    if (round <= this.latestRound) return;
    if (this.w) this.change = plusScaled(w, -1, this.w);
    this.latestRound = round;
    this.w = w;
  }
}

function ofLength(length: number, vector: Float64Array): Float64Array {
  const size = norm(vector);
  return size > 0 ? vector.map((value) => (length / size) * value) : vector;
}
