/** Everything that is shown live, and how many may watch. A federation has a feed as long as somebody watches it. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { RunStore } from '../../host/ports.ts';
import { ApiError } from './api-error.ts';
import type { EventStream } from './event-stream.ts';
import type { Federation } from './federation.ts';
import { FederationFeed } from './federation-feed.ts';
import { Feed, type FeedPorts, Newest, type NewListener } from './feed.ts';
import type { ServerLimits } from './limits.ts';
import { type FederationState, listOf } from './routes/federations.ts';
import type { LiveStreams } from './routes/route.ts';

const OVERVIEW_MS = 250;

interface FeedsPorts extends FeedPorts {
  readonly limits: ServerLimits;
  readonly store: Pick<RunStore, 'history'>;
  /** By name. */
  readonly federations: ReadonlyMap<string, Federation>;
  stateOf(federation: Federation): Promise<FederationState>;
  /** Whether the token that it came with is still good. */
  mayRead(request: IncomingMessage): boolean;
  /** It is no stranger any more. */
  trust(request: IncomingMessage): void;
}

export class Feeds implements LiveStreams {
  private readonly ports: FeedsPorts;
  private readonly all: FederationsFeed;
  private readonly byFederation = new Map<Federation, FederationFeed>();

  constructor(ports: FeedsPorts) {
    this.ports = ports;
    this.all = new FederationsFeed(ports);
  }

  /** How many watch. */
  get listeners(): number {
    let sum = this.all.size;
    for (const { size } of this.byFederation.values()) sum += size;
    return sum;
  }

  federations(request: IncomingMessage): Readable {
    return this.all.watch(this.admitted(request));
  }

  federation(federation: Federation, request: IncomingMessage, after: number): Readable {
    const listener = this.admitted(request);
    const feed = this.feedOf(federation);
    const stream = feed.watch(listener, after);
    stream.once('close', () => {
      if (feed.size === 0) this.byFederation.delete(federation);
    });
    return stream;
  }

  /** The server is shutting down. */
  close(): void {
    this.all.end();
    for (const feed of this.byFederation.values()) feed.end();
    this.byFederation.clear();
  }

  private feedOf(federation: Federation): FederationFeed {
    const known = this.byFederation.get(federation);
    if (known) return known;
    const { federations, stateOf } = this.ports;
    const fate = () => {
      const present = federations.get(federation.name);
      return present === federation ? 'running' : present ? 'replaced' : 'deleted';
    };
    const feed = new FederationFeed({ ...this.ports, federation, fate, stateOf: () => stateOf(federation) });
    this.byFederation.set(federation, feed);
    return feed;
  }

  private admitted(request: IncomingMessage): NewListener {
    const { limits, trust, mayRead } = this.ports;
    if (this.listeners >= limits.listeners) {
      throw new ApiError(
        'TOO_MANY',
        `events: expected at most ${limits.listeners} listeners; try again later`,
      );
    }
    trust(request);
    return { isAllowed: () => mayRead(request), cutOff: () => request.socket.destroy() };
  }
}

/** All federations in brief. */
class FederationsFeed extends Feed {
  declare protected readonly ports: FeedsPorts;
  private readonly newest = new Newest('federations');
  private lookedMs = Number.NEGATIVE_INFINITY;

  watch(newcomer: NewListener): EventStream {
    return this.add(newcomer, (listener) => listener);
  }

  protected async look(): Promise<boolean> {
    const { clock, federations } = this.ports;
    if (clock.now() - this.lookedMs >= OVERVIEW_MS) {
      this.lookedMs = clock.now();
      this.newest.update({ federations: listOf(federations) });
    }
    return true;
  }

  protected async bring(listener: Parameters<Newest['bring']>[0]): Promise<void> {
    this.newest.bring(listener);
  }
}
