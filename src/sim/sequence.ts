/** From a transcript to what a message sequence chart shows: which message arrived where, and who computed when. */
import { COORDINATOR } from './coordinator-node.ts';
import { type TranscriptEntry, WITH_SCALING } from './transcript.ts';

/** From one round to another; round 0 is the gathering before the first. */
export interface ChartWindow {
  readonly from: number;
  readonly to: number;
}

/** Entries are meant by their places in the transcript. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly sent: number;
  /** Undefined: it never arrived. */
  readonly delivered: number | undefined;
  readonly label: string;
  readonly fate: 'taken' | 'late' | 'lost';
}

export interface Bar {
  readonly node: string;
  readonly round: number;
  readonly from: number;
  readonly to: number;
  /** `open`: it goes on beyond the window. */
  readonly end: 'answered' | 'interrupted' | 'crashed' | 'open';
}

export interface Span {
  readonly first: number;
  readonly end: number;
}

/** From the opening of one round to that of the round after another. */
export function windowOf(transcript: readonly TranscriptEntry[], { from, to }: ChartWindow): Span {
  const opening = (round: number) =>
    transcript.findIndex(
      ({ kind, from, about }) =>
        kind === 'sent' && from === COORDINATOR && about?.kind === 'round' && about.round >= round,
    );
  const first = from <= 0 ? 0 : opening(from);
  const end = opening(to + 1);
  return { first: first < 0 ? transcript.length : first, end: end < 0 ? transcript.length : end };
}

/** Every message that was sent, and each arrival of one that arrived twice. */
export function arrowsOf(transcript: readonly TranscriptEntry[]): Arrow[] {
  const arrows: Arrow[] = [];
  const waiting = new Map<string, Arrow[]>();
  const last = new Map<string, Arrow>();
  const again: Arrow[] = [];
  const answers = new Set<string>();
  for (const [e, entry] of transcript.entries()) {
    const { kind, from, to, text } = entry;
    const key = `${from}|${to}|${text}`;
    if (kind === 'sent') {
      const arrow: Arrow = { from, to, sent: e, delivered: undefined, label: labelOf(entry), fate: 'lost' };
      arrows.push(arrow);
      last.set(key, arrow);
      waiting.set(key, [...(waiting.get(key) ?? []), arrow]);
    } else if (kind === 'delivered') {
      const arrow = waiting.get(key)?.shift();
      if (arrow) {
        // A retransmitted answer is used once.
        const unused = isLate(transcript, e) || (isAnswer(entry) && answers.has(key));
        Object.assign(arrow, { delivered: e, fate: unused ? 'late' : 'taken' });
        answers.add(key);
      } else again.push({ ...last.get(key)!, delivered: e, fate: 'late' });
    }
  }
  return [...arrows, ...again];
}

/** An answer that could not be used is answered at once, before anything else happens. */
function isLate(transcript: readonly TranscriptEntry[], delivered: number): boolean {
  const { from } = transcript[delivered];
  if (!isAnswer(transcript[delivered])) return false;
  const reply = transcript[delivered + 1];
  const answered = reply?.kind === 'sent' && reply.from === COORDINATOR && reply.to === from;
  return answered && ['outcome', 'reject', 'finish'].includes(reply.about?.kind ?? '');
}

function isAnswer({ about }: TranscriptEntry): boolean {
  return about?.kind === 'answer' || about?.kind === 'masked';
}

/** Shorter than in the transcript: space is dear. */
function labelOf({ text, about }: TranscriptEntry): string {
  if (!about) return text;
  if (about.kind === 'outcome') return text.replace('outcome of round ', 'outcome ');
  if (about.kind === 'finish') return text.replace(/,.*/, '');
  if (about.kind === 'round' && text.includes('certify')) return `certify ${about.round}`;
  return about.round > 0 ? `${about.kind} ${about.round}` : about.kind;
}

/** A solve goes from the arrival of a round to the answer, to the next round, or to a crash. */
export function barsOf(transcript: readonly TranscriptEntry[], { first, end }: Span): Bar[] {
  const bars: Bar[] = [];
  const open = new Map<string, { round: number; from: number }>();
  const answered = new Map<string, number>();
  const ready = new Set<string>();
  const close = (node: string, to: number, how: Bar['end']) => {
    const bar = open.get(node);
    open.delete(node);
    if (bar && to >= first) bars.push({ node, ...bar, to, end: how });
  };
  for (let e = 0; e < end; e++) {
    const { kind, from, to, about, text } = transcript[e];
    if (kind === 'note') close(from, e, 'crashed');
    else if (kind === 'delivered' && about?.kind === 'finish') close(to, e, 'interrupted');
    // A round means nothing to who does not know the scaling yet.
    else if (kind === 'delivered' && text === WITH_SCALING) ready.add(to);
    else if (kind === 'delivered' && about?.kind === 'round' && ready.has(to)) {
      if (about.round <= (answered.get(to) ?? 0) || about.round === open.get(to)?.round) continue;
      close(to, e, 'interrupted');
      open.set(to, { round: about.round, from: e });
    } else if (kind === 'sent' && about && isAnswer(transcript[e])) {
      answered.set(from, Math.max(about.round, answered.get(from) ?? 0));
      if (about.round === open.get(from)?.round) close(from, e, 'answered');
    }
  }
  for (const node of [...open.keys()]) close(node, end, 'open');
  return bars;
}
