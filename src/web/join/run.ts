/**
 * Taking part, as the page shows it: one participation of the library, what it reports, and how its model does on one's own rows. Everything
 * shown is one value that is replaced as things happen.
 */
import type { PageEvent, PageParticipation } from '../../browser/page-types.ts';
import { NO_TRAFFIC, type Traffic } from '../../browser/traffic.ts';
import type { JoinStatus } from '../../client/participation-options.ts';
import type { Model } from '../../solver/model.ts';
import { Cell } from '../shared/cell.ts';
import type { Remote } from '../shared/worker-calls.ts';
import type { Alone, MetricName } from './compare.ts';
import { type Problem, problemOf } from './problems.ts';
import type { RowsSummary } from './read-rows.ts';
import type { RowsWork } from './rows-work.ts';
import { type History, type SavedJoin, saveJoin } from './saved.ts';

export interface RunState {
  readonly status: JoinStatus;
  readonly role: 'leader' | 'follower' | undefined;
  readonly traffic: Traffic;
  /** Since the page was opened. */
  readonly hasConnected: boolean;
  /** Undefined: before the first round. */
  readonly model: Model | undefined;
  readonly history: History | undefined;
  /** Undefined: not measured yet. */
  readonly alone: Alone | undefined;
  /** Undefined: it goes on. */
  readonly end: RunEnd | undefined;
}

export type RunEnd = { readonly type: 'left' } | { readonly type: 'stopped'; readonly problem: Problem };

export interface RunOptions {
  readonly saved: SavedJoin;
  readonly summary: RowsSummary;
  readonly rows: Remote<RowsWork>;
  /** Undefined: it has left, and is only looked at. */
  readonly start: ((onEvent: (event: PageEvent) => void) => PageParticipation) | undefined;
  /** It could not even begin: the page asks for something else. */
  onRefused(problem: Problem): void;
}

export class Run {
  readonly state: Cell<RunState>;
  readonly summary: RowsSummary;
  readonly rows: Remote<RowsWork>;
  saved: SavedJoin;
  private readonly participation: PageParticipation | undefined;
  private readonly options: RunOptions;
  private measuring: Promise<void> | undefined;
  private isStale = false;
  private measuredAt = '';

  constructor(options: RunOptions) {
    const { saved, summary, rows, start } = options;
    this.options = options;
    this.saved = saved;
    this.summary = summary;
    this.rows = rows;
    this.state = new Cell<RunState>({
      status: initialStatus(saved.participant),
      role: undefined,
      traffic: NO_TRAFFIC,
      hasConnected: false,
      model: saved.left?.model,
      history: saved.history,
      alone: undefined,
      end: saved.left && { type: 'left' },
    });
    this.participation = start?.((event) => this.onEvent(event));
    this.participation?.done.then(
      async ({ reason }) => {
        if (reason === 'left') await this.left();
      },
      (error: unknown) => this.failed(error),
    );
    this.measure();
  }

  get federation(): string {
    return this.saved.federation;
  }

  get participant(): string {
    return this.saved.participant;
  }

  /** For good; the model stays here. */
  async leave(): Promise<void> {
    await this.participation?.leave();
    await this.left();
  }

  /** Without a message: to go on later. */
  async close(): Promise<void> {
    await this.participation?.close();
  }

  private set(changes: Partial<RunState>): void {
    this.state.set({ ...this.state.value, ...changes });
  }

  private onEvent(event: PageEvent): void {
    // The first events come before the participation is given back.
    const status = event.type === 'status' ? event.status : this.participation?.status;
    const { hasConnected } = this.state.value;
    this.set({
      ...(status && { status }),
      ...(event.type === 'role' && { role: event.role }),
      ...(event.type === 'traffic' && { traffic: event.traffic }),
      hasConnected: hasConnected || event.type === 'connected' || status?.isConnected === true,
    });
    if (!hasConnected && this.state.value.hasConnected) this.store({ savedMs: Date.now() });
    if (event.type !== 'traffic') this.measure();
  }

  private async left(): Promise<void> {
    if (this.state.value.end) return;
    const { model } = this.state.value;
    this.set({ end: { type: 'left' } });
    await this.store({ left: { model } });
  }

  private async failed(error: unknown): Promise<void> {
    const { code, message } = error as { readonly code?: string; readonly message: string };
    const problem = problemOf(code, message);
    const { hasConnected, model } = this.state.value;
    if (hasConnected || this.saved.history || model) this.set({ end: { type: 'stopped', problem } });
    else {
      // Whoever tries again would hear of this end from it.
      await this.close();
      this.options.onRefused(problem);
    }
  }

  /** Storage may be full or gone: then a reload cannot go on by itself, which is all that is lost. */
  private async store(changes: Partial<SavedJoin>): Promise<void> {
    this.saved = { ...this.saved, ...changes };
    if (this.state.value.role === 'follower') return;
    await saveJoin(this.saved).catch(() => {});
  }

  /** One at a time, and once more if something has happened meanwhile. */
  private measure(): void {
    if (this.measuring) {
      this.isStale = true;
      return;
    }
    this.isStale = false;
    this.measuring = this.measureNow()
      .catch((error: unknown) => console.error(error))
      .finally(() => {
        this.measuring = undefined;
        if (this.isStale) this.measure();
      });
  }

  private async measureNow(): Promise<void> {
    const { participation } = this;
    const before = momentOf(this.state.value.status);
    const model = before === this.measuredAt ? undefined : await participation?.model();
    if (model) {
      this.measuredAt = before;
      await this.measureModel(model, participation!.status);
    }
    const known = this.state.value.model;
    if (known && !this.state.value.alone) this.set({ alone: await this.rows.alone(known) });
  }

  /** Before the first round is known a model is one of an earlier visit, which the history has already. */
  private async measureModel(model: Model, { round, phase }: JoinStatus): Promise<void> {
    const compared = await this.rows.compare(model);
    const { history: known } = this.state.value;
    const history = round === 0 && known ? known : withRound(known, round, compared);
    this.set({ model, history });
    if (phase === 'finished' || round % SAVED_EVERY === 0) await this.store({ history });
  }
}

/** A model is measured once at each. */
function momentOf({ round, base, phase }: JoinStatus): string {
  return `${round} ${base} ${phase === 'finished'}`;
}

/** Rounds between two writes of the history: it is a picture, not a record. */
const SAVED_EVERY = 5;

function initialStatus(participant: string): JoinStatus {
  return {
    participant,
    phase: 'joining',
    round: 0,
    base: 0,
    isConnected: false,
    passes: 0,
    awaited: undefined,
    solveMs: undefined,
    federation: undefined,
    waitingFor: undefined,
    agreement: undefined,
  };
}

interface Measured {
  readonly metric: MetricName;
  readonly own: number | undefined;
  readonly shared: number | undefined;
}

/** A round that was measured before is measured anew; what is after it was of a training that has started over. */
export function withRound(
  history: History | undefined,
  round: number,
  { metric, own, shared }: Measured,
): History {
  const known = history?.metric === metric ? history : { metric, rounds: [], own: [], shared: [] };
  const kept = known.rounds.findIndex((earlier) => earlier >= round);
  const count = kept < 0 ? known.rounds.length : kept;
  return {
    metric,
    rounds: [...known.rounds.slice(0, count), round],
    own: [...known.own.slice(0, count), own ?? null],
    shared: [...known.shared.slice(0, count), shared ?? null],
  };
}
