/** What a personalisation came to, on one screen. */

import type { PersonalisedParticipant, PersonaliseResult } from '../methods/personalise.ts';
import { lossOf } from '../solver/losses/losses.ts';
import type { Metrics } from '../solver/metrics.ts';
import { count, decimals, percent, scientific, significant } from './number-text.ts';
import { quoted } from './quoted.ts';
import type { Style } from './style.ts';
import { type Column, labelled, textTable } from './text-table.ts';

interface PersonaliseNames {
  readonly data: string;
  readonly model: string;
  readonly out?: string | undefined;
  /** How the program is called here. */
  readonly program: string;
}

const MOST_ROWS = 12;

export function personaliseReport(
  result: PersonaliseResult,
  names: PersonaliseNames,
  style: Style,
): string[] {
  const { participants, model, options } = result;
  const line = (label: string, text: string) => labelled(label, text, style);
  const rows = participants.reduce((sum, participant) => sum + participant.rows, 0);
  const { form } = lossOf({ objective: model.objective, loss: options.loss });
  const epsilon = form === 'tube' ? `, epsilon = ${options.epsilon}` : '';
  const weight = options.classWeight === 'balanced' ? ', balanced classes' : '';
  return [
    line('Data', `${count(participants.length)} participants, ${count(rows)} rows (${names.data})`),
    line('Model', `${names.model}, ${model.method}, ${model.objective}`),
    line('Problem', `C1 = ${options.c1}, C2 = ${options.c2}${epsilon}${weight}`),
    '',
    ...partTable(result, style),
    '',
    ...(['added', 'replaced'] as const).flatMap((part) => partLine(participants, part, line)),
    ...outLines(names, line),
  ];
}

/** Test results only where rows were kept for them. */
function partTable({ participants, mean, meanOfShared, model }: PersonaliseResult, style: Style): string[] {
  const tested = participants.some(({ testRows }) => testRows > 0);
  const classes = model.objective === 'classification';
  const titles = tested ? ['test rows', ...(classes ? ['error', 'balanced accuracy'] : ['R2', 'RMSE'])] : [];
  const metrics = (m: Metrics) =>
    classes ? [percent(m.errorRate), decimals(m.balancedAccuracy)] : [decimals(m.r2), significant(m.rmse)];
  const columns: Column[] = [
    { title: 'participant', align: 'left' },
    { title: 'part', align: 'left' },
    ...['rows', 'value', 'w alone', 'gap', ...titles].map((title): Column => ({ title, align: 'right' })),
  ];
  const rows = participants
    .slice(0, MOST_ROWS)
    .map((p) => [
      p.id,
      p.part,
      count(p.rows - p.testRows),
      ...[significant(p.value), significant(p.valueOfShared), scientific(p.relativeGap)],
      ...(tested ? [count(p.testRows), ...metrics(p)] : []),
    ]);
  const more = participants.length - MOST_ROWS;
  if (more > 0) rows.push([`and ${count(more)} more`]);
  if (tested) {
    rows.push(['mean', '', '', '', '', '', '', ...metrics(mean)]);
    rows.push(['mean of w alone', '', '', '', '', '', '', ...metrics(meanOfShared)]);
  }
  return textTable(columns, rows, style);
}

function partLine(
  participants: readonly PersonalisedParticipant[],
  part: PersonalisedParticipant['part'],
  line: (label: string, text: string) => string,
): string[] {
  const number = participants.filter((participant) => participant.part === part).length;
  if (number === 0) return [];
  const who = `${count(number)} participant${number === 1 ? '' : 's'}`;
  return part === 'added'
    ? [line('Added', `personal parts of ${who} the model did not know`)]
    : [line('Replaced', `personal parts of ${who} the model knew`)];
}

function outLines({ out, program }: PersonaliseNames, line: (label: string, text: string) => string) {
  if (out === undefined) return [line('Not written', '--out mine.json keeps the model')];
  return [line('Wrote', out), line('Predict', `${program} predict --model ${quoted(out)} new.csv`)];
}
