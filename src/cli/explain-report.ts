/** What `kindred explain` prints for people. */
import type { Explanation } from '../explain/explain.ts';
import type { RowExplanation } from '../explain/explain-row.ts';
import { strongest, sumText, weightTitle } from '../explain/figures.ts';
import { leadingPart } from '../explain/leading.ts';
import type { Layout } from './layout.ts';
import { count } from './number-text.ts';

interface Shown {
  readonly model: string;
  readonly top: number;
}

/** Features named beside a participant. */
const NAMED = 3;
const MOST_PARTICIPANTS = 20;

export function modelLines(explanation: Explanation, { model, top }: Shown, layout: Layout): string[] {
  const { heads, participants, method, objective, unit } = explanation;
  const { line, table } = layout;
  const byShare = [...participants].sort((a, b) => b.personalShare - a.personalShare);
  const rows = byShare.slice(0, MOST_PARTICIPANTS).map(({ id, personalShare, heads }) => {
    const differs = heads
      .flatMap(({ class: name, features }) => features.slice(0, NAMED).map((each) => ({ ...each, name })))
      .sort((a, b) => Math.abs(b.personal) - Math.abs(a.personal))
      .slice(0, NAMED)
      .map(
        ({ feature, personal, name }) =>
          `${signed(personal)} ${feature}${heads.length > 1 ? ` (${name})` : ''}`,
      );
    return [id, percent(personalShare), ...differs];
  });
  const more = participants.length - rows.length;
  return [
    line('Model', `${model}, ${method}, ${objective}, ${count(participants.length)} participants`),
    line('Weights', weightTitle(unit, objective)),
    ...heads.flatMap(({ class: name, features }) => [
      '',
      ...(name === undefined ? [] : [line('For', `"${name}"`)]),
      ...table(
        ['<feature', 'shared', 'personal (rms)', 'smallest', 'largest'],
        features
          .slice(0, top)
          .map(({ feature, shared, personal, low, high }) => [
            feature,
            ...[shared, personal, low, high].map(short),
          ]),
      ),
      ...others(features.length - top),
    ]),
    '',
    ...table(['<participant', 'personal', '<differs most on', '<', '<'], rows),
    ...(more > 0 ? [`  and ${count(more)} more (--participant <id>, --json)`] : []),
  ];
}

export function participantLines(
  { unit, objective }: Explanation,
  { id, personalShare, heads }: Explanation['participants'][number],
  { model, top }: Shown,
  { line, table }: Layout,
): string[] {
  return [
    line('Model', `${model}, participant ${id}`),
    line('Personal', `${percent(personalShare)} of the model: |v| / |w + v|`),
    line('Weights', weightTitle(unit, objective)),
    ...heads.flatMap(({ class: name, features }) => [
      '',
      ...(name === undefined ? [] : [line('For', `"${name}"`)]),
      ...table(
        ['<feature', 'own', 'shared', 'personal'],
        strongest(features, top).map(({ feature, shared, personal }) => [
          feature,
          ...[shared + personal, shared, personal].map(short),
        ]),
      ),
      ...others(features.length - top),
    ]),
  ];
}

export function rowLines(
  explained: RowExplanation,
  source: string,
  top: number,
  { line, table }: Layout,
): string[] {
  const { row, participant, personalised, prediction, decision, base } = explained;
  const { shown, others } = leadingPart(explained, top);
  const whose = personalised ? `the model of participant ${participant}` : 'the shared part w';
  const numbers = (...values: readonly number[]) => values.map(short);
  const cells = [
    ...shown.map(({ feature, value, contribution, shared, personal }) => [
      feature,
      ...numbers(value, contribution, shared, personal),
    ]),
    ...(others
      ? [
          [
            `${count(others.count)} other features`,
            '',
            ...numbers(others.contribution, others.shared, others.personal),
          ],
        ]
      : []),
    ['base', '', short(base)],
    ['sum', '', short(decision)],
  ];
  return [
    line('Row', `${count(row)} of ${source}, by ${whose}`),
    line('Prediction', typeof prediction === 'number' ? short(prediction) : prediction),
    line('Sum', `${sumText(explained)}: ${short(decision)}`),
    '',
    ...table(['<feature', 'value', 'contribution', 'shared', 'personal'], cells),
  ];
}

function others(number: number): string[] {
  return number > 0 ? [`  and ${count(number)} more (--top)`] : [];
}

function signed(value: number): string {
  return `${value < 0 ? '' : '+'}${short(value)}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}

/** Enough to compare them: weights are not exact to more than that. */
function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
