/** The list of federations as its events tell it, and the gap of each over time, for small curves. */
import type { ServerEvents } from '../../../node/server/live.ts';
import type { FederationBrief } from '../../../node/server/routes/federations.ts';
import { ask, federationPath } from '../../shared/api.ts';
import { Cell } from '../../shared/cell.ts';
import { EventStream, type StreamStatus } from '../../shared/events.ts';

const MOST_POINTS = 200;
/** Curves of more are not asked for: the list stays light. */
const MOST_CURVES = 24;

export class LiveServer {
  readonly status = new Cell<StreamStatus>({ type: 'connecting' });
  readonly federations = new Cell<readonly FederationBrief[] | undefined>(undefined);
  /** Gaps of each, oldest first, by id; changed in place. */
  readonly gaps = new Cell(new Map<string, (number | null)[]>());
  private readonly stream: EventStream;

  constructor() {
    this.stream = new EventStream({
      path: () => '/v1/events',
      onEvent: ({ type, data }) => {
        if (type === 'federations') this.take(JSON.parse(data) as ServerEvents['federations']);
      },
      onStatus: (status) => this.status.set(status),
    });
  }

  retry(): void {
    this.stream.retry();
  }

  close(): void {
    this.stream.close();
  }

  private take({ federations }: ServerEvents['federations']): void {
    const before = new Map(this.federations.value?.map((one) => [one.id, one]));
    for (const one of federations) {
      const curve = this.gaps.value.get(one.id);
      if (curve) {
        if (before.get(one.id)?.round !== one.round) keep(curve, one.relativeGap);
      } else if (this.gaps.value.size < MOST_CURVES) void this.fetchGaps(one);
    }
    this.federations.set(federations);
  }

  private async fetchGaps({ id, name }: FederationBrief): Promise<void> {
    const curve: (number | null)[] = [];
    this.gaps.value.set(id, curve);
    const rows = await ask<{ relativeGap: number | null }[]>(federationPath(name, '/history')).catch(
      () => [],
    );
    curve.unshift(...rows.slice(-MOST_POINTS).map(({ relativeGap }) => relativeGap));
    this.gaps.changed();
  }
}

function keep(curve: (number | null)[], gap: number | null): void {
  curve.push(gap);
  if (curve.length > MOST_POINTS) curve.shift();
}
