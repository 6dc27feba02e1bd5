/**
 * The least that takes part in training over a socket: rows of its own, an answer to every round, and what it has committed.
 * It is not the participant's machine, on purpose: the server must get along with whoever keeps to the protocol.
 */
import { stream } from '../../src/base/random.ts';
import { featureMoments, scaleRow } from '../../src/data/index.ts';
import { Arena } from '../../src/math/index.ts';
import { settled } from '../../src/participant/index.ts';
import { clipProposal } from '../../src/privacy/dp/index.ts';
import type {
  Accepted,
  FederationSettings,
  RoundMessage,
  ToParticipant,
  UpdateMessage,
  Welcome,
} from '../../src/protocol/index.ts';
import {
  examine,
  type MemberState,
  newMember,
  propose,
  Shard,
  type Solution,
} from '../../src/solver/index.ts';
import { type Applicant, connected, Keys, type WsParticipant } from './ws-participant.ts';

const arena = new Arena();
const D = 2;

export interface Pending {
  readonly message: UpdateMessage;
  readonly atom: Solution;
}

export class Trainer {
  readonly id: string;
  readonly keys = new Keys();
  readonly y: Float64Array;
  settings: FederationSettings | undefined;
  state: MemberState | undefined;
  pending: Pending | undefined;
  base = 0;
  session = 0;
  /** Rounds that were answered. */
  answered = 0;
  link: WsParticipant | undefined;
  /** Norm that updates are clipped to. */
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
      link.send({ kind: 'moments', ...featureMoments(this.x, D, rows) });
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
    this.state ??= newMember(this.shard);
  }

  private onRound(link: WsParticipant, order: RoundMessage): void {
    const { shard, settings } = this;
    if (!shard || !settings || order.round <= this.base) return;
    this.settle(order.accepted, order.round - 1);
    const { round, w, sigma, tolerance } = order;
    const { session, base } = this;
    const before = this.state!;
    const scalars = examine(shard, before, w);
    if (order.purpose === 'certify') {
      if (this.mayAnswer(round)) link.send({ kind: 'report', session, round, base, scalars });
      return;
    }
    const { update, state, passes } = propose(shard, before, {
      sigma,
      tolerance,
      passes: settings.passes,
      seed: settings.seed + round,
      atoms: settings.atoms,
    });
    const proposed =
      this.clip === undefined ? { update, state } : clipProposal(shard, { update, state }, this.clip);
    const { du, ds, uDotDu, duNorm2 } = proposed.update;
    const message: UpdateMessage = {
      kind: 'update',
      ...{ session, round, base, du, ds, uDotDu, duNorm2, scalars, passes },
      computeMs: 1,
    };
    this.pending = { message, atom: proposed.state.atoms.at(-1)! };
    if (!this.mayAnswer(round)) return;
    this.answered++;
    link.send(message);
  }

  /** Commits or rolls back what is pending, where its round is over. */
  private settle(accepted: Accepted, closed: number): void {
    const { pending, shard, settings } = this;
    if (!pending || !shard || !settings || pending.message.round > closed) return;
    this.pending = undefined;
    if (accepted.round !== pending.message.round) return;
    this.state = settled(shard, this.state!, pending.atom, settings.atoms, accepted);
    this.base = accepted.round;
  }
}
