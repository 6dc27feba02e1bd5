/**
 * A participant of a real federation: its machine (src/participant), a state folder, a thread that solves and a connection, put
 * together. The machine decides; this brings it what happens, and knows when it is over.
 */
import '../crc32.ts';
import { KindredError } from '../../base/errors.ts';
import type { Model } from '../../methods/model.ts';
import type { SolveResult } from '../../participant/effects.ts';
import { personalRequest } from '../../participant/finishing.ts';
import type { ParticipantState } from '../../participant/state.ts';
import { nodePrimitives } from '../crypto.ts';
import { knownModel, withRows } from './changed-rows.ts';
import {
  DEFAULT_TIMING,
  type JoinEvent,
  type JoinOptions,
  type JoinResult,
  type JoinStatus,
  type JoinTiming,
  type Participation,
} from './join-options.ts';
import { Life, type LifeParts, prepareRows } from './life.ts';
import { Link } from './link.ts';
import { OwnRows } from './own-rows.ts';
import { modelOf } from './participant-model.ts';
import { ownDataOf, ownFolder, profileOf } from './settle-in.ts';
import type { StateFolder } from './state-folder.ts';

/** Nobody waits for a personal part that is not sent. */
const PERSONAL_PASSES = 10_000;

export function joinFederation(options: JoinOptions): Participation {
  return new Joining(options);
}

class Joining implements Participation {
  readonly done: Promise<JoinResult>;
  private readonly options: JoinOptions;
  private readonly timing: JoinTiming;
  private settle!: { resolve: (result: JoinResult) => void; reject: (error: unknown) => void };
  private folder: StateFolder | undefined;
  private rows: OwnRows | undefined;
  /** Present once the thread is ready. */
  private parts: LifeParts | undefined;
  private life: Life | undefined;
  private link: Link | undefined;
  private isConnected = false;
  private isEnding = false;
  private wantsToLeave = false;
  private passes = 0;
  private solveMs: number | undefined;
  private lastTold = '';

  constructor(options: JoinOptions) {
    this.options = options;
    this.timing = { ...DEFAULT_TIMING, ...options.timing };
    this.done = new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
    });
    this.guarded(() => this.begin());
  }

  get status(): JoinStatus {
    const { life, passes, solveMs, isConnected } = this;
    const { participant } = this.options;
    const { federation, stored } = this.folder?.file ?? {};
    const phase = life?.state.phase ?? 'joining';
    const base = stored?.base ?? 0;
    return { participant, federation, phase, round: life?.round ?? base, base, isConnected, passes, solveMs };
  }

  model(): Model | undefined {
    return this.folder && modelOf(this.folder.file);
  }

  async leave(): Promise<void> {
    this.wantsToLeave = true;
    this.guarded((life) => life?.take({ type: 'leave' }));
    await this.done;
  }

  async close(): Promise<void> {
    this.end('closed');
    await this.done.catch(() => {});
  }

  private begin(): void {
    const { options } = this;
    const own = ownDataOf(options);
    const { folder, hasChanged } = ownFolder(options, own);
    this.folder = folder;
    const { positive, slowdown = 1, record } = options;
    const rows = new OwnRows(
      own,
      { positive, slowdown },
      {
        ready: (moments, benchmarkMs) => {
          this.parts = {
            profile: profileOf(options, folder, moments, benchmarkMs),
            folder,
            rows,
            primitives: nodePrimitives(),
            send: (frame) => this.link?.send(frame),
            timeOver: () => this.guarded((life) => life?.take({ type: 'timer' })),
            record,
          };
          this.guarded(() => (hasChanged ? this.adapt(own.digest) : this.live()));
        },
        prepared: (problem) =>
          this.guarded((life) => (life ? life.take({ type: 'prepared', problem }) : this.personalise())),
        solved: (result) =>
          this.life ? this.solved(result) : this.guarded(() => this.takeRows(own.digest, result.solution.u)),
        failed: (error) => this.fail(error),
      },
    );
    this.rows = rows;
  }

  /** Other rows than at the last start: the model is fitted to them before there is a connection (changed-rows.ts). */
  private adapt(digest: string): void {
    const known = knownModel(this.folder!.file.stored);
    if (known) prepareRows(this.folder!, this.rows!, known.settings, known.scaling);
    else this.takeRows(digest, undefined);
  }

  private personalise(): void {
    const { settings, model } = knownModel(this.folder!.file.stored)!;
    const request = personalRequest(settings, this.options.participant, model);
    this.rows!.solver.solve({ ...request, passes: PERSONAL_PASSES });
  }

  private takeRows(digest: string, u: Float64Array | undefined): void {
    const folder = this.folder!;
    folder.update(withRows(folder.file, digest, u));
    const { edition } = folder.file.stored;
    this.tell({ type: 'rows changed', edition, isPersonalised: u !== undefined });
    this.live();
  }

  private live(): void {
    this.life = new Life(this.parts!);
    if (this.wantsToLeave) this.life.take({ type: 'leave' });
    this.connect();
  }

  private connect(): void {
    this.link = new Link(this.options, this.timing, this.folder!, {
      connected: (federation) => {
        this.isConnected = true;
        this.tell({ type: 'connected', federation });
        this.guarded((life) => life?.connected());
      },
      message: (message) => this.guarded((life) => life?.take({ type: 'message', message })),
      badFrame: (message) => this.tell({ type: 'bad frame', message }),
      lost: (why, retryMs) => {
        this.isConnected = false;
        this.tell({ type: 'lost', why, retryMs });
      },
      ended: (error) => this.fail(error),
    });
  }

  private solved(result: SolveResult): void {
    const { round, passes, computeMs } = result;
    this.passes += passes;
    this.solveMs = computeMs;
    this.tell({ type: 'solved', round, passes, computeMs });
    this.guarded((life) => life?.take({ type: 'solved', result }));
  }

  /** Whatever is done to the machine is done in here: what came of it is looked at afterwards. */
  private guarded(act: (life: Life | undefined) => void): void {
    if (this.isEnding) return;
    try {
      act(this.life);
      this.look();
    } catch (error) {
      this.fail(error);
    }
  }

  private look(): void {
    const { life } = this;
    if (!life) return;
    const { round } = life;
    const { phase, stored, refusal } = life.state;
    const news = `${phase} ${round}`;
    if (news === this.lastTold) return;
    this.lastTold = news;
    this.tell({ type: 'phase', phase, round });
    if (refusal) this.fail(refusalError(refusal, this.options));
    if (phase !== 'finished' && phase !== 'gone') return;
    const reason = stored.finished!;
    this.tell({ type: 'finished', reason, round });
    // Whoever stays is woken by the next round.
    if (phase === 'gone' || !this.options.keepGoing) this.end(reason);
  }

  private tell(event: JoinEvent): void {
    if (this.isEnding) return;
    try {
      this.options.onEvent?.(event);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.end('closed', { error });
  }

  private end(reason: JoinResult['reason'], failure?: { readonly error: unknown }): void {
    if (this.isEnding) return;
    this.isEnding = true;
    this.life?.stop();
    this.wayOut(reason).then(
      (result) => (failure ? this.settle.reject(failure.error) : this.settle.resolve(result)),
      (other: unknown) => this.settle.reject(failure ? failure.error : other),
    );
  }

  /** Everything is given back before anybody is told that it is over. */
  private async wayOut(reason: JoinResult['reason']): Promise<JoinResult> {
    const { folder, rows, options } = this;
    const { participant, federation, round: rounds, base, passes } = this.status;
    try {
      await this.link?.close();
      await rows?.solver.close();
      const model = this.model();
      const test = model && rows?.test(model);
      return { participant, federation, reason, rounds, base, passes, test, state: options.stateFolder };
    } finally {
      this.isConnected = false;
      folder?.release();
    }
  }
}

/** Refusals that are mistakes of whoever started this participant; others are of the run. */
const MISTAKES = new Set(['NOT_SECURE', 'WRONG_FEATURES']);

function refusalError(
  { code, message }: NonNullable<ParticipantState['refusal']>,
  { secure }: JoinOptions,
): Error {
  const hint = code === 'NOT_SECURE' ? `; join ${secure ? 'without' : 'with'} --secure` : '';
  return new KindredError(code, `${message}${hint}`, MISTAKES.has(code) ? 'input' : 'run');
}
