/** Rows of one participant with what the shared model and the personal one say of them. */
import { classKey } from '../../data/labels.ts';
import { selectRows } from '../../data/participants.ts';
import { predict } from '../../methods/predict.ts';
import type { Fitted } from './fit.ts';

export interface PredictedRow {
  /** Among all rows that were read, from 0 on. */
  readonly place: number;
  /** In the file, or among its rows, from 1 on. */
  readonly line: number;
  /** As it is written in the data. */
  readonly target: string;
  readonly shared: string | number;
  readonly own: string | number;
}

/** The rows kept for testing, or all where none are kept. */
export function predictedRows({ model, table, split }: Fitted, participant: string): PredictedRow[] {
  const k = table.participants.indexOf(participant);
  const all = split.test.length > 0 ? split.test : Uint32Array.from({ length: table.n }, (_, i) => i);
  const places = all.filter((i) => table.participantOf[i] === k);
  const rows = selectRows(table, places);
  const shared = { ...model, personal: new Map(), servesNewcomers: true };
  const [bySelf, byShared] = [predict(model, rows), predict(shared, rows)];
  return Array.from(places, (place, r) => ({
    place,
    line: table.lines?.[place] ?? place + 1,
    target: model.classes ? classKey(table.targets![place]) : String(table.targets![place]),
    shared: byShared[r].prediction,
    own: bySelf[r].prediction,
  }));
}
