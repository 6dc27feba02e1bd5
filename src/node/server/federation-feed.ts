/** A federation for those who watch it: its state, the open round, its participants and the rounds that close. */
import type { HistoryRow, RunStore } from '../../host/ports.ts';
import { type EventStream, eventFrame } from './event-stream.ts';
import type { Federation } from './federation.ts';
import { Feed, type FeedPorts, type Listener, Newest, type NewListener } from './feed.ts';
import { openRoundOf, WallTime } from './live.ts';
import { ParticipantChanges } from './participant-changes.ts';
import type { FederationState } from './routes/federations.ts';
import { roundView } from './routes/rounds.ts';

/** State and participants are looked at so often at the most; the open round with every look. */
const STATE_MS = 250;
/** Rounds that are read from the store at once: a thousand responders make a row of ten kilobytes. */
const PAGE = 20;
const DELETED = eventFrame('deleted', '{}');

interface FederationFeedPorts extends FeedPorts {
  readonly federation: Federation;
  readonly store: Pick<RunStore, 'history'>;
  readonly stateOf: () => Promise<FederationState>;
  /** What has become of it; `replaced`: by another of its name. */
  readonly fate: () => 'running' | 'deleted' | 'replaced';
}

interface Watcher extends Listener {
  /** The last round that it was sent, or has known before. */
  round: number;
  /** Whether it has been sent all rounds of the store once. */
  hasHistory: boolean;
}

export class FederationFeed extends Feed<Watcher> {
  declare protected readonly ports: FederationFeedPorts;
  private readonly wall: WallTime;
  private readonly state = new Newest('state');
  private readonly open = new Newest('open');
  private readonly participants = new ParticipantChanges();
  private stateMs = Number.NEGATIVE_INFINITY;
  /** Rounds after one, as they were read for this look. */
  private readonly pages = new Map<number, Promise<Page>>();

  constructor(ports: FederationFeedPorts) {
    super(ports);
    this.wall = new WallTime(ports.clock);
  }

  /** `after`: the last round that is known. */
  watch(newcomer: NewListener, after: number): EventStream {
    return this.add(newcomer, (listener) => ({ ...listener, round: after, hasHistory: false }));
  }

  protected async look(): Promise<boolean> {
    const { federation, fate, clock } = this.ports;
    const now = fate();
    if (now !== 'running') {
      this.end(now === 'deleted' ? DELETED : undefined);
      return false;
    }
    this.wall.check();
    this.pages.clear();
    this.open.update(openRoundOf(federation, this.wall));
    if (clock.now() - this.stateMs >= STATE_MS) {
      this.stateMs = clock.now();
      const { nowMs, uptimeMs, ...state } = await this.ports.stateOf();
      this.state.update(state, { nowMs, uptimeMs });
      this.participants.look(federation, this.wall, clock.now());
    }
    return true;
  }

  protected async bring(watcher: Watcher): Promise<void> {
    this.state.bring(watcher);
    this.open.bring(watcher);
    this.participants.bring(watcher);
    await this.bringRounds(watcher);
  }

  /** From the store, so that nobody is sent a round that is not durable. Who is slow reads on where it was. */
  private async bringRounds(watcher: Watcher): Promise<void> {
    const { stream } = watcher;
    while (stream.isReady) {
      const { last } = this.ports.federation.meter;
      if (watcher.hasHistory && (last?.round ?? 0) <= watcher.round) return;
      const { round, frame } = await this.pageAfter(watcher.round);
      watcher.hasHistory ||= frame === undefined;
      if (!frame) return;
      watcher.round = round;
      stream.send(frame);
    }
  }

  private pageAfter(round: number): Promise<Page> {
    const known = this.pages.get(round);
    if (known) return known;
    const page = this.read(round);
    this.pages.set(round, page);
    return page;
  }

  private async read(after: number): Promise<Page> {
    const { federation, store } = this.ports;
    const rows = await store.history(federation.name, after, PAGE);
    const last = rows.at(-1);
    return last ? { round: last.round, frame: Buffer.concat(rows.map(rowFrame)) } : { round: after };
  }
}

interface Page {
  /** The last of it. */
  readonly round: number;
  /** Undefined: there is none. */
  readonly frame?: Buffer;
}

function rowFrame(row: HistoryRow): Buffer {
  return eventFrame('round', JSON.stringify(roundView(row)), row.round);
}
