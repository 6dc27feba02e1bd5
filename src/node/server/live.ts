/**
 * A federation as it is at this moment, for pages that show it live: the open round, and where each participant is with it. Everything is read from
 * the machine's state and the connections; nothing is kept for it while nobody watches.
 */
import type { Member } from '../../coordinator/member.ts';
import type { CoordinatorState } from '../../coordinator/state.ts';
import { isAwaited } from '../../coordinator/tally.ts';
import type { HostClock } from '../../host/ports.ts';
import type { Federation } from './federation.ts';
import type { FederationBrief, FederationState } from './routes/federations.ts';
import type { RoundView } from './routes/rounds.ts';
import { orNull } from './schemas.ts';

/** The events of `GET /v1/federations/:name/events`, by name. */
export interface FederationEvents {
  readonly state: FederationState;
  readonly open: OpenRound;
  /** First all, then those that have changed. */
  readonly participants: readonly LiveParticipant[];
  /** Names of participants that are no longer in the federation. */
  readonly removed: readonly string[];
  /** A closed round; its number is the id of the event. */
  readonly round: RoundView;
  /** The last event: the federation is gone. */
  readonly deleted: Record<never, never>;
}

/** The events of `GET /v1/events`, by name. */
export interface ServerEvents {
  readonly federations: { readonly federations: readonly FederationBrief[] };
}

/** The round that is open, or was last. Times are of the server's clock: `nowMs` of the state shows how far another clock is off. */
export interface OpenRound {
  /** 0 before the first. */
  readonly round: number;
  readonly purpose: 'train' | 'certify';
  readonly phase: CoordinatorState['phase'];
  /** null before the first round and while training rests. */
  readonly openedMs: number | null;
  /** null where none is set, and while training is paused. */
  readonly deadlineMs: number | null;
  /** Participants whose answer the round can take, and how many of them have answered. */
  readonly asked: number;
  readonly answered: number;
  readonly paused: boolean;
}

/**
 * solving   asked by the open round, connected, not answered yet
 * answered  the open round has its answer
 * late      still silent after the deadline, or silent for so many rounds that nobody waits for it
 * away      not connected
 * left      gone for good
 * waiting   connected, and asked nothing at the moment
 * expelled  excluded from secure sums
 */
export type ParticipantStatus = 'solving' | 'answered' | 'late' | 'away' | 'left' | 'waiting' | 'expelled';

export interface LiveParticipant {
  readonly id: string;
  readonly status: ParticipantStatus;
  readonly connected: boolean;
  /** null under secure aggregation, and before it has joined. */
  readonly rows: number | null;
  /** Of this process of the server; null: not yet. */
  readonly lastSeenMs: number | null;
  /** What it said it was: program and version. */
  readonly agent: string | null;
  readonly responseMs: number | null;
  readonly benchmarkMs: number | null;
  /** Rounds that it was asked in and that it answered in time, since the server started. */
  readonly answeredRounds: number;
  readonly askedRounds: number;
  /** 0: none. */
  readonly lastAcceptedRound: number;
  /** On its test rows, if it reports them: with its own model, and with the shared part alone. null also where only sums are seen. */
  readonly metric: { readonly own: number; readonly shared: number | null } | null;
  /** Code of the last failure that it reported and has not answered a round since; DECLINED: its policy ruled something out. */
  readonly fault: string | null;
}

export function openRoundOf({ host }: Federation, wall: WallTime): OpenRound {
  const { state } = host;
  const { round, purpose, phase, paused, openedMs, deadlineMs, options } = state;
  const isUnderWay = round > 0 && phase !== 'finished';
  const endsMs = Math.min(deadlineMs, openedMs + options.maxWaitMs);
  const [asked, answered] = isUnderWay ? answersOf(state) : [0, 0];
  return {
    ...{ round, purpose, phase },
    openedMs: isUnderWay ? wall.of(openedMs) : null,
    deadlineMs: isUnderWay && !paused && Number.isFinite(endsMs) ? wall.of(endsMs) : null,
    ...{ asked, answered, paused },
  };
}

/** Counted afresh: whoever only reads changes nothing of the machine, not even what it keeps at hand. */
function answersOf(state: CoordinatorState): [asked: number, answered: number] {
  let [asked, answered] = [0, 0];
  for (const member of state.members.values()) {
    if (!isAsked(state, member)) continue;
    asked++;
    if (member.answered) answered++;
  }
  return [asked, answered];
}

function isAsked({ round, phase }: CoordinatorState, { presence, answered, barred }: Member): boolean {
  const isUnderWay = round > 0 && (phase === 'open' || phase === 'summing');
  return isUnderWay && presence === 'here' && (answered || barred < round);
}

/** All who have joined, then those who are connected and have not joined yet. */
export function* liveParticipants(
  federation: Federation,
  wall: WallTime,
  now: number,
): Generator<LiveParticipant> {
  const { state } = federation.host;
  for (const member of state.members.values()) yield liveMember(federation, member, wall, now);
  for (const id of federation.connections.keys()) {
    if (!state.members.has(id)) yield { ...NOTHING_KNOWN, ...peerOf(federation, id, wall), id };
  }
}

const NOTHING_KNOWN = {
  status: 'waiting',
  rows: null,
  responseMs: null,
  benchmarkMs: null,
  answeredRounds: 0,
  askedRounds: 0,
  lastAcceptedRound: 0,
  metric: null,
  fault: null,
} as const;

function liveMember(federation: Federation, member: Member, wall: WallTime, now: number): LiveParticipant {
  const { state } = federation.host;
  const { id, rows, benchmarkMs, accepted, answeredRounds, askedRounds, tests, fault } = member;
  const peer = peerOf(federation, id, wall);
  return {
    id,
    status: statusOf(state, member, peer.connected, now),
    ...peer,
    rows: state.secure ? null : rows,
    responseMs: orNull(member.responseMs),
    benchmarkMs: orNull(benchmarkMs),
    ...{ answeredRounds, askedRounds },
    lastAcceptedRound: accepted.round,
    metric: tests ? { own: tests.own, shared: tests.shared ?? null } : null,
    fault: fault ?? null,
  };
}

function statusOf(
  state: CoordinatorState,
  member: Member,
  connected: boolean,
  now: number,
): ParticipantStatus {
  if (member.expelled !== undefined) return 'expelled';
  if (member.presence === 'left') return 'left';
  if (!connected) return 'away';
  if (!isAsked(state, member)) return 'waiting';
  if (member.answered) return 'answered';
  const isOver = state.phase === 'summing' || (!state.paused && now >= state.deadlineMs);
  return isOver || !isAwaited(state, member) ? 'late' : 'solving';
}

function peerOf(federation: Federation, id: string, wall: WallTime) {
  const peer = federation.peers.get(id);
  const seenMs = federation.connections.get(id)?.receivedMs ?? peer?.seenMs;
  return {
    connected: federation.connections.has(id),
    lastSeenMs: seenMs === undefined ? null : wall.of(seenMs),
    agent: peer?.agent ?? null,
  };
}

/** Apart by more, the clock of the machine has been set. */
const CLOCKS_APART_MS = 500;

/** Times of the monotonic clock as times of day, which stay the same from one call to the next. */
export class WallTime {
  private readonly clock: HostClock;
  private offsetMs: number;

  constructor(clock: HostClock) {
    this.clock = clock;
    this.offsetMs = clock.wallClock() - clock.now();
  }

  of(ms: number): number {
    return Math.round(ms + this.offsetMs);
  }

  /** Called now and then. */
  check(): void {
    const offsetMs = this.clock.wallClock() - this.clock.now();
    if (Math.abs(offsetMs - this.offsetMs) > CLOCKS_APART_MS) this.offsetMs = offsetMs;
  }
}
