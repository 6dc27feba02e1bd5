/** What `kindred tune` prints: the candidates, the choice, and the command that trains with it. */

import { type Edge, neighbour } from '../methods/tune/grid.ts';
import type { TuneResult, TuneRow } from '../methods/tune.ts';
import type { Json } from '../settings/kind.ts';
import { TRAINING } from '../settings/training.ts';
import { commandLine, settingWords } from './command-line.ts';
import type { Layout } from './layout.ts';
import { count } from './number-text.ts';

const SHOWN = 15;

/** What was searched for, as settings of a training. */
function chosenValues({ score: _s, standardError: _e, folds: _f, ...chosen }: TuneRow): Json {
  return chosen;
}

/** `data`: how the rows are read. The split is always named: the test rows of the search stay test rows. */
export function nextCommand(
  program: string,
  file: string,
  data: readonly string[],
  chosen: TuneResult['chosen'],
): string {
  const always = ['method', 'c1', 'c2', 'lambda', 'scale', 'seed', 'testFraction'];
  return commandLine(program, 'train', file, ...data, ...settingWords(TRAINING, chosen, always));
}

export function tuneReport(result: TuneResult, next: string, { line, table }: Layout): string[] {
  const { best, metric, metricReason, method, folds, objective } = result;
  const names = Object.keys(chosenValues(best)) as (keyof TuneRow)[];
  const rows = result.table
    .slice(0, SHOWN)
    .map((row) => [
      ...names.map((name) => String(row[name])),
      row.score.toFixed(5),
      row.standardError.toFixed(5),
      `${row.folds} of ${folds}`,
    ]);
  const hidden = result.table.length - SHOWN;
  const titles = names.map((name) => (typeof best[name] === 'string' ? `<${name}` : name));
  const choice = settingWords(TRAINING, chosenValues(best), names).join(' ');
  return [
    line('Method', `${method}, ${objective}, ${folds}-fold cross-validation within each participant`),
    line('Metric', `${metric}, ${metricReason}`),
    line('Search', searchText(result)),
    '',
    ...table([...titles, metric, 'std error', 'folds'], rows),
    ...(hidden > 0 ? [`  and ${hidden} more (--json has all)`] : []),
    '',
    line('Choice', choice),
    line('Next', next),
  ];
}

function searchText({ search: { kind, trainings, widened }, table, folds }: TuneResult): string {
  const dropped = table.filter((row) => row.folds < folds).length;
  const early = dropped > 0 ? `, ${count(dropped)} of them dropped early` : '';
  const times = widened === 1 ? 'once' : `${widened} times`;
  const why = kind === 'quick' ? 'neighbours of the best candidate were tried' : 'the grid was widened';
  const wider =
    widened > 0
      ? `; ${why} ${times}${kind === 'quick' ? '' : ', because the best candidate was at its edge'}`
      : '';
  return `${count(table.length)} candidates${early}, ${count(trainings)} trainings${wider}`;
}

export function edgeWarning({ name, value, side, from, to }: Edge): string {
  const title = name === 'lambda' ? name : name.toUpperCase();
  const near = neighbour(value, side);
  const values = [value, near, neighbour(near, side)].sort((a, b) => a - b).join(',');
  return `${title} = ${value} is at the edge of the grid (${from} to ${to}); a better value may lie beyond: try --${name} ${values}`;
}
