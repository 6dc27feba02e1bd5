/** What the page's worker does with one's own rows: reads them, keeps them, measures models on them. The page's thread never waits for it. */
import { invariant } from '../../base/errors.ts';
import type { OwnColumns } from '../../client/participant-file.ts';
import { type FilePreview, previewFile } from '../../data/preview.ts';
import type { Table } from '../../data/table.ts';
import { modelToJson } from '../../methods/model.ts';
import type { Objective } from '../../settings/losses.ts';
import type { Model } from '../../solver/model.ts';
import { type Alone, type Compared, compare, trainAlone } from './compare.ts';
import { type DataSource, type OwnTable, type RowsSummary, readOwnRows, sourceOf } from './read-rows.ts';
import { type RowValues, type Tried, tryRow, valuesOf } from './row-values.ts';

/** Rows of a file that are shown before it is read. */
const SHOWN_ROWS = 6;

export interface TestRow {
  readonly values: RowValues;
  /** As it is written in the data. */
  readonly target: string;
}

export function rowsWork() {
  let own: OwnTable | undefined;
  const rows = () => {
    invariant(own, 'rows are read before they are used');
    return own;
  };
  return {
    preview: (file: Blob, name: string): Promise<FilePreview> =>
      previewFile(sourceOf(file), name, SHOWN_ROWS),

    async read(
      source: DataSource,
      participant: string,
      objective: Objective,
    ): Promise<{
      readonly summary: RowsSummary;
      readonly table: Table;
      readonly columns: OwnColumns | undefined;
    }> {
      const { own: found, summary } = await readOwnRows(source, participant, objective);
      own = found;
      return { summary, table: found.table, columns: found.columns };
    },

    compare: (model: Model): Compared => compare(model, rows()),
    alone: (model: Model): Alone => trainAlone(rows(), model),

    /** Of the rows kept for testing, or of all where none are kept. */
    testRow(place: number): TestRow {
      const { table, split } = rows();
      const i = split.test.length > 0 ? split.test[place % split.test.length] : place % table.n;
      return { values: valuesOf(table, i), target: table.targets![i] };
    },

    tryRow: (model: Model, values: RowValues): Tried => tryRow(model, rows().table.features, values),
    modelFile: (model: Model): string => modelToJson(model),
  };
}

export type RowsWork = ReturnType<typeof rowsWork>;
