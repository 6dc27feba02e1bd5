/**
 * One tab's part in a participation, in its worker. A tab follows until it leads: it shows what the leader does, and has a place in the
 * line for when that one is closed. Events, status and traffic go from the leader to all tabs; the model is read where it is kept.
 */
import { KindredError } from '../base/errors.ts';
import { modelOf } from '../client/participant-file.ts';
import type { JoinResult } from '../client/participation-options.ts';
import type { Model } from '../solver/model.ts';
import { openDatabase } from './database.ts';
import { randomBytes } from './entropy.ts';
import { newIdentity } from './identity.ts';
import { Leader } from './leader.ts';
import { type Leadership, lead } from './leadership.ts';
import {
  type BetweenTabs,
  errorOf,
  type FromWorker,
  failureOf,
  type News,
  type Outcome,
  tabChannel,
  type WorkerJoinOptions,
} from './messages.ts';
import { stateName } from './state-name.ts';
import { readStateFile } from './state-store.ts';

type NamedJoinOptions = WorkerJoinOptions & { readonly name: string };

/** How long followers may take to hear that it is over, before the next one may lead. */
const GOODBYE_MS = 1000;

export class TabSession {
  private readonly options: NamedJoinOptions;
  private readonly post: (message: FromWorker) => void;
  private readonly tabs: BroadcastChannel;
  private readonly id = randomBytes(8).join('.');
  private readonly waiting = new AbortController();
  private readonly followers = new Set<string>();
  private role: 'leader' | 'follower' | undefined;
  private leader: Leader | undefined;
  private lastNews: News | undefined;
  private outcome: Outcome | undefined;
  private wantsToLeave = false;
  private isClosing = false;
  /** Fulfilled when there is an outcome. */
  private readonly over: Promise<void>;
  private end!: () => void;
  /** Fulfilled when nothing is held any more. */
  private readonly running: Promise<void>;
  private allHeard = () => {};

  constructor(options: WorkerJoinOptions, post: (message: FromWorker) => void) {
    const { url, participant, name = stateName(url, participant) } = options;
    this.options = { ...options, name };
    this.post = post;
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
    this.tabs = tabChannel(name);
    this.tabs.onmessage = ({ data }: MessageEvent<BetweenTabs>) => this.hear(data);
    this.running = this.run().catch((error: unknown) => this.finish({ failure: failureOf(error) }));
  }

  async model(): Promise<Model | undefined> {
    if (this.leader) return this.leader.model();
    const database = await openDatabase();
    try {
      const file = await readStateFile(database, this.options.name);
      return file && modelOf(file);
    } finally {
      database.close();
    }
  }

  /** In all tabs. */
  async leave(): Promise<void> {
    this.wantsToLeave = true;
    if (this.leader) await this.leader.leave();
    else this.say({ type: 'leave', from: this.id });
    await this.over;
    if (this.outcome && 'failure' in this.outcome) throw errorOf(this.outcome.failure);
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.waiting.abort();
    if (this.leader) await this.leader.close();
    else this.finish({ result: this.closedResult() });
    await this.running;
    this.say({ type: 'gone', from: this.id });
    this.tabs.close();
  }

  private async run(): Promise<void> {
    await preload(this.options);
    while (!this.outcome) {
      this.say({ type: 'hello', from: this.id });
      const leadership = await lead(this.options.name, this.waiting.signal).catch((error: unknown) => {
        if (!this.waiting.signal.aborted) throw error;
      });
      if (!leadership) return;
      if (!this.outcome) await this.lead(leadership);
      await leadership.release();
    }
  }

  /** Until it is over, or the leadership is lost. */
  private async lead(leadership: Leadership): Promise<void> {
    const leader = new Leader(this.options, leadership.token, (news) => {
      this.say({ type: 'news', news });
      this.show(news);
    });
    this.leader = leader;
    this.takeRole('leader');
    this.say({ type: 'leading' });
    if (this.wantsToLeave) leader.leave().catch(() => {});
    leadership.lost.then(() => leader.close());
    let outcome = await leader.done.then(
      (result): Outcome => ({ result }),
      (error: unknown): Outcome => ({ failure: failureOf(error) }),
    );
    if (!this.isClosing && ('failure' in outcome || outcome.result.reason === 'closed')) {
      // Whatever failed first (a save, a connection that was replaced): this is why.
      const why = await leadership.whyLost().catch(() => undefined);
      if (why?.code === 'STATE_IN_USE') {
        this.leader = undefined;
        return;
      }
      if (why) outcome = { failure: failureOf(why) };
    }
    // Whoever only closes this tab ends nothing for the others.
    if (!this.isClosing) await this.tellAll(outcome);
    this.finish(outcome);
  }

  private async tellAll(outcome: Outcome): Promise<void> {
    this.say({ type: 'done', outcome });
    if (this.followers.size === 0) return;
    await new Promise<void>((resolve) => {
      this.allHeard = resolve;
      setTimeout(resolve, GOODBYE_MS);
    });
  }

  private hear(message: BetweenTabs): void {
    if (this.outcome && message.type !== 'gone') return;
    if (this.leader) this.hearFollower(this.leader, message);
    else this.hearLeader(message);
  }

  private hearFollower(leader: Leader, message: BetweenTabs): void {
    switch (message.type) {
      case 'hello':
        this.followers.add(message.from);
        this.say(
          this.outcome ? { type: 'done', outcome: this.outcome } : { type: 'news', news: leader.news },
        );
        break;
      case 'gone':
        this.followers.delete(message.from);
        if (this.followers.size === 0) this.allHeard();
        break;
      case 'leave':
        this.wantsToLeave = true;
        leader.leave().catch(() => {});
        break;
      default:
    }
  }

  private hearLeader(message: BetweenTabs): void {
    switch (message.type) {
      case 'leading':
        this.say({ type: 'hello', from: this.id });
        if (this.wantsToLeave) this.say({ type: 'leave', from: this.id });
        break;
      case 'news':
        this.takeRole('follower');
        this.show(message.news);
        break;
      case 'done':
        this.finish(message.outcome);
        this.waiting.abort();
        this.say({ type: 'gone', from: this.id });
        break;
      default:
    }
  }

  private takeRole(role: 'leader' | 'follower'): void {
    if (this.role === role) return;
    this.role = role;
    this.post({ type: 'role', role });
  }

  private show(news: News): void {
    this.lastNews = news;
    this.post({ type: 'news', news });
  }

  private say(message: BetweenTabs): void {
    // Closed: nobody is there to hear it.
    try {
      this.tabs.postMessage(message);
    } catch {}
  }

  private finish(outcome: Outcome): void {
    if (this.outcome) return;
    this.outcome = outcome;
    this.post({ type: 'done', outcome });
    this.end();
  }

  /** Of a follower that is closed. */
  private closedResult(): JoinResult {
    const { participant, name } = this.options;
    const { federation, round = 0, base = 0, agreement } = this.lastNews?.status ?? {};
    return {
      ...{ participant, key: undefined, federation, reason: 'closed', rounds: round, base, passes: 0 },
      ...{ classes: agreement?.classes, target: agreement?.target, test: undefined, privacy: undefined },
      state: name,
    };
  }
}

/**
 * All code that it may need, before it begins: a new deployment of the page takes the old scripts away, and a participation that
 * is under way must not miss them.
 */
async function preload({ secure, probabilities }: WorkerJoinOptions): Promise<void> {
  try {
    await Promise.all([
      newIdentity(),
      secure && import('../participant/secure.ts'),
      probabilities && import('../client/own-calibration.ts'),
    ]);
  } catch (error) {
    throw new KindredError(
      'WORKER_FAILED',
      `a script of the page could not be loaded: ${(error as Error).message}`,
      'run',
    );
  }
}
