/**
 * The least that takes part in training over a socket: rows of its own, an answer to every round, and what it has committed.
 * It is not the participant's machine, on purpose: the server must get along with whoever keeps to the protocol.
 */
import { stream } from '../../src/base/random.ts';
import { Arena } from '../../src/math/arena.ts';
import { featureMoments, scaleRow } from '../../src/math/scaling.ts';
import { acceptedSolution } from '../../src/participant/outcome.ts';
import { clippedStep } from '../../src/privacy/dp/clip.ts';
import { gridBits, stepOnGrid } from '../../src/privacy/dp/grid.ts';
import type {
  Accepted,
  AnswerMessage,
  RoundMessage,
  ToParticipant,
  Welcome,
} from '../../src/protocol/messages.ts';
import type { FederationSettings } from '../../src/settings/wire.ts';
import { answer } from '../../src/solver/answer.ts';
import { examine, newMember, propose, type Solution } from '../../src/solver/member.ts';
import { Shard } from '../../src/solver/shard.ts';
import { plusScaled } from '../../src/solver/vector.ts';
import { USUAL_CLASSES } from './moments.ts';
import { type Applicant, connected, Keys, type WsParticipant } from './ws-participant.ts';

const arena = new Arena();
const D = 2;
const NOTHING = { count: 0, mean: new Float64Array(0), m2: new Float64Array(0) };

export interface Pending {
  readonly message: AnswerMessage;
  readonly solution: Solution;
}

export class Trainer {
  readonly id: string;
  readonly keys = new Keys();
  readonly y: Float64Array;
  settings: FederationSettings | undefined;
  /** Its last accepted answer. */
  committed: Solution | undefined;
  pending: Pending | undefined;
  base = 0;
  session = 0;
  edition = 0;
  /** Rounds that were answered. */
  answered = 0;
  link: WsParticipant | undefined;
  /** Norm that steps are clipped to. */
  clip: number | undefined;
  /** Called before an answer is sent; false: it is not sent. */
  mayAnswer: (round: number) => boolean = () => true;
  readonly finished: Promise<ToParticipant & { kind: 'finish' }>;
  private readonly x: Float64Array;
  private shard: Shard | undefined;
  private finish!: (message: ToParticipant & { kind: 'finish' }) => void;

  constructor(id: string, rows = 12) {
    this.id = id;
    const random = stream(1, 'trainer', 0, id);
    this.x = Float64Array.from({ length: rows * D }, () => random.normal());
    this.y = Float64Array.from({ length: rows }, (_, i) =>
      this.x[i * D] + 0.5 * this.x[i * D + 1] + 0.3 * random.normal() > 0 ? 1 : -1,
    );
    this.finished = new Promise((resolve) => {
      this.finish = resolve;
    });
  }

  /** What it says of its test rows, whatever its model is. */
  tests: AnswerMessage['tests'];

  async join(url: string, applicant: Partial<Applicant> = {}): Promise<WsParticipant> {
    const link = await connected(url, { participant: this.id, keys: this.keys, ...applicant });
    this.link = link;
    this.session++;
    link.onMessage((message) => this.hear(link, message));
    link.send({
      kind: 'join',
      id: this.id,
      rows: this.y.length,
      features: D,
      benchmarkMs: 1,
      session: this.session,
      base: this.base,
      pending: this.pending?.message.round ?? 0,
      edition: this.edition,
    });
    return link;
  }

  private hear(link: WsParticipant, message: ToParticipant): void {
    if (link !== this.link) return;
    if (message.kind === 'welcome') this.onWelcome(link, message);
    if (message.kind === 'round') this.onRound(link, message);
    if (message.kind === 'outcome') this.settle(message.accepted, message.round);
    if (message.kind === 'finish') {
      this.settle(message.accepted, message.round);
      this.finish(message);
    }
  }

  private onWelcome(link: WsParticipant, { settings, scaling }: Welcome): void {
    this.settings = settings;
    if (!scaling) {
      const rows = Uint32Array.from(this.y.keys());
      const isMeasured = settings.scale !== 'none';
      const moments = isMeasured ? featureMoments(this.x, D, rows) : NOTHING;
      link.send({ kind: 'moments', ...moments, ...USUAL_CLASSES });
      return;
    }
    const mode = { mode: settings.scale, ...scaling };
    this.shard ??= new Shard(arena, settings, {
      n: this.y.length,
      d: D + (settings.bias ? 1 : 0),
      y: this.y,
      write: (i, row) => {
        scaleRow(this.x, i, mode, row, 0);
        if (settings.bias) row[D] = 1;
      },
    });
  }

  private onRound(link: WsParticipant, order: RoundMessage): void {
    const { shard, settings } = this;
    if (!shard || !settings || order.round <= this.base) return;
    this.settle(order.accepted, order.round - 1);
    // Asked again: what was accepted does not count any more.
    if (order.accepted.round === 0) {
      this.base = 0;
      this.committed = undefined;
    }
    const { round } = order;
    if (this.pending?.message.round !== round) this.pending = this.solved(shard, settings, order);
    if (!this.mayAnswer(round)) return;
    this.answered++;
    const previous = order.sendPrevious ? this.committed?.u : undefined;
    link.send({ ...this.pending.message, session: this.session, previous, tests: this.tests });
  }

  private solved(shard: Shard, settings: FederationSettings, order: RoundMessage): Pending {
    const { round, w, sigma, tolerance, purpose } = order;
    const { session, base } = this;
    const { passes: most, seed, training } = settings;
    const effort = { sigma, tolerance, passes: most, seed: seed + round };
    const old = this.committed ?? newMember(shard);
    const of = (solution: Solution, scalars: AnswerMessage['scalars'], passes: number): Pending => {
      const { u } = solution;
      const about = { session, round, base, u, scalars, passes, computeMs: 1, previous: undefined };
      return { message: { kind: 'answer', ...about }, solution };
    };
    if (training === 'answers') {
      const { beta, u, scalars, passes } = answer(shard, w, effort, { beta: old.beta });
      return of({ beta, u, s: scalars.dualSum }, scalars, passes);
    }
    const seen = examine(shard, old, w);
    const scalars = settings.dp ? { loss: 0, dualSum: 0, uNorm2: 0, wDotU: 0 } : seen;
    if (purpose === 'certify') return of(old, scalars, 0);
    const { solution, passes } = propose(shard, effort);
    if (this.clip === undefined || !settings.dp) return of(solution, scalars, passes);
    const clipped = clippedStep(shard, old, solution, this.clip);
    const step = stepOnGrid(plusScaled(clipped.u, -1, old.u), this.clip, gridBits(settings.dp));
    return of({ ...clipped, u: plusScaled(old.u, 1, step) }, scalars, passes);
  }

  /** Commits or drops what is pending, where its round is over. */
  private settle(accepted: Accepted, closed: number): void {
    const { pending, shard } = this;
    if (!pending || !shard || pending.message.round > closed) return;
    this.pending = undefined;
    if (accepted.round !== pending.message.round) return;
    this.committed = acceptedSolution(shard, this.committed, pending.solution, accepted);
    this.base = accepted.round;
  }
}
