/** What w is worth to a participant that joins late, with few rows or many, against training alone. */
import { COLOURS } from '../../charts/figure.ts';
import { meanOf } from '../../sim/summary.ts';
import { experiment } from '../experiment.ts';
import type { NewcomerJob, TrainJob } from '../jobs.ts';
import type { Profile } from '../profile.ts';
import { classificationHorizon } from './cls-all.ts';
import {
  ACCURACY,
  byKey,
  classificationSetting,
  meanText,
  NAMES,
  pointOf,
  simulation,
  spreadText,
  trainOptions,
  tunings,
} from './common.ts';

export const newcomer = experiment({
  title: 'Joining late',
  paper: 'section 7, on MTL-SVM',
  tunings: (profile) =>
    byKey(['mtl', 'local'], (key) => tunings(profile, key, (seed) => classificationSetting(profile, seed))),
  jobs: (profile, constants) => ({
    joined: profile.newcomerRows.map((rows) =>
      profile.seeds.map((seed, r) =>
        places(profile).map((place): NewcomerJob => {
          const setting = classificationSetting(profile, seed);
          const joinsMs = classificationHorizon(profile);
          const job = simulation(profile, setting, 'mtl', constants.mtl[r], { timeMs: 2 * joinsMs, gap: 0 });
          return { ...job, kind: 'newcomer', newcomer: place, newcomerRows: rows, joinsMs };
        }),
      ),
    ),
    alone: profile.newcomerRows.map((rows) =>
      profile.seeds.map((seed, r): TrainJob => {
        const setting = classificationSetting(profile, seed, rows);
        const options = trainOptions(setting, 'local', constants.local[r]);
        return { kind: 'train', table: setting.table, options };
      }),
    ),
  }),
  outcome: (profile, _constants, results) => {
    const joined = (of: 'cold' | 'first' | 'final' | 'rounds') =>
      results.joined.map((repeats) => repeats.map((runs) => meanOf(runs.map((run) => run[of]))));
    // By number of rows and repeat, mean over the newcomers.
    const findings = {
      rows: profile.newcomerRows,
      ...byKey(['cold', 'first', 'final', 'rounds'], joined),
      alone: results.alone.map((repeats) =>
        repeats.map(({ participants }) =>
          meanOf(Object.values(participants).filter((_, k) => places(profile).includes(k))),
        ),
      ),
    };
    const series = (name: string, values: readonly (readonly number[])[], colour: string, dash?: string) => ({
      name,
      colour,
      dash,
      shape: 'line' as const,
      points: values.map((list, i) => pointOf(profile.newcomerRows[i], list)),
    });
    return {
      text: [
        `${profile.newcomers} participants take turns: each stays away until the others are trained, then joins with a given number of rows. Before its first round it predicts with w alone; alone it would train on its rows (Local), with the scaling of all.`,
      ],
      figures: [
        {
          id: 'newcomer',
          title: 'What a newcomer gains',
          caption:
            'With w alone the newcomer has a usable model before it has sent anything; its first round adds a personal part. Training alone catches up only with many rows.',
          spread: spreadText(profile),
          columns: 1,
          panels: [
            {
              kind: 'lines',
              title: '',
              x: { title: 'training rows of the newcomer', scale: 'log' },
              y: { title: `${ACCURACY} of the newcomer`, scale: 'linear', high: 1 },
              series: [
                series('joined, at the end', findings.final, COLOURS.mtl),
                series('joined, after its first round', findings.first, COLOURS.mtl, '6 3'),
                series('w alone, on joining', findings.cold, COLOURS.global, '2 3'),
                series(`alone (${NAMES.local})`, findings.alone, COLOURS.local),
              ],
            },
          ],
        },
      ],
      tables: [
        {
          title: 'Balanced accuracy of the newcomer, mean with its 95% interval',
          columns: [
            'rows',
            'w alone',
            'after its first round',
            'at the end',
            'alone',
            'rounds to the end value',
          ],
          rows: profile.newcomerRows.map((rows, i) => [
            String(rows),
            meanText(findings.cold[i]),
            meanText(findings.first[i]),
            meanText(findings.final[i]),
            meanText(findings.alone[i]),
            meanText(findings.rounds[i], 1),
          ]),
        },
      ],
      findings,
    };
  },
});

/** Spread evenly over the participants. */
function places({ newcomers }: Profile): number[] {
  const step = Math.floor(20 / newcomers);
  return Array.from({ length: newcomers }, (_, i) => i * step);
}
