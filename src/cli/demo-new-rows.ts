/** Rows that the people of the demo record while it runs: now one, now another. `kindred join --watch` notices the longer file. */
import { selectRows } from '../data/participants.ts';
import { type DemoData, NEW_ROWS } from './demo-data.ts';
import type { DemoFederation } from './demo-federation.ts';

const EVERY_MS = 8000;

export class NewRows {
  private readonly federation: DemoFederation;
  private readonly data: DemoData;
  /** Of each person, by place. */
  private readonly rows: number[];
  private readonly timer: NodeJS.Timeout;
  private turn = 0;

  constructor(federation: DemoFederation, data: DemoData) {
    this.federation = federation;
    this.data = data;
    this.rows = data.table.participants.map(() => 0);
    for (const k of data.table.participantOf) this.rows[k]++;
    this.timer = setInterval(() => this.add().catch(() => this.end()), EVERY_MS);
  }

  /** Also where the disk is full: the federation goes on with the rows that there are. */
  end(): void {
    clearInterval(this.timer);
  }

  /** Until there are no more: files and training are not to grow for ever. */
  private async add(): Promise<void> {
    const { participants } = this.data.table;
    const k = this.turn++ % participants.length;
    const all = this.data.more(k + 1);
    this.rows[k] = Math.min(this.rows[k] + NEW_ROWS, all.n);
    const places = Array.from({ length: this.rows[k] }, (_, i) => i);
    await this.federation.writeRows(participants[k], selectRows(all, places));
  }
}
