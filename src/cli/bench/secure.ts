/** A round of secure aggregation, all parties in this process: what each of them computes and sends. */
import { stream } from '../../base/random.ts';
import { nodePrimitives } from '../../node/crypto.ts';
import { systemEntropy } from '../../node/entropy.ts';
import * as coordinator from '../../privacy/secure/coordinator.ts';
import type { Abandoned, Answers, CoordinatorState } from '../../privacy/secure/coordinator-round.ts';
import { defaultSecurity } from '../../privacy/secure/graph.ts';
import { acceptRoster, newParticipant, type ParticipantState } from '../../privacy/secure/membership.ts';
import * as participant from '../../privacy/secure/participant.ts';
import { advertise, makeRoster } from '../../privacy/secure/roster.ts';
import { median } from '../../reproduce/statistics.ts';

export interface SecureReport {
  readonly participants: number;
  readonly entries: number;
  /** One participant, all its phases. */
  readonly participantMs: number;
  readonly coordinatorMs: number;
  /** Up and down for one participant, without frames; plain: du and w in f64. */
  readonly bytes: number;
  readonly plainBytes: number;
}

const FIXED = { scaleBits: 30, limit: 1000 };
const PIN = { known: new Map<string, Uint8Array>(), unknown: 'pin' } as const;

export function benchSecure(now: () => number, participants: number, entries = 568): SecureReport {
  const federation = newFederation(participants);
  const rounds = [1, 2, 3, 4, 5].map((round) => new MeasuredRound(federation, now).run(round, entries));
  return {
    participants,
    entries,
    participantMs: median(rounds.map((round) => round.participantMs / participants)),
    coordinatorMs: median(rounds.map((round) => round.coordinatorMs)),
    // w comes down as it does without protection.
    bytes: rounds[0].bytes / participants + 8 * entries,
    plainBytes: 16 * entries,
  };
}

interface Federation {
  readonly states: ReadonlyMap<string, ParticipantState>;
  readonly coordinator: CoordinatorState;
}

function newFederation(participants: number): Federation {
  const security = defaultSecurity(participants);
  const ids = Array.from({ length: participants }, (_, i) => `p${String(i).padStart(4, '0')}`);
  const states = new Map(
    ids.map((id) => [id, newParticipant({ federation: 'bench', id, security }, systemEntropy)]),
  );
  const primitives = nodePrimitives();
  const roster = makeRoster('bench', [...states.values()].map(advertise), primitives);
  for (const state of states.values()) acceptRoster(state, roster, PIN, primitives);
  return { states, coordinator: coordinator.newCoordinator('bench', roster, security) };
}

/** Times and bytes of one round, by who spends them. */
class MeasuredRound {
  participantMs = 0;
  coordinatorMs = 0;
  bytes = 0;
  private readonly federation: Federation;
  private readonly now: () => number;

  constructor(federation: Federation, now: () => number) {
    this.federation = federation;
    this.now = now;
  }

  run(round: number, entries: number): this {
    const { coordinator: state } = this.federation;
    const values = Float64Array.from({ length: entries }, () => stream(1, 'bench', round).normal());
    const plan = this.coordinates(() =>
      coordinator.openSecureRound(state, { round, length: entries, ...FIXED }),
    );
    const dealt = this.each(plan, (state, message) => participant.deal(state, message, systemEntropy));
    this.hears(dealt, coordinator.takeDealt);
    const delivered = this.closes(coordinator.closeDealing);
    this.hears(
      this.each(delivered, (state, message) => participant.mask(state, message, values)),
      coordinator.takeMasked,
    );
    const counted = this.closes(coordinator.closeMasking);
    this.hears(this.each(counted, participant.attest), coordinator.takeAttested);
    const attestations = this.closes(coordinator.closeAttesting);
    this.hears(this.each(attestations, participant.reveal), coordinator.takeRevealed);
    const outcome = this.coordinates(() => coordinator.closeRevealing(state));
    if (outcome.kind !== 'summed') throw new Error(`bench: the round was abandoned: ${outcome.reason}`);
    return this;
  }

  private each<Message, Reply>(
    { to }: Answers<Message>,
    act: (state: ParticipantState, message: Message) => Reply,
  ): Map<string, Reply> {
    const started = this.now();
    const replies = new Map<string, Reply>();
    for (const [id, message] of to) replies.set(id, act(this.federation.states.get(id)!, message));
    this.participantMs += this.now() - started;
    for (const message of [...to.values(), ...replies.values()]) this.bytes += bytesIn(message);
    return replies;
  }

  private hears<Message>(
    messages: ReadonlyMap<string, Message>,
    take: (state: CoordinatorState, from: string, message: Message) => void,
  ): void {
    this.coordinates(() => {
      for (const [id, message] of messages) take(this.federation.coordinator, id, message);
    });
  }

  private closes<Message>(
    close: (state: CoordinatorState) => Answers<Message> | Abandoned,
  ): Answers<Message> {
    const outcome = this.coordinates(() => close(this.federation.coordinator));
    if (outcome.kind !== 'answers') throw new Error(`bench: the round was abandoned: ${outcome.reason}`);
    return outcome;
  }

  private coordinates<T>(act: () => T): T {
    const started = this.now();
    const result = act();
    this.coordinatorMs += this.now() - started;
    return result;
  }
}

/** Byte arrays in full, a number as four bytes. */
function bytesIn(message: unknown): number {
  if (message instanceof Uint8Array) return message.length;
  if (typeof message === 'number') return 4;
  if (typeof message !== 'object' || message === null) return 0;
  return Object.values(message).reduce<number>((sum, part) => sum + bytesIn(part), 0);
}
