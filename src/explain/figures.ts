/** Explanations as figures: what is shared and what is personal, of a model, a participant or a row. */
import { type AcrossPanel, COLOURS, type Figure } from '../charts/figure.ts';
import type { Explanation, PersonalWeight } from './explain.ts';
import type { RowExplanation } from './explain-row.ts';
import { leadingPart } from './leading.ts';
import type { WeightUnit } from './standard-weights.ts';

const SHARED = { name: 'shared', colour: COLOURS.global } as const;
const PERSONAL = { name: 'personal', colour: COLOURS.local } as const;
const BASE = '#8a93a0';
const MOST_PARTICIPANTS = 20;

/** What weights are changes of. */
export function weightTitle(unit: WeightUnit, objective: Explanation['objective']): string {
  const what = objective === 'regression' ? 'prediction' : 'decision';
  const step = unit === 'standard deviation' ? 'one standard deviation' : 'one unit of the scaled feature';
  return `change of the ${what} when the feature rises by ${step}`;
}

type HeadPanels = Explanation['heads'] | Explanation['participants'][number]['heads'];

function columnsFor(heads: HeadPanels): Figure['columns'] {
  return heads.length > 1 ? 2 : 1;
}

const titleOf = (name: string | undefined) => (name === undefined ? '' : `for "${name}"`);

/** The strongest features of each head, and how personal everybody's model is. */
export function modelFigure({ heads, participants, unit, objective }: Explanation, top: number): Figure {
  const x = { title: weightTitle(unit, objective), scale: 'linear' } as const;
  const byShare = [...participants].sort((a, b) => b.personalShare - a.personalShare);
  const shown = byShare.slice(0, MOST_PARTICIPANTS);
  const panels = heads.map(
    ({ class: name, features }): AcrossPanel => ({
      kind: 'across',
      title: titleOf(name),
      x,
      rows: features.slice(0, top).map(({ feature, shared, low, high }) => ({
        name: feature,
        bars: [{ ...SHARED, value: shared, low, high }],
      })),
    }),
  );
  const shares: AcrossPanel = {
    kind: 'across',
    title: shown.length < byShare.length ? `the ${shown.length} most personal models` : 'participants',
    x: { title: 'personal share of the model, |v| / |w + v|', scale: 'linear', low: 0 },
    rows: shown.map(({ id, personalShare }) => ({
      name: id,
      bars: [{ ...PERSONAL, value: personalShare }],
    })),
  };
  return {
    id: 'explain-model',
    title: 'What participants share, and what is personal',
    caption: '',
    spread: 'Whisker: from the smallest to the largest weight in a participant’s own model.',
    columns: columnsFor(heads),
    panels: shown.length === 0 ? panels : [...panels, shares],
  };
}

/** The strongest features of one participant's model, shared and personal side by side. */
export function participantFigure(
  { unit, objective }: Pick<Explanation, 'unit' | 'objective'>,
  { id, heads, personalShare }: Explanation['participants'][number],
  top: number,
): Figure {
  return {
    id: 'explain-participant',
    title: `Participant ${id}: shared and personal weights`,
    caption: '',
    spread: `Personal share of the model, |v| / |w + v|: ${personalShare.toPrecision(2)}`,
    columns: columnsFor(heads),
    panels: heads.map(({ class: name, features }) => ({
      kind: 'across',
      title: titleOf(name),
      x: { title: weightTitle(unit, objective), scale: 'linear' },
      rows: strongest(features, top).map((weight) => ({
        name: weight.feature,
        ...partsOf(weight, weight.shared + weight.personal),
      })),
      markName: 'own model: shared + personal',
    })),
  };
}

/** By the weight in the participant's own model. */
export function strongest(features: readonly PersonalWeight[], top: number): PersonalWeight[] {
  const size = ({ shared, personal }: PersonalWeight) => Math.abs(shared + personal);
  return [...features].sort((a, b) => size(b) - size(a)).slice(0, top);
}

/** Contributions of a row from those that speak most for the prediction to those that speak most against it. */
export function rowFigure(explained: RowExplanation, top: number): Figure {
  const { row, participant, prediction, decision, base, personalised } = explained;
  const { shown, others } = leadingPart(explained, top);
  const whose = personalised ? `participant ${participant}` : 'the shared part';
  const rows = shown.map(({ feature, value, contribution, ...parts }) => ({
    name: `${feature} = ${short(value)}`,
    ...partsOf(parts, contribution),
  }));
  const rest = others && { name: `${others.count} other features`, ...partsOf(others, others.contribution) };
  return {
    id: 'explain-row',
    title: `Row ${row}: predicted ${typeof prediction === 'number' ? short(prediction) : `"${prediction}"`}`,
    caption: '',
    spread: `Model of ${whose}. ${sumText(explained)}: ${short(decision)} = base ${short(base)} + all contributions.`,
    columns: 1,
    panels: [
      {
        kind: 'across',
        title: '',
        x: { title: contributionTitle(explained), scale: 'linear' },
        rows: [...rows, ...(rest ? [rest] : []), ...baseOf(explained)],
        markName: 'contribution: shared + personal',
      },
    ],
  };
}

/** Of a regression it is the size of the targets, beside which contributions could not be seen. */
function baseOf({ base, for: name }: RowExplanation): AcrossPanel['rows'] {
  return name === undefined ? [] : [{ name: 'base', bars: [{ name: 'base', colour: BASE, value: base }] }];
}

/** What base and contributions add up to. */
export function sumText({ for: name, against }: RowExplanation): string {
  if (name === undefined) return 'Prediction';
  return against === undefined ? `Decision for "${name}"` : `Lead of "${name}" over "${against}"`;
}

function contributionTitle({ for: name, against }: RowExplanation): string {
  if (name === undefined) return 'contribution to the prediction';
  const other = against === undefined ? `against "${name}"` : `for "${against}"`;
  return `contribution: ${other} (left), for "${name}" (right)`;
}

function partsOf({ shared, personal }: { readonly shared: number; readonly personal: number }, mark: number) {
  return {
    bars: [
      { ...SHARED, value: shared },
      { ...PERSONAL, value: personal },
    ],
    mark,
  };
}

function short(value: number): string {
  return String(Number(value.toPrecision(3)));
}
