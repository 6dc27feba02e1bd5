/** A model in the formats of others. Every format is a linear function of raw features: the scaling is folded into the weights. */
import type { Model } from '../solver/model.ts';
import { coefficientsCsv } from './coefficients-csv.ts';
import { type Exported, type ExportedFile, exportedOf, type Whose } from './exported.ts';
import { liblinearFiles } from './liblinear.ts';
import { onnxFile } from './onnx.ts';
import { sklearnJson } from './sklearn.ts';

export const EXPORT_FORMATS = ['onnx', 'liblinear', 'csv', 'sklearn'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const utf8 = (text: string): ExportedFile[] => [{ suffix: '', bytes: new TextEncoder().encode(text) }];

const WRITERS: Readonly<Record<ExportFormat, (exported: Exported) => ExportedFile[]>> = {
  onnx: (exported) => [{ suffix: '', bytes: onnxFile(exported) }],
  liblinear: liblinearFiles,
  csv: (exported) => utf8(coefficientsCsv(exported)),
  sklearn: (exported) => utf8(sklearnJson(exported)),
};

/** The first file is the model. */
export function exportModel(model: Model, format: ExportFormat, whose: Whose = 'all'): ExportedFile[] {
  return WRITERS[format](exportedOf(model, whose));
}
