/** Sections 7.2.2, 7.2.3 and 7.3: classification and synthetic regression with waiting periods, on equal and on unequal devices. */
import { horizonMs, type Profile, TEST_FRACTION } from '../profile.ts';
import { classificationHorizon } from './cls-all.ts';
import { ACCURACY, BLIND, classificationSetting, R2, regressionSetting } from './common.ts';
import { waitingExperiment } from './waiting.ts';

const classification = {
  metric: ACCURACY,
  blind: BLIND,
  settingOf: (profile: Profile, seed: number) => classificationSetting(profile, seed),
  horizonOf: (profile: Profile) => classificationHorizon(profile),
} as const;

export const clsStragglers = waitingExperiment({
  ...classification,
  id: 'cls-stragglers',
  title: 'Classification with stragglers, equal devices',
  paper: 'section 7.2.2',
  hardware: 'equal',
  shares: [1, 0.75, 0.45, 0.25, 0.1],
  about: ({ classification: data }) =>
    `${data.name}. Delays of all participants come from one distribution, so every participant is sometimes late and none always. Shorter waiting periods make shorter rounds with fewer updates in each.`,
  caption:
    'Left: the rule and the policy of the paper. Middle: the default rule, where each participant answers with its best response, and the policy of the paper, where late work is lost. Right: the defaults, where a late participant sends its current iterate, so that short rounds cost nothing.',
});

export const clsHardware = waitingExperiment({
  ...classification,
  id: 'cls-hardware',
  title: 'Classification with stragglers, unequal devices',
  paper: 'section 7.2.3',
  hardware: 'rising',
  shares: [1, 0.75, 0.45, 0.2],
  about: ({ classification: data }) =>
    `${data.name}. Hardware factors rise evenly from 1 to 10, so with a short waiting period it is always the same slow participants that are too late.`,
  caption:
    'With unequal devices a short waiting period silences the same participants in every round. Under the policy of the paper (left, middle) their data never reach w; under `anytime` (right) everybody contributes in every round, and short rounds are simply faster.',
});

const regression = (heterogeneity: 'same' | 'diverse') => ({
  metric: R2,
  blind: 0,
  settingOf: (profile: Profile, seed: number) => regressionSetting(profile, seed, heterogeneity),
  horizonOf: (profile: Profile) => {
    const { rows, features } = profile.regression;
    return horizonMs(profile, (1 - TEST_FRACTION) * rows, features);
  },
});

const sizes = ({ regression: { participants, rows, features } }: Profile) =>
  `${participants} tasks of ${rows} rows and ${features} features, noise at 20 dB, 70% of the rows for training, new data in every repeat`;

export const regSame = waitingExperiment({
  ...regression('same'),
  id: 'reg-same',
  title: 'Regression, identical data, equal devices',
  paper: 'section 7.3.1',
  hardware: 'equal',
  shares: [1, 0.75, 0.45, 0.25, 0.1],
  about: (profile) =>
    `All participants have the same relation and the same distribution of features: ${sizes(profile)}.`,
  caption:
    'All participants have the same task, so one model (Global) is as good as it gets, and Local has too few rows for so many features. Waiting for fewer loses little, because all rows follow the same model.',
});

export const regData = waitingExperiment({
  ...regression('diverse'),
  id: 'reg-data',
  title: 'Regression, diverse data, equal devices',
  paper: 'section 7.3.2',
  hardware: 'equal',
  shares: [1, 0.75, 0.45, 0.25, 0.1],
  about: (profile) =>
    `Means and variances of the features differ between participants, and 30% of the energy of everybody's relation is its own: ${sizes(profile)}.`,
  caption:
    'One model for all no longer fits anybody. The personalised models keep most of what the common part can give and add their own.',
});

export const regBoth = waitingExperiment({
  ...regression('diverse'),
  id: 'reg-both',
  title: 'Regression, diverse data, unequal devices',
  paper: 'section 7.3.3',
  hardware: 'rising',
  shares: [1, 0.75, 0.45, 0.2],
  about: (profile) => `As before, with hardware factors that rise evenly from 1 to 10: ${sizes(profile)}.`,
  caption:
    'Diverse data on unequal devices: those who are always late have data that nobody else has. Under the policy of the paper their contribution is never included; under `anytime` it is.',
});
