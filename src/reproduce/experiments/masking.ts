/**
 * Section 7.4: what masking costs, on full and on light data, in three variants: as the paper has it (its semantics, its
 * rule), its semantics with a rule that cannot diverge (safe), and the consistent semantics with the default rule.
 */
import { COLOURS, type Figure, levelColour, type Panel } from '../../charts/figure.ts';
import type { ScenarioInput } from '../../sim/scenario.ts';
import { finalOf } from '../curves.ts';
import { experiment, type Results } from '../experiment.ts';
import type { Constants } from '../jobs.ts';
import type { Profile } from '../profile.ts';
import type { Table } from '../report/report.ts';
import { classificationHorizon } from './cls-all.ts';
import {
  ACCURACY,
  barOf,
  byKey,
  classificationSetting,
  constantsTable,
  curve,
  meanText,
  NAMES,
  simulations,
  spreadText,
  TIME_AXIS,
  tunings,
} from './common.ts';

const LEVELS = [1, 0.75, 0.5, 0.25] as const;
type Level = (typeof LEVELS)[number];

const MASK_VARIANTS = {
  paper: { name: 'as the paper: its semantics, sum', key: 'paper', semantics: 'paper' },
  paperSafe: { name: "the paper's semantics, safe", key: 'mtl', semantics: 'paper', aggregation: 'safe' },
  consistent: { name: 'consistent semantics, answers', key: 'mtl', semantics: 'consistent' },
} as const;

export type MaskVariant = keyof typeof MASK_VARIANTS;
const MASK_VARIANT_NAMES = ['paper', 'paperSafe', 'consistent'] as const;
const DATA = ['full', 'light'] as const;
type DataName = (typeof DATA)[number];

/** Masked trainings need more rounds to the same place. */
const LONGER = 2;

const TUNED = ['mtl', 'paper', 'local'] as const;
const tuned = (data: DataName, key: (typeof TUNED)[number]) =>
  data === 'light' ? `${NAMES[key]}, light` : NAMES[key];

interface MaskOptions {
  readonly id: string;
  readonly title: string;
  readonly levelName: (level: Level) => string;
  readonly mask: (level: Level, semantics: 'paper' | 'consistent') => ScenarioInput['mask'];
  readonly about: string;
  readonly caption: string;
}

function maskExperiment(options: MaskOptions) {
  return experiment({
    title: options.title,
    paper: 'section 7.4',
    tunings: (profile) =>
      Object.fromEntries(
        DATA.flatMap((data) =>
          TUNED.map((key) => [
            tuned(data, key),
            tunings(profile, key, (seed) => classificationSetting(profile, seed, rowsOf(profile, data))),
          ]),
        ),
      ),
    jobs: (profile, constants) => byKey(DATA, (data) => jobsOn(options, profile, constants, data)),
    outcome: (profile, constants, results) => {
      const findings = findingsOf(results);
      return {
        text: [
          options.about,
          `Light data: ${profile.lightRows} training rows of each participant, the same test rows as with the full data.`,
        ],
        figures: [curvesFigure(options, profile, results), finalFigure(options, profile, findings)],
        tables: [
          finalTable(options, findings),
          constantsTable(profile, options.title, (name) => name, constants),
        ],
        findings,
      };
    },
  });
}

/** Undefined: all. */
const rowsOf = (profile: Profile, data: DataName) => (data === 'light' ? profile.lightRows : undefined);

function jobsOn(
  options: MaskOptions,
  profile: Profile,
  constants: Readonly<Record<string, readonly Constants[]>>,
  data: DataName,
) {
  const rows = rowsOf(profile, data);
  const timeMs = LONGER * classificationHorizon(profile, rows);
  const settingOf = (seed: number) => classificationSetting(profile, seed, rows);
  const each = (key: (typeof TUNED)[number], more: Pick<ScenarioInput, 'mask'>) =>
    simulations(profile, settingOf, key, constants[tuned(data, key)], { timeMs, ...more });
  const variants = byKey(MASK_VARIANT_NAMES, (name) => {
    const { key, semantics, name: _, ...rule } = MASK_VARIANTS[name];
    return byLevel((level) =>
      each(key, { ...rule, ...(level === 1 ? {} : { mask: options.mask(level, semantics) }) }),
    );
  });
  return { variants, local: each('local', {}) };
}

function byLevel<V>(of: (level: Level) => V): Record<string, V> {
  return byKey(LEVELS.map(String), (key) => of(Number(key) as Level));
}

type Runs = Readonly<Record<DataName, Results<ReturnType<typeof jobsOn>>>>;
export type MaskFindings = ReturnType<typeof findingsOf>;

/** Final balanced accuracy of each repeat, by data, variant and level. */
function findingsOf(results: Runs) {
  const final = byKey(DATA, (data) =>
    byKey(MASK_VARIANT_NAMES, (name) => byLevel((level) => results[data].variants[name][level].map(finalOf))),
  );
  return { final, local: byKey(DATA, (data) => results[data].local.map(finalOf)) };
}

function curvesFigure(options: MaskOptions, profile: Profile, results: Runs): Figure {
  const panels = DATA.flatMap((data) => {
    const untilMs = LONGER * classificationHorizon(profile, rowsOf(profile, data));
    return MASK_VARIANT_NAMES.map((name): Panel => {
      const series = LEVELS.map((level, i) =>
        curve('mtl', results[data].variants[name][level], untilMs, {
          name: options.levelName(level),
          colour: levelColour(i, LEVELS.length),
        }),
      );
      return {
        kind: 'lines',
        title: `${data} data, ${MASK_VARIANTS[name].name}`,
        x: { ...TIME_AXIS, high: untilMs / 1000 },
        y: { title: ACCURACY, scale: 'linear', low: 0.5, high: 1 },
        series: [...series, curve('local', results[data].local, untilMs, { dash: '3 3' })],
      };
    });
  });
  return {
    id: `${options.id}-curves`,
    title: `${options.title}: over time`,
    caption: options.caption,
    spread: spreadText(profile),
    columns: 3,
    panels,
  };
}

function finalFigure(options: MaskOptions, profile: Profile, { final, local }: MaskFindings): Figure {
  const panels = DATA.map((data): Panel => {
    const groups = MASK_VARIANT_NAMES.map((name) => ({
      name: MASK_VARIANTS[name].name,
      bars: [
        ...LEVELS.map((level, i) =>
          barOf(options.levelName(level), levelColour(i, LEVELS.length), final[data][name][level]),
        ),
        barOf(NAMES.local, COLOURS.local, local[data]),
      ],
    }));
    return { kind: 'bars', title: `${data} data`, y: { title: ACCURACY, scale: 'linear' }, groups };
  });
  return {
    id: `${options.id}-final`,
    title: `${options.title}: at the end`,
    caption:
      'Accuracy at the end of training, by the share that is masked. Consistent masking costs time and no accuracy: it reaches the same optimum.',
    spread: spreadText(profile),
    columns: 2,
    panels,
  };
}

function finalTable(options: MaskOptions, { final, local }: MaskFindings): Table {
  const rows = DATA.flatMap((data) => [
    ...MASK_VARIANT_NAMES.map((name) => [
      data,
      MASK_VARIANTS[name].name,
      ...LEVELS.map((level) => meanText(final[data][name][level])),
    ]),
    [data, NAMES.local, meanText(local[data]), '', '', ''],
  ]);
  return {
    title: 'Final balanced accuracy',
    columns: ['data', 'variant', ...LEVELS.map((level) => options.levelName(level))],
    rows,
  };
}

export const maskBernoulli = maskExperiment({
  id: 'mask-bernoulli',
  title: 'Bernoulli masking',
  levelName: (level) => (level === 1 ? 'no masking' : `p = ${level}`),
  mask: (level, semantics) => ({ kind: 'bernoulli', keep: level, semantics }),
  about:
    'In every round each row is left out of the update with probability 1 - p. In the semantics of the paper the personal part v takes the unmasked step, and the part left out of w is never added later; in the consistent semantics both take the masked step.',
  caption: 'Bernoulli masking with probability p of keeping a row. Top: full data; bottom: light data.',
});

export const maskBeta = maskExperiment({
  id: 'mask-beta',
  title: 'Beta(2, 0.5) masking',
  levelName: (level) => (level === 1 ? 'no masking' : `${100 * level}% unmasked`),
  mask: (level, semantics) => ({ kind: 'beta', a: 2, b: 0.5, unmasked: level, semantics }),
  about:
    'In every round a share of the rows is left as it is, and the contribution of each other row is multiplied by a number drawn from Beta(2, 0.5), 0.8 on average.',
  caption: 'Beta masking with a share of rows left unmasked. Top: full data; bottom: light data.',
});
