/** What is counted of a shard: its partial sums (sent, accepted, undone), and how long they take. */
import type { ToParticipant } from '../../protocol/messages.ts';

export class ShardCounts {
  sent = 0;
  accepted = 0;
  undone = 0;
  /** From a round's arrival here to its partial sum: of the last one. */
  lagMs = 0;
  private asked = { round: 0, atMs: 0 };
  private lastSent = 0;
  private settled = 0;

  /** `pending`: the round of the partial sum of which it is not known whether it counts. */
  noteAbove(message: ToParticipant, pending: number | undefined, nowMs: number): void {
    if (message.kind === 'round' && message.round > this.asked.round)
      this.asked = { round: message.round, atMs: nowMs };
    if (message.kind !== 'round' && message.kind !== 'outcome' && message.kind !== 'finish') return;
    const isOver =
      message.kind === 'round' ? message.round > (pending ?? 0) : message.round >= (pending ?? 0);
    if (pending === undefined || pending === this.settled || !isOver) return;
    this.settled = pending;
    if (message.accepted.round === pending) this.accepted++;
    else this.undone++;
  }

  notePartial(round: number, nowMs: number): void {
    this.sent++;
    if (round !== this.asked.round || round === this.lastSent) return;
    this.lastSent = round;
    this.lagMs = nowMs - this.asked.atMs;
  }
}
