/** What a training came to, on one screen. */
import type { Auto } from '../methods/auto.ts';
import type { TrainResult } from '../methods/train.ts';
import { textOfMap } from '../settings/feature-map.ts';
import { defaultLoss } from '../settings/losses.ts';
import { LOSSES, lossOf } from '../solver/losses/losses.ts';
import { columnLines } from './column-lines.ts';
import type { Layout } from './layout.ts';
import { count, duration, scientific, significant, sizeText } from './number-text.ts';
import { participantTable } from './participant-table.ts';
import { qualityLines } from './quality-lines.ts';
import { autoText } from './train-auto.ts';

type Trained = TrainResult & {
  readonly auto?: Auto | undefined;
  readonly timing: { readonly searchMs?: number };
};

export function trainReport(
  result: Trained,
  size: Parameters<typeof sizeText>[0],
  source: string,
  {
    model,
    all,
    written,
  }: { readonly model?: string; readonly all?: true; readonly written: readonly string[] },
  layout: Layout,
): string[] {
  const { line } = layout;
  const { notes, participants, timing } = result;
  const tested = participants.some(({ testRows }) => testRows > 0);
  return [
    line('Data', `${sizeText(size)} (${source === '-' ? 'stdin' : source})`),
    ...notes.map((note) => line(result.objective === 'regression' ? 'Target' : 'Classes', note)),
    ...columnLines(result.columns ?? [], all ? undefined : '--all', layout),
    ...(result.auto ? [line('Auto', autoText(result.auto, result.options))] : []),
    line('Method', methodText(result)),
    ...targetLines(result, layout),
    '',
    ...(tested ? participantTable(result, layout, { all }) : ['  No test rows, so no test results.']),
    '',
    ...(tested ? [...qualityLines(result, layout), ''] : []),
    ...certificateLines(result, layout),
    line('Time', timeText(timing)),
    ...(model === undefined ? [] : [line('Model', model)]),
    ...written.map((path) => line('Figure', path)),
  ];
}

function timeText({ loadMs, searchMs, solveMs }: Trained['timing']): string {
  const searching = searchMs === undefined ? '' : `${duration(searchMs)} to search, `;
  return `${duration(loadMs)} to load, ${searching}${duration(solveMs)} to solve`;
}

/** Primal and dual are of the problem that was solved. */
function targetLines({ target }: TrainResult, { line }: Layout): string[] {
  if (!target) return [];
  const [centre, unit] = [target.shift, target.scale].map(significant);
  return [line('Target', `centred at ${centre}, in units of ${unit}; so are primal and dual`)];
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
  const loss = options.loss === defaultLoss(options.objective) ? [] : [`${options.loss} loss`];
  const shape = shapeText(options);
  const { classWeight, scale, features, seed } = options;
  const common = [
    ...(classWeight === 'balanced' ? ['balanced classes'] : []),
    `${scale} scaling`,
    ...(features ? [`${textOfMap(features)} features`] : []),
    `seed ${seed}`,
  ];
  return [method, ...parts[method], ...loss, ...shape, ...common].join(', ');
}

/** What the loss has beside its name. */
export function shapeText(
  options: Pick<TrainResult['options'], 'objective' | 'loss' | 'epsilon' | 'quantile'>,
): string[] {
  if (lossOf(options) === LOSSES.quantile) return [`quantile = ${options.quantile}`];
  return lossOf(options).form === 'tube' ? [`epsilon = ${options.epsilon}`] : [];
}

function certificateLines(result: TrainResult, { line }: Layout): string[] {
  const { certificate, conservation, history, rounds, passes } = result;
  const primal = significant((certificate ?? history.at(-1))?.primal);
  const values = certificate
    ? `primal ${primal}, dual ${significant(certificate.dual)}, relative gap ${scientific(certificate.relativeGap)}`
    : `none (no dual), primal ${primal}`;
  const gaps = history.map((row) => row.relativeGap);
  const curve = sparkline(gaps);
  const kept = `the sum of all answers matches the duals, relative error ${scientific(conservation?.relativeError)}`;
  return [
    line('Certificate', values),
    ...(curve === '' ? [] : [line('Gap', `${scientific(gaps[0])} ${curve} ${scientific(gaps.at(-1))}`)]),
    line('Work', `${count(rounds)} rounds, ${count(passes)} local passes`),
    ...(conservation ? [line('Conservation', kept)] : []),
  ];
}

const RAMP = '.:-=+*#%@';

/** A curve of positive numbers in one line of ASCII: the darker, the larger, on a logarithmic scale. */
export function sparkline(values: readonly (number | null)[], width = 48): string {
  const positive = values.filter((value): value is number => value !== null && value > 0 && value < Infinity);
  if (positive.length === 0) return '';
  const logs = fitted(positive, width).map(Math.log10);
  const low = Math.min(...logs);
  const span = Math.max(...logs) - low;
  const level = (log: number) => (span === 0 ? 0 : Math.round(((log - low) / span) * (RAMP.length - 1)));
  return logs.map((log) => RAMP[level(log)]).join('');
}

/** At most `width` of them, evenly spread, first and last included. */
function fitted(values: readonly number[], width: number): number[] {
  if (values.length <= width) return [...values];
  const step = (values.length - 1) / (width - 1);
  return Array.from({ length: width }, (_, c) => values[Math.round(c * step)]);
}
