/** Who of a federation's participants has changed since a listener was last sent something: each is serialised once for all listeners. */
import { eventFrame } from './event-stream.ts';
import type { Federation } from './federation.ts';
import type { Listener } from './feed.ts';
import { type LiveParticipant, liveParticipants, type WallTime } from './live.ts';

interface Known {
  readonly participant: LiveParticipant;
  readonly json: string;
  /** The look in which it changed. */
  readonly since: number;
}

const EVENT = 'participants';

export class ParticipantChanges {
  private readonly known = new Map<string, Known>();
  /** The look in which each was found to be gone. */
  private readonly removed = new Map<string, number>();
  private looks = 0;
  private lastChange = 0;
  /** What has changed since a look, as of the last one. */
  private readonly frames = new Map<number, readonly Buffer[]>();

  look(federation: Federation, wall: WallTime, now: number): void {
    const since = ++this.looks;
    let count = 0;
    for (const participant of liveParticipants(federation, wall, now)) {
      count++;
      this.note(participant, since);
    }
    if (count < this.known.size) this.noteRemoved(federation, since);
    if (this.lastChange === since) this.frames.clear();
  }

  bring({ stream, sent }: Listener): void {
    const before = sent.get(EVENT);
    if (this.looks === 0 || !stream.isReady || before === this.lastChange) return;
    sent.set(EVENT, this.lastChange);
    for (const frame of this.framesSince(before ?? -1)) stream.send(frame);
  }

  private note(participant: LiveParticipant, since: number): void {
    const { id } = participant;
    const before = this.known.get(id);
    if (before && isSame(before.participant, participant)) return;
    this.known.set(id, { participant, json: JSON.stringify(participant), since });
    this.removed.delete(id);
    this.lastChange = since;
  }

  private noteRemoved({ host, connections }: Federation, since: number): void {
    for (const id of this.known.keys()) {
      if (host.state.members.has(id) || connections.has(id)) continue;
      this.known.delete(id);
      this.removed.set(id, since);
      this.lastChange = since;
    }
  }

  /** `look`: -1 for who has been sent nothing, and gets everybody. */
  private framesSince(look: number): readonly Buffer[] {
    const made = this.frames.get(look);
    if (made) return made;
    const frames: Buffer[] = [];
    const changed = [...this.known.values()].filter(({ since }) => since > look);
    if (look < 0 || changed.length > 0) {
      frames.push(eventFrame(EVENT, `[${changed.map(({ json }) => json).join(',')}]`));
    }
    const gone = look < 0 ? [] : [...this.removed].filter(([, since]) => since > look);
    if (gone.length > 0) frames.push(eventFrame('removed', JSON.stringify(gone.map(([id]) => id))));
    this.frames.set(look, frames);
    return frames;
  }
}

function isSame(a: LiveParticipant, b: LiveParticipant): boolean {
  for (const name in a) {
    const key = name as keyof LiveParticipant;
    if (a[key] !== b[key] && !(key === 'metric' && isSameMetric(a.metric, b.metric))) return false;
  }
  return true;
}

function isSameMetric(a: LiveParticipant['metric'], b: LiveParticipant['metric']): boolean {
  return a?.own === b?.own && a?.shared === b?.shared;
}
