/** What the columns of somebody's file mean to a model that is already there: its own columns by name, and what is left for target and person. */
import { columnNames } from '../../data/encoding.ts';
import type { FilePreview } from '../../data/preview.ts';
import { joinedAs, recordedColumns } from '../../methods/recorded-columns.ts';
import type { Model } from '../../solver/model.ts';
import { columnsOf, type FileChoices, guessChoices } from '../join/choices.ts';

/** What the page needs to know of a model. */
export interface ModelNote extends Pick<Model, 'encoding'> {
  readonly method: Model['method'];
  readonly objective: Model['objective'];
  /** As the data name them. */
  readonly columns: readonly string[];
  /** `missing`: a file may lack some of them. */
  readonly absent: 'missing' | undefined;
  readonly classes: readonly string[] | undefined;
  /** Who has a personal part in it. */
  readonly people: readonly string[];
  /** Columns of the data that it was trained on. */
  readonly recorded: Pick<FileChoices, 'label' | 'decimal' | 'header'> & { readonly task: string };
  /** Whose model it is; undefined: everybody's. */
  readonly participant: string | undefined;
}

export function modelNote(model: Model, classes: readonly string[] | undefined): ModelNote {
  const { method, objective, features, encoding, personal } = model;
  const { task = 'task', label = 'y', decimal = 'point', header = true } = recordedColumns(model) ?? {};
  return {
    ...{ method, objective, classes, encoding },
    columns: encoding ? columnNames(encoding) : features,
    absent: encoding?.absent,
    people: [...personal.keys()],
    recorded: { task, label, decimal, header },
    participant: joinedAs(model)?.participant,
  };
}

/** What is likely: the names of training where the file has them. Whatever the model does not know is left out. */
export function choicesFor(preview: FilePreview, model: ModelNote): FileChoices {
  const guessed = guessChoices(preview, '');
  const header = model.recorded.header && guessed.header;
  const names = columnsOf(preview, header);
  const free = names.filter((name) => !model.columns.includes(name));
  const known = (name: string | undefined) => (name !== undefined && free.includes(name) ? name : undefined);
  const task = known(model.recorded.task) ?? known(guessed.task);
  const targets = free.filter((name) => name !== task);
  const label = known(model.recorded.label) ?? known(guessed.label) ?? targets[targets.length - 1] ?? '';
  const decimal = preview.rows.length > 0 ? guessed.decimal : model.recorded.decimal;
  return withRest(preview, model, { label, task, own: undefined, drop: [], decimal, header });
}

/** Everything else is left out. */
export function withRest(preview: FilePreview, model: ModelNote, choices: FileChoices): FileChoices {
  const wanted = new Set([...model.columns, choices.label, choices.task]);
  return { ...choices, drop: columnsOf(preview, choices.header).filter((name) => !wanted.has(name)) };
}

/** Columns of the model that the file has not. */
export function lackingColumns(preview: FilePreview, model: ModelNote, { header }: FileChoices): string[] {
  const names = new Set(columnsOf(preview, header));
  const lacking = model.columns.filter((name) => !names.has(name));
  return model.absent === 'missing' && lacking.length < model.columns.length ? [] : lacking;
}
