/** --start: a linear model from a file, for a training to start from. */
import { parseLinear } from '../export/read-linear.ts';
import { kindOf, readText } from '../node/files/files.ts';
import type { LinearModel } from '../solver/linear-model.ts';

/** Names of numbered classes are in the file that `kindred export --format liblinear` writes beside the model. */
export async function readStart(path: string): Promise<LinearModel> {
  const labels = `${path}.labels`;
  const names =
    (await kindOf(labels)) === 'file' ? (await readText(labels)).trimEnd().split(/\r?\n/) : undefined;
  return parseLinear(await readText(path), path, names);
}
