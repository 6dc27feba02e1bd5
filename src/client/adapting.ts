/** Fits a participant's model to rows that have changed, before there is a connection (opening.ts). */
import { personalRequest } from '../participant/finishing.ts';
import type { Solution } from '../solver/member.ts';
import { knownModel, type RowChange, withRows } from './opening.ts';
import type { OwnRows } from './own-rows.ts';
import { modelOf } from './participant-file.ts';
import type { JoinEvent, OwnMetrics } from './participation-options.ts';
import type { StateStore } from './ports.ts';

/** Nobody waits for a personal part that is not sent. */
const PERSONAL_PASSES = 10_000;

export class Adapting {
  private readonly store: StateStore;
  private readonly rows: OwnRows;
  private readonly change: RowChange;
  private fitted: (solution: Solution) => void = () => {};

  constructor(store: StateStore, rows: OwnRows, change: RowChange) {
    this.store = store;
    this.rows = rows;
    this.change = change;
  }

  /** `solve` and `solved` bring it on. Nothing is saved where it is over by then. Gives duals to start the next answer from, and what has happened. */
  async run(
    isOver: () => boolean,
  ): Promise<{ readonly warm: Float64Array | undefined; readonly event: JoinEvent } | undefined> {
    const { store, rows, change } = this;
    const known = knownModel(store.file.stored);
    const fitted = new Promise<Solution>((resolve) => {
      this.fitted = resolve;
    });
    if (known) rows.prepare(known.settings, known.scaling, known.agreement);
    const solution = known && (await fitted);
    if (isOver()) return undefined;
    const before = this.measured();
    const changes = withRows(store.file, change, solution?.u);
    await (change.removed ? store.rewrite(changes) : store.save(changes));
    const after = this.measured();
    const { added, gone, kept } = change;
    const { edition } = store.file.stored;
    const on = rows.isTested ? 'test rows' : 'new rows';
    const own: OwnMetrics | undefined = before && after && { on, before, after };
    const isPersonalised = solution !== undefined;
    return {
      warm: solution?.beta,
      event: { type: 'rows changed', edition, added, gone, kept, isPersonalised, own },
    };
  }

  /** The rows are scaled. */
  solve(): void {
    const { participant, stored } = this.store.file;
    const { settings, model } = knownModel(stored)!;
    const request = personalRequest(settings, participant, model);
    this.rows.solver.solve({ ...request, warm: this.change.warm, passes: PERSONAL_PASSES });
  }

  solved(solution: Solution): void {
    this.fitted(solution);
  }

  private measured(): OwnMetrics['before'] | undefined {
    const { rows, change, store } = this;
    const model = modelOf(store.file);
    return model && rows.measure(model, rows.isTested ? undefined : change.fresh);
  }
}
