/** The worker that takes part: a participant over the ports of the browser, and everybody who shows it kept informed. */
import { parseEndpoint } from '../client/endpoint.ts';
import { participate } from '../client/participation.ts';
import type { JoinEvent, JoinResult, Participation } from '../client/participation-options.ts';
import { slicedSolver } from '../client/sliced-solver.ts';
import type { Model } from '../solver/model.ts';
import { turn, workerClock } from './clock.ts';
import { openDatabase } from './database.ts';
import { entropyStream, randomShare } from './entropy.ts';
import { openHome } from './home.ts';
import type { News, WorkerJoinOptions } from './messages.ts';
import { TrafficMeter } from './traffic.ts';
import { DEFAULT_HEARTBEAT, webTransport } from './web-transport.ts';

/** Counters are reported at most so often; events at once. */
const NEWS_MS = 100;

export class Leader {
  readonly done: Promise<JoinResult>;
  private readonly participation: Participation;
  private readonly meter = new TrafficMeter(() => this.reportSoon());
  private readonly publish: (news: News) => void;
  private takeBack: (() => void) | undefined;

  /** The token is that of the leadership. */
  constructor(
    { url, name, timing, ...options }: WorkerJoinOptions & { readonly name: string },
    token: string,
    publish: (news: News) => void,
  ) {
    this.publish = publish;
    let database: IDBDatabase | undefined;
    this.participation = participate(
      {
        ...options,
        retryFromMs: timing.retryFromMs,
        retryMostMs: timing.retryMostMs,
        onEvent: (event) => this.report(event),
      },
      {
        transport: () => webTransport(parseEndpoint(url), this.meter, { ...DEFAULT_HEARTBEAT, ...timing }),
        home: async (newcomer) => {
          database = await openDatabase();
          return openHome(database, name, token, newcomer);
        },
        solver: slicedSolver({ clock: workerClock, secret: entropyStream, turn }),
        clock: workerClock,
        random: randomShare,
      },
    );
    this.done = this.participation.done.finally(() => {
      this.report();
      database?.close();
    });
  }

  get news(): News {
    return { status: this.participation.status, traffic: this.meter.traffic };
  }

  model(): Model | undefined {
    return this.participation.model();
  }

  leave(): Promise<void> {
    return this.participation.leave();
  }

  close(): Promise<void> {
    return this.participation.close();
  }

  private report(event?: JoinEvent): void {
    this.takeBack?.();
    this.takeBack = undefined;
    this.publish({ ...this.news, ...(event && { event }) });
  }

  private reportSoon(): void {
    this.takeBack ??= workerClock.at(workerClock.now() + NEWS_MS, () => this.report());
  }
}
