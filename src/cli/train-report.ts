/** What a training came to, on one screen. */

import type { TrainResult } from '../methods/train.ts';
import { lossOf } from '../solver/losses/losses.ts';
import { count, duration, scientific, significant } from './number-text.ts';
import { participantTable } from './participant-table.ts';
import { sparkline } from './sparkline.ts';
import type { Style } from './style.ts';
import { labelled } from './text-table.ts';

/** What the result itself does not know. */
interface ReportNames {
  readonly source: string;
  /** Where the model was written. */
  readonly model?: string | undefined;
}

export function trainReport(result: TrainResult, names: ReportNames, style: Style): string[] {
  const line = (label: string, text: string) => labelled(label, text, style);
  const tested = result.participants.some(({ testRows }) => testRows > 0);
  return [
    line('Data', `${sizeOf(result)} (${names.source === '-' ? 'stdin' : names.source})`),
    ...result.notes.map((note) => line('Classes', note)),
    line('Method', methodText(result)),
    '',
    ...(tested ? participantTable(result, style) : ['  No test rows, hence no test results.']),
    '',
    ...certificateLines(result).map(([label, text]) => line(label, text)),
    line('Time', `${duration(result.timing.loadMs)} to load, ${duration(result.timing.solveMs)} to solve`),
    ...(names.model === undefined ? [] : [line('Model', names.model)]),
  ];
}

function sizeOf({ participants, model }: TrainResult): string {
  const rows = participants.reduce((sum, participant) => sum + participant.rows, 0);
  return `${count(participants.length)} participants, ${count(rows)} rows, ${count(model.features.length)} features`;
}

/** The options that this method goes by. */
function methodText({ method, options }: TrainResult): string {
  const parts: Record<typeof method, string[]> = {
    mtl: [`C1 = ${options.c1}`, `C2 = ${options.c2}`, `${options.aggregation} aggregation`],
    local: [`C1 = ${options.c1}`],
    global: [`C1 = ${options.c1}`],
    mocha: [`lambda = ${options.lambda}`],
    fedavg: [`C1 = ${options.c1}`, `C2 = ${options.c2}`],
  };
  const epsilon = lossOf(options).form === 'tube' ? [`epsilon = ${options.epsilon}`] : [];
  return [method, ...parts[method], ...epsilon, `${options.scale} scaling`, `seed ${options.seed}`].join(
    ', ',
  );
}

function certificateLines(result: TrainResult): [label: string, text: string][] {
  const { certificate, conservation, history, rounds, passes } = result;
  const lines: [string, string][] = [];
  if (certificate) {
    const { primal, dual, relativeGap } = certificate;
    lines.push([
      'Certificate',
      `primal ${significant(primal)}, dual ${significant(dual)}, relative gap ${scientific(relativeGap)}`,
    ]);
  } else {
    lines.push(['Certificate', `none (no dual), primal ${significant(history[history.length - 1]?.primal)}`]);
  }
  const gaps = history.map((row) => row.relativeGap);
  const curve = sparkline(gaps);
  if (curve !== '') {
    const [first, last] = [gaps[0], gaps[gaps.length - 1]];
    lines.push(['Gap', `${scientific(first)} ${curve} ${scientific(last)}`]);
  }
  lines.push(['Work', `${count(rounds)} rounds, ${count(passes)} local passes`]);
  if (conservation) {
    lines.push([
      'Conservation',
      `the sum of all answers is that of the duals, to ${scientific(conservation.relativeError)} relative`,
    ]);
  }
  return lines;
}
