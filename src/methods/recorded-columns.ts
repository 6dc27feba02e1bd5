/** What a model records of the data that it was trained on: which columns meant what, and who has joined with them. */
import { COLUMN_RULES } from '../settings/columns.ts';
import { accepted, choice, list, text, toggle } from '../settings/kinds.ts';
import { object } from '../settings/objects.ts';
import type { Model } from '../solver/model.ts';

const columnsKind = object(
  {
    ...{ task: text(), label: text(), drop: list(text(), 'a list of columns') },
    separator: text().optional(),
    decimal: choice('point', 'comma').optional(),
    header: toggle().optional(),
    ...COLUMN_RULES,
  },
  'ignored',
);

/** Of a model that comes from a participant's state: whose it is, and how the data name it (`modelOf`, client/participant-file.ts). */
const joinedKind = object({ participant: text(), own: text().optional() }, 'ignored');

/** Names of the columns at training; undefined: the model does not say. */
export function recordedColumns({ options }: Pick<Model, 'options'>) {
  return accepted(columnsKind, options.columns);
}

/** Undefined: it is not the model of one participant. */
export function joinedAs({ options }: Pick<Model, 'options'>) {
  return accepted(joinedKind, options.joined);
}

export type Joined = NonNullable<ReturnType<typeof joinedAs>>;
