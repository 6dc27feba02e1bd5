/** Section 7.2.1: balanced accuracy over time, equal devices, everybody waited for. */
import { type Axis, COLOURS, type Panel, type Series } from '../../charts/figure.ts';
import { areaUnder, finalOf, timeTo } from '../curves.ts';
import { experiment } from '../experiment.ts';
import type { Constants, SimulationResult } from '../jobs.ts';
import { horizonMs, type Profile, TEST_FRACTION } from '../profile.ts';
import {
  ACCURACY,
  BLIND,
  barOf,
  byKey,
  classificationSetting,
  constantsTable,
  curve,
  type MethodKey,
  meanText,
  NAMES,
  simulations,
  spreadText,
  TIME_AXIS,
  tunings,
} from './common.ts';

const METHODS = ['mtl', 'local', 'global', 'mocha', 'paper'] as const satisfies readonly MethodKey[];

/** Where most people would start. */
const UNTUNED: Constants = {
  method: 'mtl',
  scale: 'standard',
  c1: 1,
  c2: 1,
  score: 0,
  metric: 'balancedAccuracy',
  tried: 0,
};

/** The end is what is compared here: everybody has time to get there. */
const LONGER = 2;

const NEAR = 0.005;

export function classificationHorizon(profile: Profile, trainRows?: number): number {
  const { rows, features } = profile.classification;
  return horizonMs(profile, trainRows ?? (1 - TEST_FRACTION) * rows, features);
}

export const clsAll = experiment({
  title: 'Classification, everybody answers',
  paper: 'section 7.2.1',
  tunings: (profile) =>
    byKey(METHODS, (key) => tunings(profile, key, (seed) => classificationSetting(profile, seed))),
  jobs: (profile, constants) => {
    const timeMs = LONGER * classificationHorizon(profile);
    const settingOf = (seed: number) => classificationSetting(profile, seed);
    const each = (key: MethodKey, constants: readonly Constants[]) =>
      simulations(profile, settingOf, key, constants, { timeMs });
    const untuned = profile.seeds.map(() => UNTUNED);
    return { ...byKey(METHODS, (key) => each(key, constants[key])), untuned: each('paper', untuned) };
  },
  outcome: (profile, constants, results) => {
    const untilMs = LONGER * classificationHorizon(profile);
    const findings = byKey(METHODS, (key) => findingsOf(results[key], untilMs));
    const bars = METHODS.map((key) => ({
      name: key === 'paper' ? "paper's sum" : NAMES[key],
      bars: [barOf(NAMES[key], COLOURS[key], findings[key].final)],
    }));
    const series = [
      ...METHODS.map((key) => curve(key, results[key], untilMs, key === 'paper' ? { dash: '6 3' } : {})),
      curve('paper', results.untuned, untilMs, { name: `${NAMES.paper}, C1 = C2 = 1`, dash: '2 3' }),
    ];
    return {
      text: [
        `${profile.classification.name}, 20 participants with equal devices, 70% of the rows for training. The coordinator waits for everybody. Global runs at one node as strong as all participants together; Local sends nothing; MOCHA runs in the same machines with the same kernels. The paper's rule, to add up all updates in full, is shown with tuned constants and with C1 = C2 = 1.`,
      ],
      figures: [
        {
          id: 'cls-all',
          title: 'Balanced accuracy over time, no stragglers',
          caption:
            'The personalised models (MTL-SVM and MOCHA) end above both extremes, one model for each (Local) and one for all (Global). On the right the final values.',
          spread: spreadText(profile),
          columns: 3,
          panels: [
            linePanel('over time', { high: 1 }, series),
            linePanel('the same, from 0.9 on', { low: 0.9, high: 1 }, series),
            { kind: 'bars', title: 'at the end', y: { title: ACCURACY, scale: 'linear' }, groups: bars },
          ],
        },
      ],
      tables: [
        {
          title: 'Final balanced accuracy, mean over participants and repeats with its 95% interval',
          columns: ['method', 'balanced accuracy', 'first quarter of the time', 'time to the final value, s'],
          rows: METHODS.map((key) => [
            NAMES[key],
            meanText(findings[key].final),
            meanText(findings[key].early),
            meanText(findings[key].settled, 2),
          ]),
        },
        constantsTable(profile, 'Classification', (key) => NAMES[key], constants),
      ],
      findings: {
        methods: findings,
        untuned: findingsOf(results.untuned, untilMs),
        bytes: {
          up: results.mtl.map((run) => run.upPerParticipantRound),
          down: results.mtl.map((run) => run.downPerParticipantRound),
          features: profile.classification.features,
        },
      },
    };
  },
});

function linePanel(title: string, range: Partial<Axis>, series: readonly Series[]): Panel {
  return { kind: 'lines', title, x: TIME_AXIS, y: { title: ACCURACY, scale: 'linear', ...range }, series };
}

/** Numbers of each repeat. */
function findingsOf(runs: readonly SimulationResult[], untilMs: number) {
  return {
    final: runs.map(finalOf),
    /** Seconds until the final value is nearly reached. */
    settled: runs.map((run) => timeTo(run, finalOf(run) - NEAR) / 1000),
    /** Mean over the first quarter of the time. */
    early: runs.map((run) => areaUnder(run, untilMs / 4, BLIND)),
  };
}
