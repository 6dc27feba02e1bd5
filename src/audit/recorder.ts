/**
 * Records what the coordinator of a simulation sees: the messages that reach it and those it sends, nothing else. Attach
 * before `run`.
 */
import type { KnownSettings, Observation, ObservedMoments, ObservedRound } from '../privacy/audit/index.ts';
import type { Accepted, Message, RoundMessage, UpdateMessage } from '../protocol/index.ts';
import type { Simulation } from '../sim/index.ts';

type Writable<T> = { -readonly [K in keyof T]: T[K] };

interface Notes {
  rows: number | undefined;
  moments: ObservedMoments | undefined;
  settings: KnownSettings | undefined;
  readonly rounds: Map<number, Writable<ObservedRound>>;
}

export class Recorder {
  private readonly notes = new Map<string, Notes>();
  private readonly shared = new Map<number, Float64Array>();

  constructor({ transcript }: Simulation) {
    const { sent, delivered } = transcript;
    transcript.sent = (atMs, from, to, message) => {
      if (from === 'coordinator') this.onSent(to, message);
      sent.call(transcript, atMs, from, to, message);
    };
    transcript.delivered = (atMs, from, to, message) => {
      if (to === 'coordinator') this.onReceived(from, message);
      delivered.call(transcript, atMs, from, to, message);
    };
  }

  /** Everybody of whom enough is known: the settings were sent to them. */
  get observations(): Observation[] {
    const known = [...this.notes].filter(([, { settings }]) => settings);
    return known.map(([participant, { rows, moments, settings, rounds }]) => ({
      participant,
      settings: settings!,
      rows,
      moments,
      rounds: [...rounds.values()].sort((a, b) => a.round - b.round),
    }));
  }

  /** w of every round, in order. */
  get sharedParts(): Float64Array[] {
    return [...this.shared].sort(([a], [b]) => a - b).map(([, w]) => w);
  }

  private notesOf(id: string): Notes {
    const known = this.notes.get(id);
    if (known) return known;
    const notes = { rows: undefined, moments: undefined, settings: undefined, rounds: new Map() };
    this.notes.set(id, notes);
    return notes;
  }

  private onReceived(from: string, message: Message): void {
    const notes = this.notesOf(from);
    if (message.kind === 'join') notes.rows = message.rows;
    if (message.kind === 'moments') notes.moments = message;
    if (message.kind !== 'update' && message.kind !== 'report') return;
    const round = notes.rounds.get(message.round);
    if (!round) return;
    round.scalars = message.scalars;
    if (message.kind === 'update') noteUpdate(round, message);
  }

  private onSent(to: string, message: Message): void {
    const notes = this.notesOf(to);
    if (message.kind === 'welcome') notes.settings = { ...message.settings, scaling: message.scaling };
    if (message.kind === 'round') this.shared.set(message.round, message.w.slice());
    if (message.kind === 'round' && !notes.rounds.has(message.round)) {
      notes.rounds.set(message.round, opened(message));
    }
    if ('accepted' in message) noteOutcome(notes, message.accepted);
  }
}

function opened({ round, w, sigma, tolerance }: RoundMessage): Writable<ObservedRound> {
  const nothing = { du: undefined, ds: undefined, uDotDu: undefined, duNorm2: undefined };
  return { round, w: w.slice(), sigma, tolerance, ...nothing, scalars: undefined, weights: undefined };
}

function noteUpdate(round: Writable<ObservedRound>, { du, ds, uDotDu, duNorm2 }: UpdateMessage): void {
  Object.assign(round, { du: du.slice(), ds, uDotDu, duNorm2 });
}

function noteOutcome(notes: Notes, { round, weights }: Accepted): void {
  const about = notes.rounds.get(round);
  if (about) about.weights = [...weights];
}
