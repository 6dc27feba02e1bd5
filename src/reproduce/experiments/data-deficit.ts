/** Local, Global and MTL-SVM as the rows of every participant grow from very few to all. */
import { COLOURS } from '../../charts/figure.ts';
import { experiment } from '../experiment.ts';
import type { TrainJob } from '../jobs.ts';
import {
  ACCURACY,
  byKey,
  classificationSetting,
  constantsTable,
  meanText,
  NAMES,
  pointOf,
  spreadText,
  trainOptions,
  tunings,
} from './common.ts';

const METHODS = ['mtl', 'local', 'global', 'mocha'] as const;
type Name = (typeof METHODS)[number];

/** Tunings are named by method and place in the list of rows. */
const place = (name: Name, i: number) => `${name} ${i}`;

export const dataDeficit = experiment({
  title: 'Few rows, many rows',
  paper: 'sections 7.2.1, 7.4 and 8',
  tunings: (profile) =>
    Object.fromEntries(
      METHODS.flatMap((name) =>
        profile.deficitRows.map((rows, i) => [
          place(name, i),
          tunings({ ...profile, grids: profile.coarseGrids }, name, (seed) =>
            classificationSetting(profile, seed, rows),
          ),
        ]),
      ),
    ),
  jobs: (profile, constants) => {
    const each = (name: Name): (readonly TrainJob[])[] =>
      profile.deficitRows.map((rows, i) =>
        profile.seeds.map((seed, r): TrainJob => {
          const setting = classificationSetting(profile, seed, rows);
          const options = trainOptions(setting, name, constants[place(name, i)][r]);
          return { kind: 'train', table: setting.table, options };
        }),
      );
    return byKey(METHODS, each);
  },
  outcome: (profile, constants, results) => {
    const findings = {
      rows: profile.deficitRows,
      metric: byKey(METHODS, (name) => results[name].map((runs) => runs.map((run) => run.metric))),
    };
    const last = profile.deficitRows.length - 1;
    return {
      text: [
        'Every participant trains on a given number of its training rows; the test rows are the same throughout. Constants are tuned for every number of rows.',
      ],
      figures: [
        {
          id: 'data-deficit',
          title: 'Balanced accuracy by training rows of each participant',
          caption:
            'With few own rows, the data of the others help most: there MTL-SVM leads Local by far. With many, the lead shrinks, and one model for all falls behind.',
          spread: spreadText(profile),
          columns: 2,
          panels: [
            {
              kind: 'lines',
              title: 'balanced accuracy',
              x: { title: 'training rows of each participant', scale: 'log' },
              y: { title: ACCURACY, scale: 'linear', high: 1 },
              series: METHODS.map((name) => ({
                name: NAMES[name],
                colour: COLOURS[name],
                shape: 'line',
                points: findings.metric[name].map((values, i) => pointOf(profile.deficitRows[i], values)),
              })),
            },
            {
              kind: 'lines',
              title: 'lead of MTL-SVM',
              x: { title: 'training rows of each participant', scale: 'log' },
              y: { title: 'difference of balanced accuracy', scale: 'linear' },
              series: (['local', 'global'] as const).map((name) => ({
                name: `over ${NAMES[name]}`,
                colour: COLOURS[name],
                dash: '6 3',
                shape: 'line',
                points: profile.deficitRows.map((rows, i) => pointOf(rows, lead(findings, name, i))),
              })),
            },
          ],
        },
      ],
      tables: [
        {
          title: 'Balanced accuracy, mean with its 95% interval',
          columns: ['training rows', ...METHODS.map((name) => NAMES[name]), 'lead of MTL-SVM over Local'],
          rows: profile.deficitRows.map((rows, i) => [
            String(rows),
            ...METHODS.map((name) => meanText(findings.metric[name][i])),
            meanText(lead(findings, 'local', i)),
          ]),
        },
        constantsTable(
          profile,
          `With ${profile.deficitRows[0]} and with ${profile.deficitRows[last]} rows`,
          (name) => name,
          Object.fromEntries(
            [0, last].flatMap((i) =>
              METHODS.map((name) => [
                `${NAMES[name]}, ${profile.deficitRows[i]} rows`,
                constants[place(name, i)],
              ]),
            ),
          ),
        ),
      ],
      findings,
    };
  },
});

/** By repeat; `metric` is by method, number of rows and repeat. */
export function lead(
  { metric }: { readonly metric: Readonly<Record<Name, readonly (readonly number[])[]>> },
  over: Name,
  i: number,
): number[] {
  return metric.mtl[i].map((value, r) => value - metric[over][i][r]);
}
