/**
 * Participants that do not play fair, for seeing what the defence is worth. They run the honest machine and change what it
 * says on its way out: the update of a round becomes
 *
 *   free-rider  nothing at all
 *   noise       a random direction, as long as the honest update
 *   echo        the last change of w, as long as the honest update
 *   poison      a long step against the shared model (at first, against the honest step), with the largest gain claimed for
 *               it that can be, and losses that fall from round to round, so that the latest model always seems the best
 *
 * each times `scale`. They are no fools: what can be checked (|du|^2, u.du, |u|^2) fits what they have told before, which
 * takes keeping book of the coordinator's u. The same seed gives the same lies.
 */
import { stream } from '../base/random.ts';
import { settled } from '../participant/index.ts';
import type {
  Accepted,
  FederationSettings,
  Report,
  Scalars,
  ToCoordinator,
  ToParticipant,
  UpdateMessage,
} from '../protocol/index.ts';
import { dot, type MemberState, norm, plusScaled, type Solution } from '../solver/index.ts';

export const MISDEEDS = ['free-rider', 'noise', 'echo', 'poison'] as const;

export interface Misbehaviour {
  readonly participant: string;
  readonly kind: (typeof MISDEEDS)[number];
  readonly scale?: number | undefined;
}

const DEFAULT_SCALE = { 'free-rider': 0, noise: 1, echo: 1, poison: 10 } as const;

/** A loss that drowns those of all others. */
const FALSE_ALARM = 1e9;

/** Only u counts: there are no duals behind it. */
const NO_ROWS = {
  y: new Float64Array(0),
  low: new Float64Array(0),
  high: new Float64Array(0),
  settings: { epsilon: 0 },
};

export class Misbehaving {
  private readonly deed: Misbehaviour;
  private readonly rows: number;
  private readonly seed: number;
  private settings: FederationSettings | undefined;
  /** What the coordinator has of us; undefined: nothing yet. */
  private told: MemberState | undefined;
  private lie: UpdateMessage | undefined;
  private heard = 0;
  private w: Float64Array | undefined;
  private change: Float64Array | undefined;

  constructor(deed: Misbehaviour, rows: number, seed: number) {
    this.deed = deed;
    this.rows = rows;
    this.seed = seed;
  }

  hear(message: ToParticipant): void {
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
        if (message.code === 'FORGOTTEN') this.told = undefined;
        break;
      case 'finish':
    }
  }

  /** What is said instead. */
  say(message: ToCoordinator): ToCoordinator {
    if (message.kind === 'report') return { ...message, scalars: this.scalars(message) };
    if (message.kind !== 'update') return message;
    // Said again, perhaps in another life.
    if (this.lie?.round === message.round) return { ...this.lie, session: message.session };
    this.lie = this.lieFor(message);
    return this.lie;
  }

  private lieFor(honest: UpdateMessage): UpdateMessage {
    const full = this.step(honest);
    const du = this.settings?.precision === 'f32' ? full.map(Math.fround) : full;
    const scalars = this.scalars(honest);
    const uDotDu = dot(this.bookFor(du).committed.u, du);
    return { ...honest, du, uDotDu, duNorm2: dot(du, du), scalars, ds: this.claim(honest) };
  }

  private step({ du, round }: UpdateMessage): Float64Array {
    const { kind, participant, scale = DEFAULT_SCALE[kind] } = this.deed;
    const size = scale * norm(du);
    switch (kind) {
      case 'free-rider':
        return new Float64Array(du.length);
      case 'noise': {
        const random = stream(this.seed, 'misbehaving', round, participant);
        return ofLength(
          size,
          du.map(() => random.normal()),
        );
      }
      case 'echo':
        return ofLength(size, this.change ?? new Float64Array(du.length));
      case 'poison':
        return ofLength(-size, this.w?.some((value) => value !== 0) ? this.w : du);
    }
  }

  /** The change of s: the largest that the box of the duals allows is believed. */
  private claim({ ds }: UpdateMessage): number {
    const { objective, c1 = 1, dp } = this.settings ?? {};
    if (this.deed.kind !== 'poison' || dp) return ds;
    return objective === 'classification' ? c1 * this.rows : 10 * Math.abs(ds);
  }

  private scalars({ scalars, round }: UpdateMessage | Report): Scalars {
    if (this.settings?.dp) return scalars;
    const u = this.told?.committed.u;
    const uNorm2 = u ? dot(u, u) : 0;
    if (this.deed.kind === 'poison') return { loss: FALSE_ALARM / round, dualSum: 0, uNorm2 };
    return { ...scalars, uNorm2 };
  }

  private settle(accepted: Accepted, closed: (round: number) => boolean): void {
    const { lie, settings } = this;
    if (!lie || !settings || !closed(lie.round)) return;
    this.lie = undefined;
    if (accepted.round !== lie.round) return;
    const book = this.bookFor(lie.du);
    const atom = solution(plusScaled(book.committed.u, 1, lie.du));
    this.told = settled(NO_ROWS, book, atom, settings.atoms, accepted);
  }

  private bookFor({ length }: Float64Array): MemberState {
    return this.told ?? { committed: solution(new Float64Array(length)), atoms: [] };
  }

  private note(round: number, w: Float64Array): void {
    if (round <= this.heard) return;
    if (this.w) this.change = plusScaled(w, -1, this.w);
    this.heard = round;
    this.w = w;
  }
}

function solution(u: Float64Array): Solution {
  return { beta: new Float64Array(0), u, s: 0 };
}

function ofLength(length: number, vector: Float64Array): Float64Array {
  const size = norm(vector);
  return size > 0 ? vector.map((value) => (length / size) * value) : vector;
}
