/**
 * Sections 7.2.2, 7.2.3 and 7.3: what waiting for fewer participants does. Each experiment is run three times over: with
 * the paper's own update rule and policy (sum, restart), with the default rule and the paper's policy (answers, restart), and
 * with the defaults (answers, anytime). The waiting period is computed from the distribution of delays so that the wanted
 * share answers in time; under `anytime` it is the same period, but those who would be late send what they have.
 */
import { COLOURS, type Figure, levelColour, type Panel, type Series } from '../../charts/figure.ts';
import type { ScenarioInput } from '../../sim/scenario.ts';
import { areaUnder, finalOf, largestDrop, timeTo, valueAt } from '../curves.ts';
import { experiment, type Results } from '../experiment.ts';
import type { Constants, SimulationResult } from '../jobs.ts';
import type { Profile } from '../profile.ts';
import type { Table } from '../report/report.ts';
import {
  byKey,
  constantsTable,
  curve,
  type MethodKey,
  meanText,
  NAMES,
  percent,
  type Setting,
  simulations,
  spreadText,
  TIME_AXIS,
  tunings,
} from './common.ts';

const VARIANTS = {
  paper: { name: "the paper's rule: sum, restart", key: 'paper', more: { straggler: 'restart' } },
  restart: { name: 'answers, restart', key: 'mtl', more: { straggler: 'restart' } },
  anytime: { name: 'answers, anytime (default)', key: 'mtl', more: { straggler: 'anytime' } },
} as const satisfies Record<string, { name: string; key: MethodKey; more: ScenarioInput }>;

export type VariantName = keyof typeof VARIANTS;
const VARIANT_NAMES = ['paper', 'restart', 'anytime'] as const;

interface WaitingOptions {
  readonly id: string;
  readonly title: string;
  readonly paper: string;
  readonly hardware: 'equal' | 'rising';
  readonly shares: readonly number[];
  readonly metric: string;
  /** The metric of a model that has learnt nothing. */
  readonly blind: number;
  readonly settingOf: (profile: Profile, seed: number) => Setting;
  readonly horizonOf: (profile: Profile) => number;
  readonly about: (profile: Profile) => string;
  readonly caption: string;
}

/** How close to the final value of waiting for all counts as there. */
const NEAR = 0.01;
const EARLY_SHARE = 0.1;

const TUNED = ['mtl', 'paper', 'local', 'global'] as const;
export function foundAt({ variants }: WaitingFindings, variant: VariantName, share: string) {
  return variants[variant][share];
}

export function waitingExperiment(options: WaitingOptions) {
  const { title, paper } = options;
  return experiment({
    title,
    paper,
    tunings: (profile) =>
      byKey(TUNED, (key) => tunings(profile, key, (seed) => options.settingOf(profile, seed))),
    jobs: (profile, constants) => jobsOf(options, profile, constants),
    outcome: (profile, constants, results) => {
      const findings = findingsOf(options, profile, results);
      return {
        text: [options.about(profile)],
        figures: [figureOf(options, profile, results)],
        tables: [
          numbersTable(options, findings),
          constantsTable(profile, title, (key) => NAMES[key], constants),
        ],
        findings,
      };
    },
  });
}

function jobsOf(
  { shares, hardware, settingOf, horizonOf }: WaitingOptions,
  profile: Profile,
  constants: Readonly<Record<(typeof TUNED)[number], readonly Constants[]>>,
) {
  const timeMs = horizonOf(profile);
  const each = (key: (typeof TUNED)[number], more: Pick<ScenarioInput, 'straggler' | 'responders'>) =>
    simulations(profile, (seed) => settingOf(profile, seed), key, constants[key], {
      timeMs,
      hardware,
      ...more,
    });
  const variants = byKey(VARIANT_NAMES, (name) => {
    const { key, more } = VARIANTS[name];
    return byShare(shares, (responders) => each(key, { ...more, responders }));
  });
  return { variants, local: each('local', {}), global: each('global', {}) };
}

function byShare<V>(shares: readonly number[], of: (share: number) => V): Record<string, V> {
  return Object.fromEntries(shares.map((share) => [percent(share), of(share)]));
}

type Runs = Results<ReturnType<typeof jobsOf>>;
export type WaitingFindings = ReturnType<typeof findingsOf>;

/** By variant, then by share as `percent` writes it. */
function findingsOf({ shares, horizonOf, blind }: WaitingOptions, profile: Profile, results: Runs) {
  const variants = byKey(VARIANT_NAMES, (name) => {
    const runs = results.variants[name];
    return byShare(shares, (share) =>
      shareFindings(runs[percent(share)], runs[percent(1)], horizonOf(profile), blind),
    );
  });
  return { shares, variants, local: results.local.map(finalOf), global: results.global.map(finalOf) };
}

/** Numbers of each repeat. */
function shareFindings(
  runs: readonly SimulationResult[],
  all: readonly SimulationResult[],
  untilMs: number,
  blind: number,
) {
  const times = runs.map((run, r) => timeTo(run, finalOf(all[r]) - NEAR));
  return {
    final: runs.map(finalOf),
    /** Mean over the first tenth of the time: who is fast at the beginning. */
    early: runs.map((run) => areaUnder(run, EARLY_SHARE * untilMs, blind)),
    /** Seconds until the final value of waiting for all is nearly reached; the whole time where it never is. */
    reached: times.map((ms) => Math.min(ms, untilMs) / 1000),
    everReached: times.map(Number.isFinite),
    /** Largest fall once it was near its best. */
    drop: runs.map((run) => largestDrop(run)),
    /** Change from the middle of the time to its end. */
    late: runs.map((run) => finalOf(run) - (valueAt(run, untilMs / 2) ?? blind)),
    responders: runs.map((run) => run.responders),
  };
}

function figureOf(options: WaitingOptions, profile: Profile, results: Runs): Figure {
  const untilMs = options.horizonOf(profile);
  const reference: Series[] = (['local', 'global'] as const).map((key) =>
    curve(key, results[key], untilMs, { dash: '3 3', colour: COLOURS[key] }),
  );
  const panels = VARIANT_NAMES.map((name): Panel => {
    const series = options.shares.map((share, i) =>
      curve('mtl', results.variants[name][percent(share)], untilMs, {
        name: `[${percent(share)}]`,
        colour: levelColour(i, options.shares.length),
      }),
    );
    return {
      kind: 'lines',
      title: VARIANTS[name].name,
      x: { ...TIME_AXIS, high: untilMs / 1000 },
      y: { title: options.metric, scale: 'linear', low: options.blind, high: 1 },
      series: [...series, ...reference],
    };
  });
  return {
    id: options.id,
    title: options.title,
    caption: options.caption,
    spread: spreadText(profile),
    columns: 3,
    panels,
  };
}

function numbersTable(options: WaitingOptions, { variants }: WaitingFindings): Table {
  const rows = VARIANT_NAMES.flatMap((name) =>
    options.shares.map((share) => {
      const found = variants[name][percent(share)];
      const there = found.everReached.filter(Boolean).length;
      return [
        VARIANTS[name].name,
        percent(share),
        `${Math.round((100 * found.responders.reduce((a, b) => a + b, 0)) / found.responders.length)}%`,
        meanText(found.early, 3),
        `${meanText(found.reached, 2)} (${there} of ${found.reached.length})`,
        meanText(found.final),
        meanText(found.drop, 3),
      ];
    }),
  );
  return {
    title: 'Speed, final value and stability by waiting period',
    columns: [
      'variant',
      'wanted',
      'answered in time',
      `mean over the first ${100 * EARLY_SHARE}% of the time`,
      `s to within ${NEAR} of the final value of All (repeats that got there)`,
      'final',
      'largest drop',
    ],
    rows,
  };
}
