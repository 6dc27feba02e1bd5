/** What is on the page: a model, rows, and what comes of both. Each step waits for the one before; answers to what was asked earlier are dropped. */
import type { FilePreview } from '../../data/preview.ts';
import type { FileChoices } from '../join/choices.ts';
import { Cell } from '../shared/cell.ts';
import type { Remote } from '../shared/worker-calls.ts';
import type { Personalised } from './fit.ts';
import { choicesFor, lackingColumns, type ModelNote, withRest } from './model-choices.ts';
import type { PersonaliseWork } from './personalise-work.ts';
import { type Trouble, troubleOf } from './troubles.ts';

export interface OpenFile {
  readonly file: Blob;
  readonly name: string;
}

export interface DeskState {
  readonly model: OpenFile | undefined;
  /** Undefined: it is being read, or could not be. */
  readonly note: ModelNote | undefined;
  readonly rows: OpenFile | undefined;
  readonly preview: FilePreview | undefined;
  readonly choices: FileChoices | undefined;
  /** People in the column that says whose row it is, once they are known. */
  readonly people: readonly string[];
  readonly options: FitOptions;
  readonly result: Personalised | undefined;
  readonly busy: 'model' | 'rows' | 'fit' | 'example' | undefined;
  /** With what it is about. */
  readonly trouble: { readonly at: 'model' | 'rows'; readonly what: Trouble } | undefined;
}

export interface FitOptions {
  readonly participant: string;
  readonly testFraction: number;
  readonly c2: number;
}

const EMPTY: DeskState = {
  ...{ model: undefined, note: undefined, rows: undefined, preview: undefined, choices: undefined },
  ...{ people: [], result: undefined, busy: undefined, trouble: undefined },
  options: { participant: 'me', testFraction: 0.3, c2: 1 },
};

export class Desk {
  readonly state = new Cell<DeskState>(EMPTY);
  readonly work: Remote<PersonaliseWork>;
  private asked = 0;

  constructor(work: Remote<PersonaliseWork>) {
    this.work = work;
  }

  /** A model by its ending, rows otherwise. */
  async drop(files: readonly File[]): Promise<void> {
    const isModel = ({ name }: File) => /\.json$/i.test(name);
    const model = files.find(isModel);
    const rows = files.find((file) => !isModel(file));
    if (model) await this.openModel(model, model.name);
    if (rows) await this.openRows(rows, rows.name);
  }

  async openModel(file: Blob, name: string): Promise<void> {
    const { rows } = this.state.value;
    const isCurrent = this.begin({ ...EMPTY, model: { file, name }, rows, busy: 'model' });
    await this.attempt('model', isCurrent, async () => {
      const note = await this.work.openModel(file, name);
      if (!isCurrent()) return;
      const { options } = this.state.value;
      const participant = note.participant ?? options.participant;
      this.set({ note, options: { ...options, participant }, busy: undefined });
    });
    // They may have been there first.
    if (isCurrent() && rows) await this.openRows(rows.file, rows.name);
  }

  async openRows(file: Blob, name: string): Promise<void> {
    const { model, note, options } = this.state.value;
    const isCurrent = this.begin({ ...EMPTY, model, note, options, rows: { file, name }, busy: 'rows' });
    // Kept until there is a model to read them for.
    if (!note) return this.set({ busy: undefined });
    await this.attempt('rows', isCurrent, async () => {
      const preview = await this.work.preview(file, name);
      if (!isCurrent()) return;
      this.set({ preview, choices: choicesFor(preview, note) });
      await this.fit(isCurrent);
    });
  }

  async change(changes: Partial<FileChoices>): Promise<void> {
    const { preview, choices, note } = this.state.value;
    if (!preview || !choices || !note) return;
    const next = withRest(preview, note, { ...choices, ...changes });
    const isCurrent = this.begin({ ...this.state.value, choices: next });
    await this.attempt('rows', isCurrent, () => this.fit(isCurrent));
  }

  async setOptions(changes: Partial<FitOptions>): Promise<void> {
    const options = { ...this.state.value.options, ...changes };
    const isCurrent = this.begin({ ...this.state.value, options });
    if (this.state.value.choices) await this.attempt('rows', isCurrent, () => this.fit(isCurrent));
  }

  async takeExample(): Promise<void> {
    const isCurrent = this.begin({ ...EMPTY, busy: 'example' });
    await this.attempt('model', isCurrent, async () => {
      const { model, rows } = await this.work.example();
      if (!isCurrent()) return;
      await this.openModel(model, 'example-model.json');
      await this.openRows(rows, 'example-rows.csv');
    });
  }

  startOver(): void {
    this.asked++;
    this.state.set(EMPTY);
  }

  private async fit(isCurrent: () => boolean): Promise<void> {
    const { rows, note, preview, choices, options } = this.state.value;
    const lacking = lackingColumns(preview!, note!, choices!);
    if (lacking.length > 0)
      return this.refuse('rows', { kind: 'columns', lacking, needed: note!.columns.length });
    if (choices!.label === '') return this.refuse('rows', { kind: 'no target', label: note!.recorded.label });
    this.set({ busy: 'fit' });
    const { participant, testFraction } = options;
    const c2 = note!.method === 'global' ? options.c2 : undefined;
    const result = await this.work.fit({
      ...{ file: rows!.file, name: rows!.name, choices: choices!, testFraction, c2 },
      participant: participant.trim() || 'me',
    });
    if (!isCurrent()) return;
    // Whoever is chosen alone does not make the others disappear from the list.
    const people = choices!.own === undefined ? result.people.map(({ id }) => id) : this.state.value.people;
    this.set({ result, people, busy: undefined });
  }

  private begin(state: DeskState): () => boolean {
    const ticket = ++this.asked;
    this.state.set({ ...state, result: undefined, trouble: undefined });
    return () => ticket === this.asked;
  }

  private set(changes: Partial<DeskState>): void {
    this.state.set({ ...this.state.value, ...changes });
  }

  private refuse(at: 'model' | 'rows', what: Trouble): void {
    this.set({ busy: undefined, trouble: { at, what } });
  }

  private async attempt(
    at: 'model' | 'rows',
    isCurrent: () => boolean,
    act: () => Promise<void>,
  ): Promise<void> {
    try {
      await act();
    } catch (error) {
      const { code, message } = error as { readonly code?: string; readonly message: string };
      if (isCurrent()) this.refuse(at, troubleOf(code, message));
    }
  }
}
