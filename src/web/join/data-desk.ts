/**
 * Somebody's data before they take part: a file that is opened and looked at, choices about it, or the demo; and the rows that come of it.
 * All of it happens in the page's worker, and nothing is sent.
 */
import type { OwnColumns } from '../../client/participant-file.ts';
import type { FilePreview } from '../../data/preview.ts';
import type { Table } from '../../data/table.ts';
import type { Objective } from '../../settings/losses.ts';
import { Cell } from '../shared/cell.ts';
import type { Remote } from '../shared/worker-calls.ts';
import { type FileChoices, guessChoices } from './choices.ts';
import type { DemoPerson } from './link.ts';
import { fileProblemOf, type Problem } from './problems.ts';
import type { DataSource, RowsSummary } from './read-rows.ts';
import type { RowsWork } from './rows-work.ts';

export type Way = 'file' | 'demo' | 'sensor';

export interface DeskState {
  /** Undefined: nothing is chosen. */
  readonly way: Way | undefined;
  readonly file: OpenFile | undefined;
  readonly source: DataSource | undefined;
  readonly summary: RowsSummary | undefined;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
}

export interface OpenFile {
  readonly file: Blob;
  readonly name: string;
  /** Undefined: it is being opened, or could not be. */
  readonly preview: FilePreview | undefined;
  readonly choices: FileChoices | undefined;
}

export interface ReadRows {
  readonly source: DataSource;
  readonly summary: RowsSummary;
  readonly table: Table;
  readonly columns: OwnColumns | undefined;
}

const EMPTY: DeskState = {
  way: undefined,
  file: undefined,
  source: undefined,
  summary: undefined,
  isBusy: false,
  problem: undefined,
};

export class DataDesk {
  readonly state = new Cell<DeskState>(EMPTY);
  private readonly rows: Remote<RowsWork>;
  private readonly objective: Objective;
  /** What was asked for last: answers to anything earlier are of no interest. */
  private asked = 0;

  constructor(rows: Remote<RowsWork>, objective: Objective) {
    this.rows = rows;
    this.objective = objective;
  }

  choose(way: Way): void {
    if (way === this.state.value.way) return;
    this.asked++;
    this.state.set({ ...EMPTY, way });
  }

  /** `name`: whose rows are looked for in it. */
  async open(file: Blob, name: string, participant: string): Promise<void> {
    const isCurrent = this.begin({ ...EMPTY, way: 'file', file: opened(file, name) });
    await this.attempt(isCurrent, async () => {
      const preview = await this.rows.preview(file, name);
      if (!isCurrent()) return;
      const choices = guessChoices(preview, participant);
      this.state.set({ ...this.state.value, file: { file, name, preview, choices } });
      await this.readNow(isCurrent, { kind: 'file', file, name, choices }, participant);
    });
  }

  async change(changes: Partial<FileChoices>, participant: string): Promise<void> {
    const { file } = this.state.value;
    if (!file?.choices) return;
    const choices = { ...file.choices, ...changes };
    const isCurrent = this.begin({ ...this.state.value, file: { ...file, choices } });
    const source = { kind: 'file', file: file.file, name: file.name, choices } as const;
    await this.attempt(isCurrent, () => this.readNow(isCurrent, source, participant));
  }

  async takeDemo(demo: DemoPerson, participant: string): Promise<void> {
    const isCurrent = this.begin({ ...EMPTY, way: 'demo' });
    await this.attempt(isCurrent, () => this.readNow(isCurrent, { kind: 'demo', demo }, participant));
  }

  /** Rows that came from elsewhere in the page, written as a file. */
  async take(source: DataSource, participant: string): Promise<void> {
    const isCurrent = this.begin({ ...this.state.value });
    await this.attempt(isCurrent, () => this.readNow(isCurrent, source, participant));
  }

  /** As the participant's own: which rows are kept for testing depends on the name. */
  async read(source: DataSource, participant: string): Promise<ReadRows> {
    return { source, ...(await this.rows.read(source, participant, this.objective)) };
  }

  private begin(state: DeskState): () => boolean {
    const ticket = ++this.asked;
    this.state.set({ ...state, source: undefined, problem: undefined, isBusy: true });
    return () => ticket === this.asked;
  }

  private async readNow(isCurrent: () => boolean, source: DataSource, participant: string): Promise<void> {
    const { summary } = await this.rows.read(source, participant, this.objective);
    if (isCurrent()) this.state.set({ ...this.state.value, source, summary, isBusy: false });
  }

  private async attempt(isCurrent: () => boolean, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      if (!isCurrent()) return;
      const { code, message } = error as { readonly code?: string; readonly message: string };
      this.state.set({
        ...this.state.value,
        summary: undefined,
        isBusy: false,
        problem: fileProblemOf(code, message, this.state.value.file?.name ?? ''),
      });
    }
  }
}

function opened(file: Blob, name: string): OpenFile {
  return { file, name, preview: undefined, choices: undefined };
}
