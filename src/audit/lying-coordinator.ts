/**
 * A coordinator that lies, as an attack on participants who follow the protocol: the real machine, and somebody on its lines who changes what
 * it sends. With `secure` sums it shows the victim a query of its own and all others the query 0, whose answers then stand still; the change of
 * the sum is the change of the victim's answer. For a long query w the answer is C1 times the sum of y x over the rows with y x.w < 0, so two
 * queries that differ in one row only give that row away: bisection between two directions finds such a pair.
 */
import { inquiryOf } from '../coordinator/training.ts';
import { decodeFrom, encode } from '../protocol/codec.ts';
import type { ToParticipant } from '../protocol/messages.ts';
import type { Simulation } from '../sim/simulation.ts';
import { norm, plusScaled } from '../solver/vector.ts';

/** Longer than any personal part can make up for. */
const LENGTH = 1e6;
/** Answers that differ by less are the same. */
const SAME = 0.2;
/** Halvings of the angle between two queries. */
const HALVINGS = 14;

/** What is sent in place of a message. */
export type Lie = (message: ToParticipant, to: string) => ToParticipant;

export function tellLies({ participants }: Simulation, lie: Lie): void {
  for (const [id, node] of participants) {
    const receive = node.receive.bind(node);
    node.receive = (frame) => receive(encode(lie(decodeFrom('coordinator', frame), id), 'f64'));
  }
}

/** Asks the victim about one query after another, and reads its answers out of the sums. */
export class RowHunt {
  /** Rows of the victim, up to their sign and C1: as many as were found. */
  readonly rows: Float64Array[] = [];
  private readonly simulation: Simulation;
  private readonly victim: string;
  private round = 0;
  private asked: Float64Array | undefined;
  private low: { readonly w: Float64Array; readonly u: Float64Array } | undefined;
  private high: { readonly w: Float64Array; readonly u: Float64Array } | undefined;
  private halvings = 0;
  private tries = 0;

  constructor(simulation: Simulation, victim: string) {
    this.simulation = simulation;
    this.victim = victim;
    tellLies(simulation, (message, to) => this.lie(message, to));
  }

  private lie(message: ToParticipant, to: string): ToParticipant {
    if (message.kind !== 'round') return message;
    if (message.round > this.round) {
      this.learn();
      this.round = message.round;
      this.asked = this.next(message.w.length);
    }
    const w = to === this.victim ? this.asked! : new Float64Array(message.w.length);
    // As exact as it gets: the others are to stand still.
    return { ...message, w, sigma: 0, tolerance: 1e-12 };
  }

  /** The sum after the query before; but for what the others answer to 0, which is the same each time, it is the victim's answer. */
  private learn(): void {
    const u = inquiryOf(this.simulation.coordinator.state!)?.u.slice();
    const w = this.asked;
    if (!u || !w) return;
    if (!this.low) this.low = { w, u };
    else if (!this.high) this.high = { w, u };
    else if (norm(plusScaled(u, -1, this.low.u)) > SAME) this.high = { w, u };
    else this.low = { w, u };
    if (this.high && ++this.halvings > HALVINGS) this.keep();
  }

  private keep(): void {
    const row = plusScaled(this.high!.u, -1, this.low!.u);
    if (norm(row) > SAME) this.rows.push(row);
    this.low = this.high = undefined;
    this.halvings = 0;
  }

  private next(d: number): Float64Array {
    const { low, high } = this;
    const between = low && high && plusScaled(low.w, 1, high.w);
    this.tries += between ? 0 : 1;
    const w = between ?? Float64Array.from({ length: d }, (_, j) => Math.sin(this.tries * (j + 1) ** 2));
    return w.map((value) => (LENGTH * value) / norm(w));
  }
}
