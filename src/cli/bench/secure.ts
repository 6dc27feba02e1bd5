/** A round of secure aggregation, all parties in this process: what each of them computes and sends. */
import { stream } from '../../base/random.ts';
import { nodePrimitives, systemEntropy } from '../../node/crypto.ts';
import * as coordinator from '../../privacy/secure/coordinator.ts';
import type { Abandoned, Answers, CoordinatorState } from '../../privacy/secure/coordinator-round.ts';
import { defaultSecurity } from '../../privacy/secure/graph.ts';
import { acceptRoster, newParticipant, type ParticipantState } from '../../privacy/secure/membership.ts';
import * as participant from '../../privacy/secure/participant.ts';
import { advertise, makeRoster } from '../../privacy/secure/roster.ts';
import { median } from '../../reproduce/statistics.ts';
import { ms, part, times } from './part.ts';

const ENTRIES = 568;
const FIXED = { scaleBits: 30, limit: 1000 };
const QUESTION = new Uint8Array(32);
const PIN = { known: new Map<string, Uint8Array>(), unknown: 'pin' } as const;

export const secure = part(
  ({ now }) =>
    [3, 10, 30, 100].map((participants) => {
      const federation = newFederation(participants);
      const rounds = [1, 2, 3, 4, 5].map((round) => new MeasuredRound(federation, now).run(round));
      return {
        participants,
        entries: ENTRIES,
        // One participant, all its phases.
        participantMs: median(rounds.map((round) => round.participantMs / participants)),
        coordinatorMs: median(rounds.map((round) => round.coordinatorMs)),
        // Up and down for one participant, without frames; w comes down as it does without protection.
        bytes: rounds[0].bytes / participants + 8 * ENTRIES,
        // du and w in f64.
        plainBytes: 16 * ENTRIES,
      };
    }),
  (runs, { table }) => {
    const rows = runs.map((run) => [
      String(run.participants),
      ms(run.participantMs),
      ms(run.coordinatorMs),
      String(Math.round(run.bytes)),
      times(run.bytes / run.plainBytes),
    ]);
    return [
      `Secure aggregation: a round of ${ENTRIES} numbers without dropouts`,
      ...table(['participants', 'each', 'coordinator', 'bytes each', 'to plain'], rows),
    ];
  },
);

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

  run(round: number): this {
    const { coordinator: state } = this.federation;
    const values = Float64Array.from({ length: ENTRIES }, () => stream(1, 'bench', round).normal());
    const plan = this.coordinates(() =>
      coordinator.openSecureRound(state, { round, length: ENTRIES, ...FIXED }, QUESTION),
    );
    this.collect(
      plan,
      (state, message) => participant.deal(state, message, systemEntropy),
      coordinator.takeDealt,
    );
    const delivered = this.close(coordinator.closeDealing);
    this.collect(
      delivered,
      (state, message) => participant.mask(state, message, values, QUESTION),
      coordinator.takeMasked,
    );
    const counted = this.close(coordinator.closeMasking);
    this.collect(counted, participant.attest, coordinator.takeAttested);
    const attestations = this.close(coordinator.closeAttesting);
    this.collect(attestations, participant.reveal, coordinator.takeRevealed);
    const outcome = this.coordinates(() => coordinator.closeRevealing(state));
    if (outcome.kind !== 'summed') throw new Error(`bench: the round was abandoned: ${outcome.reason}`);
    return this;
  }

  /** Everybody replies to the coordinator's message, and it takes the replies. */
  private collect<Message, Reply>(
    { to }: Answers<Message>,
    act: (state: ParticipantState, message: Message) => Reply,
    take: (state: CoordinatorState, from: string, reply: Reply) => void,
  ): void {
    const { states, coordinator } = this.federation;
    const started = this.now();
    const replies = new Map<string, Reply>();
    for (const [id, message] of to) replies.set(id, act(states.get(id)!, message));
    this.participantMs += this.now() - started;
    for (const message of [...to.values(), ...replies.values()]) this.bytes += bytesIn(message);
    this.coordinates(() => {
      for (const [id, reply] of replies) take(coordinator, id, reply);
    });
  }

  private close<Message>(close: (state: CoordinatorState) => Answers<Message> | Abandoned): Answers<Message> {
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
