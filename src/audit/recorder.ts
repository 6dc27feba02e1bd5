/**
 * Records what the coordinator of a simulation sees: the messages that reach it, those it sends, and the sum of all contributions that
 * it holds; nothing else. Attach before `run`.
 */
import { inquiryOf, sharedPart } from '../coordinator/training.ts';
import type { Accepted, AnswerMessage, Finish, Message, RoundMessage } from '../protocol/messages.ts';
import { COORDINATOR } from '../sim/coordinator-node.ts';
import type { Simulation } from '../sim/simulation.ts';
import type { KnownSettings, Observation, ObservedRound } from './attacks/observation.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Notes extends Writable<Pick<Observation, 'rows' | 'moments' | 'best'>> {
  settings: KnownSettings | undefined;
  readonly rounds: Map<number, Writable<ObservedRound>>;
  /** Rounds that only measure the certificate. */
  readonly certifying: Set<number>;
}

/** What is known when a round opens, or at the end. */
export interface KnownSum {
  readonly w: Float64Array;
  /** Of all contributions. */
  readonly u: Float64Array;
}

export class Recorder {
  private readonly notes = new Map<string, Notes>();
  /** By the round that it was known after. */
  readonly sums = new Map<number, KnownSum>();
  private readonly simulation: Simulation;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    const { transcript } = simulation;
    const record = transcript.message.bind(transcript);
    transcript.message = (kind, atMs, from, to, message) => {
      if (kind === 'sent' && from === COORDINATOR) this.onSent(to, message);
      if (kind === 'delivered' && to === COORDINATOR) this.onReceived(from, message);
      record(kind, atMs, from, to, message);
    };
  }

  /** Everybody of whom enough is known: the settings were sent to them. */
  get observations(): Observation[] {
    const known = [...this.notes].filter(([, { settings }]) => settings);
    return known.map(([participant, { rows, moments, settings, rounds, best }]) => ({
      participant,
      settings: settings!,
      rows,
      moments,
      rounds: [...rounds.values()].sort((a, b) => a.round - b.round),
      best,
    }));
  }

  private notesOf(id: string): Notes {
    const unknown = { rows: undefined, moments: undefined, settings: undefined, best: 0 };
    const notes = this.notes.get(id) ?? { ...unknown, rounds: new Map(), certifying: new Set() };
    this.notes.set(id, notes);
    return notes;
  }

  private onReceived(from: string, message: Message): void {
    const notes = this.notesOf(from);
    if (message.kind === 'join') notes.rows = message.rows;
    if (message.kind === 'moments' && message.mean.length > 0) notes.moments = message;
    if (message.kind === 'answer') noteAnswer(notes, message);
  }

  private onSent(to: string, message: Message): void {
    const notes = this.notesOf(to);
    if (message.kind === 'welcome') notes.settings = { ...message.settings, scaling: message.scaling };
    if (message.kind === 'round') {
      this.noteSum(message.round - 1, message);
      if (message.purpose === 'certify') notes.certifying.add(message.round);
      if (!notes.rounds.has(message.round)) notes.rounds.set(message.round, opened(message));
    }
    if (message.kind === 'finish') {
      this.noteSum(message.round, message);
      notes.best = message.best;
    }
    if ('accepted' in message) noteAccepted(notes, message.accepted);
  }

  private noteSum(round: number, { w }: RoundMessage | Finish): void {
    const { state } = this.simulation.coordinator;
    if (!state || this.sums.has(round)) return;
    const u = inquiryOf(state)?.u ?? sharedPart(state) ?? w;
    this.sums.set(round, { w: w.slice(), u: u.slice() });
  }
}

function opened({ round, w, sigma, tolerance }: RoundMessage): Writable<ObservedRound> {
  return { round, w: w.slice(), sigma, tolerance, u: undefined, scalars: undefined, taken: undefined };
}

function noteAnswer({ rounds, certifying, settings }: Notes, { round, u, scalars }: AnswerMessage): void {
  const about = rounds.get(round);
  if (!about) return;
  about.scalars = scalars;
  // With steps, a round that only measures the certificate has none.
  if (settings?.training === 'answers' || !certifying.has(round)) about.u = u.slice();
}

function noteAccepted(notes: Notes, { round, factor = 1 }: Accepted): void {
  const about = notes.rounds.get(round);
  if (about) about.taken = factor;
}
