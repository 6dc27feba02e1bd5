/** Sections 7.2.2 and 7.2.3: classification with waiting periods, on equal and on unequal devices. */
import type { Profile } from '../profile.ts';
import { classificationHorizon } from './cls-all.ts';
import { ACCURACY, BLIND, classificationSetting } from './common.ts';
import { waitingExperiment } from './waiting.ts';

const common = {
  metric: ACCURACY,
  blind: BLIND,
  settingOf: (profile: Profile, seed: number) => classificationSetting(profile, seed),
  horizonOf: (profile: Profile) => classificationHorizon(profile),
} as const;

export const clsStragglers = waitingExperiment({
  ...common,
  id: 'cls-stragglers',
  title: 'Classification with stragglers, equal devices',
  paper: 'section 7.2.2',
  hardware: 'equal',
  shares: [1, 0.75, 0.45, 0.25, 0.1],
  about: ({ classification }) =>
    `${classification.name}. Delays of all participants come from one distribution, so everybody is late now and then and nobody always. Shorter waiting periods make shorter rounds with fewer updates in each.`,
  caption:
    'Left: the rule and the policy of the paper. Middle: the default rule, where everybody answers with its best personal part, with the policy of the paper: late work is lost. Right: the defaults, where whoever runs out of time sends what there is, so that short rounds cost nothing.',
});

export const clsHardware = waitingExperiment({
  ...common,
  id: 'cls-hardware',
  title: 'Classification with stragglers, unequal devices',
  paper: 'section 7.2.3',
  hardware: 'rising',
  shares: [1, 0.75, 0.45, 0.2],
  about: ({ classification }) =>
    `${classification.name}. Hardware factors rise evenly from 1 to 10, so with a short waiting period it is always the same slow participants who are too late.`,
  caption:
    'With unequal devices a short waiting period silences the same participants in every round. Under the policy of the paper (left, middle) their data never reach w; under `anytime` (right) everybody contributes in every round, and short rounds are simply faster.',
});
