/** --figures: the figures of a model's quality as SVG files in a folder, with the numbers behind them. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { inputError } from '../base/errors.ts';
import { onFile } from '../node/files/file-error.ts';
import { kindOf, writeAtomically } from '../node/files/files.ts';
import type { Model } from '../solver/model.ts';
import type { TestedRows } from '../solver/model-metrics.ts';

export interface FiguresFlag {
  readonly figures?: string;
}

export function addFiguresOption(command: Command): Command {
  return command.option(
    '--figures <folder>',
    'write figures of the test results here, as SVG with their numbers as CSV: confusion matrix, ROC, calibration of probabilities (classification)',
  );
}

/** Before a long training: a folder that cannot be one is refused. */
export async function checkFigures({ figures }: FiguresFlag): Promise<void> {
  if (figures === undefined) return;
  if ((await kindOf(figures)) === 'file')
    throw inputError('NOT_A_FOLDER', `${figures}: expected a folder for the figures (--figures), got a file`);
  await onFile(figures, () => mkdir(figures, { recursive: true }));
}

/** Returns the names of the files that were written. */
export async function writeQualityFigures(
  { figures: folder }: FiguresFlag,
  model: Model,
  tested: readonly TestedRows[],
): Promise<string[]> {
  if (folder === undefined) return [];
  // Loaded where figures are asked for.
  const [{ qualityFigures }, { drawFigure }, { curvesCsv }] = await Promise.all([
    import('../methods/quality-figures.ts'),
    import('../charts/draw.ts'),
    import('../charts/csv.ts'),
  ]);
  const written: string[] = [];
  for (const figure of qualityFigures(model, tested)) {
    const path = join(folder, `${figure.id}.svg`);
    await writeAtomically(path, [drawFigure(figure)]);
    await writeAtomically(join(folder, `${figure.id}.csv`), [curvesCsv(figure)]);
    written.push(path);
  }
  return written;
}
