/** The messages of a run, with sender, receiver and time: for golden transcripts and message sequence charts. Off by default: it grows. */
import type { Message } from '../protocol/messages.ts';

export interface TranscriptEntry {
  readonly atMs: number;
  readonly kind: 'sent' | 'delivered' | 'note';
  readonly from: string;
  readonly to: string;
  readonly text: string;
  /** Kind and round of the message; 0: it is about none. */
  readonly about?: { readonly kind: Message['kind']; readonly round: number };
}

/** The note of a crash; other notes are of what the operator does. */
export const CRASHES = 'crashes';

/** The welcome after which a participant can take part. */
export const WITH_SCALING = 'welcome, with the scaling';

export class Transcript {
  readonly entries: TranscriptEntry[] = [];
  private readonly recording: 'on' | 'off';

  constructor(recording: 'on' | 'off') {
    this.recording = recording;
  }

  message(kind: 'sent' | 'delivered', atMs: number, from: string, to: string, message: Message): void {
    if (this.recording === 'off') return;
    const about = { kind: message.kind, round: 'round' in message ? message.round : 0 };
    this.entries.push({ atMs, kind, from, to, text: textOf(message), about });
  }

  note(atMs: number, node: string, text: string): void {
    if (this.recording === 'on') this.entries.push({ atMs, kind: 'note', from: node, to: node, text });
  }
}

function textOf(message: Message): string {
  switch (message.kind) {
    case 'join':
      return `join, ${message.rows} rows, base ${message.base}${message.pending ? `, pending ${message.pending}` : ''}`;
    case 'moments':
      return message.count > 0 ? `moments of ${message.count} rows` : 'names of classes';
    case 'answer':
      return `answer to round ${message.round}, replacing ${message.base}${message.previous ? ', with its vector' : ''}`;
    case 'leave':
      return 'leave';
    case 'welcome':
      return message.scaling ? WITH_SCALING : 'welcome';
    case 'round':
      return `round ${message.round}${message.purpose === 'certify' ? ' (certify)' : ''}, accepted ${message.accepted.round}${message.sendPrevious ? ', whose vector is wanted' : ''}`;
    case 'outcome':
      return `outcome of round ${message.round}: ${message.accepted.round === message.round ? 'accepted' : 'missed'}`;
    case 'finish':
      return `finish (${message.reason}), accepted ${message.accepted.round}`;
    case 'reject':
      return `reject ${message.code}`;
    case 'advertise':
      return 'advertise keys';
    case 'roster':
      return `roster of ${message.members.length}, from round ${message.round}`;
    case 'plan':
      return `plan of round ${message.round} (${message.purpose})`;
    case 'enlist':
      return `enlist ${message.participants}, accepted ${message.base}`;
    case 'partial':
      return `partial sum of round ${message.round}, of ${message.participants}`;
    case 'timing':
      return `timing, ${message.waiting.kind}`;
    default:
      return `${message.kind}, round ${message.round}`;
  }
}
