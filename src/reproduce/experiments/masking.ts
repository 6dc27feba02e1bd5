/**
 * Section 7.4: what masking costs, on full and on light data, in three variants: as the paper has it (its semantics, its
 * rule), its semantics with a rule that cannot diverge (safe), and the consistent semantics with the default rule.
 */

import { COLOURS, type Figure, levelColour, type Panel } from '../../charts/figure.ts';
import type { ScenarioInput } from '../../sim/scenario.ts';
import { finalOf } from '../curves.ts';
import { type Experiment, experiment, type Results } from '../experiment.ts';
import type { Constants, SimulateJob, TuneJob } from '../jobs.ts';
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
  simulation,
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

export interface MaskFindings {
  /** Final balanced accuracy of each repeat, by data, variant and level. */
  readonly final: Readonly<
    Record<DataName, Readonly<Record<MaskVariant, Readonly<Record<string, readonly number[]>>>>>
  >;
  readonly local: Readonly<Record<DataName, readonly number[]>>;
}

type MaskJobs = Readonly<
  Record<
    DataName,
    {
      readonly variants: Readonly<Record<MaskVariant, Readonly<Record<string, readonly SimulateJob[]>>>>;
      readonly local: readonly SimulateJob[];
    }
  >
>;
/** By data and method. */
type MaskTunings = Record<string, readonly TuneJob[]>;
const TUNED = ['mtl', 'paper', 'local'] as const;
const tuned = (data: DataName, key: (typeof TUNED)[number]) =>
  data === 'light' ? `${NAMES[key]}, light` : NAMES[key];

type MaskExperiment = Experiment<MaskTunings, MaskJobs, MaskFindings>;

interface MaskOptions {
  readonly id: string;
  readonly title: string;
  readonly levelName: (level: Level) => string;
  readonly mask: (level: Level, semantics: 'paper' | 'consistent') => ScenarioInput['mask'];
  readonly about: string;
  readonly caption: string;
}

const levelKey = (level: Level) => String(level);

export function maskExperiment(options: MaskOptions): MaskExperiment {
  return experiment({
    id: options.id,
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
        tables: [finalTable(options, findings), constantsTable(profile, options.title, constants)],
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
): MaskJobs[DataName] {
  const timeMs = LONGER * classificationHorizon(profile, rowsOf(profile, data));
  const each = (key: (typeof TUNED)[number], more: Pick<ScenarioInput, 'mask'>) =>
    profile.seeds.map((seed, r) => {
      const setting = classificationSetting(profile, seed, rowsOf(profile, data));
      return simulation(profile, setting, key, constants[tuned(data, key)][r], { timeMs, ...more });
    });
  const variants = byKey(MASK_VARIANT_NAMES, (name) => {
    const { key, semantics, name: _, ...rule } = MASK_VARIANTS[name];
    return byLevel((level) =>
      each(key, { ...rule, ...(level === 1 ? {} : { mask: options.mask(level, semantics) }) }),
    );
  });
  return { variants, local: each('local', {}) };
}

function byLevel<V>(of: (level: Level) => V): Record<string, V> {
  return byKey(LEVELS.map(levelKey), (key) => of(Number(key) as Level));
}

type Runs = Results<MaskJobs>;

function findingsOf(results: Runs): MaskFindings {
  const final = byKey(DATA, (data) =>
    byKey(MASK_VARIANT_NAMES, (name) =>
      byLevel((level) => results[data].variants[name][levelKey(level)].map(finalOf)),
    ),
  );
  return { final, local: byKey(DATA, (data) => results[data].local.map(finalOf)) };
}

function curvesFigure(options: MaskOptions, profile: Profile, results: Runs): Figure {
  const panels = DATA.flatMap((data) => {
    const untilMs = LONGER * classificationHorizon(profile, rowsOf(profile, data));
    return MASK_VARIANT_NAMES.map((name): Panel => {
      const series = LEVELS.map((level, i) =>
        curve('mtl', results[data].variants[name][levelKey(level)], untilMs, {
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
          barOf(options.levelName(level), levelColour(i, LEVELS.length), final[data][name][levelKey(level)]),
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
      'What is left of the accuracy when training ends, by how much is masked. Consistent masking costs time and no accuracy: it reaches the same optimum.',
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
      ...LEVELS.map((level) => meanText(final[data][name][levelKey(level)])),
    ]),
    [data, NAMES.local, meanText(local[data]), '', '', ''],
  ]);
  return {
    title: 'Final balanced accuracy',
    columns: ['data', 'variant', ...LEVELS.map((level) => options.levelName(level))],
    rows,
  };
}
