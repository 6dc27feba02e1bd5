/** Rows of a file, and the personal parts that are fitted to them: `kindred personalise`. */
import { inputError, KindredError } from '../../base/errors.ts';
import { categoryNames } from '../../data/encoding.ts';
import { applyMapping, classKey, regressionTargets } from '../../data/labels.ts';
import { rowsOfParticipant } from '../../data/participants.ts';
import { type Split, splitRows } from '../../data/split.ts';
import type { Table } from '../../data/table.ts';
import { readTableBytes } from '../../data/table-bytes.ts';
import { evaluationOf, testedBy } from '../../methods/evaluate.ts';
import { withFeaturesOf } from '../../methods/model-rows.ts';
import { personalise } from '../../methods/personalise.ts';
import { recordedColumns } from '../../methods/recorded-columns.ts';
import type { Model } from '../../solver/model.ts';
import type { FileChoices } from '../join/choices.ts';
import { type MetricName, metricOf } from '../join/compare.ts';
import { type ColumnNote, sourceOf } from '../join/read-rows.ts';

export interface RowsRequest {
  readonly file: Blob;
  readonly name: string;
  readonly choices: FileChoices;
  /** What to call whoever the rows belong to, where no column says it. */
  readonly participant: string;
  /** Share of the rows that is kept for testing. */
  readonly testFraction: number;
  /** Where the model has none: how much a personal part costs. */
  readonly c2: number | undefined;
}

export interface Fitted {
  /** The given one with the new personal parts. */
  readonly model: Model;
  /** As read: the columns of the file. */
  readonly table: Table;
  readonly split: Split;
  readonly summary: Personalised;
}

export interface Personalised {
  readonly metric: MetricName;
  readonly rows: number;
  readonly testRows: number;
  /** Means over people; undefined: there are no rows to test on. */
  readonly own: number | undefined;
  readonly shared: number | undefined;
  readonly people: readonly PersonalisedPerson[];
  /** Of the rows, as they were read. */
  readonly columns: readonly ColumnNote[];
  /** All of whose training rows are of one class, and which. */
  readonly oneClass: readonly { readonly id: string; readonly class: string }[];
  /** How far the worst personal part is from the best possible one, at most. */
  readonly relativeGap: number;
  /** Sentences for people. */
  readonly notes: readonly string[];
}

export interface PersonalisedPerson {
  readonly id: string;
  readonly part: 'added' | 'replaced';
  readonly rows: number;
  readonly testRows: number;
  readonly own: number | undefined;
  readonly shared: number | undefined;
}

export async function fitParts(given: Model, request: RowsRequest): Promise<Fitted> {
  const table = await readRows(given, request);
  const { testFraction, c2, choices } = request;
  const result = personalise(given, table, { testFraction, ...(c2 !== undefined && { c2 }) });
  const split = splitRows(withFeaturesOf(given, table), result.options);
  const metric = metricOf(given);
  const shared = measuredByShared(given, table, split, metric);
  const { task = 'task', label, drop, decimal, header } = choices;
  const columns = { ...recordedColumns(given), task, label, drop, decimal, header };
  return {
    model: { ...result.model, options: { ...result.model.options, columns } },
    table,
    split,
    summary: {
      metric,
      rows: table.n,
      testRows: split.test.length,
      own: result.mean[metric],
      shared: result.meanOfShared[metric],
      people: result.participants.map(({ id, part, rows, testRows, [metric]: own }) => {
        return { id, part, rows, testRows, own, shared: shared.get(id) };
      }),
      columns: columnNotes(table),
      oneClass: given.classes ? ofOneClass(table, split) : [],
      relativeGap: result.participants.reduce((worst, one) => Math.max(worst, one.relativeGap), 0),
      notes: result.notes,
    },
  };
}

/** No name of a column: a NUL cannot be written in text. */
const NO_COLUMN = '\0task';

async function readRows(model: Model, { file, name, choices, participant }: RowsRequest): Promise<Table> {
  const { label, task, own, drop, decimal, header } = choices;
  const categories = model.encoding && categoryNames(model.encoding);
  const columns = {
    ...{ task: task ?? NO_COLUMN, label, drop },
    ...(decimal === 'comma' && { decimal }),
    ...(!header && { header }),
    need: task === undefined ? ('label' as const) : ('task and label' as const),
  };
  // Training may have known text columns that this file does not have.
  const read = (categorical: readonly string[] | undefined) =>
    readTableBytes(sourceOf(file), name, { ...columns, ...(categorical && { categorical }) });
  const all = await read(categories).catch((error: unknown) => {
    if (error instanceof KindredError && error.code === 'UNKNOWN_CATEGORICAL_COLUMN') return read(undefined);
    throw error;
  });
  if (task === undefined)
    return { ...all, participants: [participant], participantOf: new Uint32Array(all.n) };
  const mine = own === undefined ? all : rowsOfParticipant(all, own);
  if (mine) return mine;
  throw inputError('UNKNOWN_TASK', `${name}: expected rows of "${own}" in column "${task}", got none`);
}

/** By w alone, for each participant. */
function measuredByShared(
  given: Model,
  raw: Table,
  split: Split,
  metric: MetricName,
): ReadonlyMap<string, number | undefined> {
  const table = withFeaturesOf(given, raw);
  const y = given.classes ? applyMapping(table, given.classes) : regressionTargets(table);
  const shared = { ...given, personal: new Map(), servesNewcomers: true, calibration: undefined };
  const { participants } = evaluationOf(shared, testedBy(shared, table, y, split.test));
  return new Map(participants.map((one) => [one.id, one[metric]]));
}

function ofOneClass({ participants, participantOf, targets }: Table, { train }: Split) {
  const classes = participants.map(() => new Set<string>());
  for (const i of train) classes[participantOf[i]].add(classKey(targets![i]));
  return participants.flatMap((id, k) => (classes[k].size === 1 ? [{ id, class: [...classes[k]][0] }] : []));
}

function columnNotes({ features, levels }: Table): ColumnNote[] {
  return features.map((name, j) => {
    const texts = levels?.[j];
    return { name, kind: texts ? 'text' : 'numbers', missing: 0, levels: texts?.length };
  });
}
