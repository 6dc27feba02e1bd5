/** What the worker of the page does: reads a model and rows, fits personal parts, shows what they have changed. Nothing leaves it but to the page. */
import { inputError, invariant } from '../../base/errors.ts';
import { classNames } from '../../data/labels.ts';
import { type FilePreview, previewFile } from '../../data/preview.ts';
import { modelFromJson, modelToJson } from '../../methods/model.ts';
import type { Model } from '../../solver/model.ts';
import { sourceOf } from '../join/read-rows.ts';
import { type RowValues, type Tried, tryRow, valuesOf } from '../join/row-values.ts';
import { type Changes, changesOf } from './changes.ts';
import { type ExampleFiles, exampleFiles } from './example.ts';
import { type Fitted, fitParts, type Personalised, type RowsRequest } from './fit.ts';
import { type ModelNote, modelNote } from './model-choices.ts';
import { type PredictedRow, predictedRows } from './predicted-rows.ts';

/** Rows of a file that are shown before it is read. */
const SHOWN_ROWS = 5;
/** A larger file is no model, or one that no page can hold. */
const MOST_BYTES = 512 * 1024 * 1024;

export function personaliseWork() {
  let given: Model | undefined;
  let fitted: Fitted | undefined;
  const result = () => {
    invariant(fitted, 'something is fitted first');
    return fitted;
  };
  return {
    /** Answered once everything that the page needs is loaded. */
    ready: (): true => true,

    example: (): ExampleFiles => exampleFiles(),

    async openModel(file: Blob, name: string): Promise<ModelNote> {
      given = undefined;
      fitted = undefined;
      if (file.size > MOST_BYTES)
        throw inputError(
          'MODEL_FORMAT',
          `${name}: expected a model of at most 512 MiB, got ${file.size} bytes`,
        );
      const model = modelFromJson(await file.text(), name);
      given = model;
      return modelNote(model, model.classes && classNames(model.classes));
    },

    preview: (file: Blob, name: string): Promise<FilePreview> =>
      previewFile(sourceOf(file), name, SHOWN_ROWS),

    async fit(request: RowsRequest): Promise<Personalised> {
      invariant(given, 'a model is opened first');
      fitted = undefined;
      fitted = await fitParts(given, request);
      return fitted.summary;
    },

    changes: (participant: string): Changes => changesOf(result(), participant),
    predictions: (participant: string): readonly PredictedRow[] => predictedRows(result(), participant),

    /** By its place in the file's rows, as `predictions` names it. */
    rowValues: (place: number): RowValues => valuesOf(result().table, place),

    tryRow(participant: string, values: RowValues): Tried {
      const { model, table } = result();
      return tryRow(onlyOf(model, participant), table.features, values);
    },

    modelFile: (): string => modelToJson(result().model),
  };
}

export type PersonaliseWork = ReturnType<typeof personaliseWork>;

/** With the personal part of one participant alone. */
function onlyOf(model: Model, participant: string): Model {
  const v = model.personal.get(participant)!;
  return { ...model, personal: new Map([[participant, v]]) };
}
