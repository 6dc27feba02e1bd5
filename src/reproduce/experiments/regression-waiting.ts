/** Section 7.3: synthetic regression with waiting periods; identical data, diverse data, diverse data and devices. */
import { horizonMs, type Profile, TEST_FRACTION } from '../profile.ts';
import { R2, regressionSetting } from './common.ts';
import { waitingExperiment } from './waiting.ts';

function regressionHorizon(profile: Profile): number {
  const { rows, features } = profile.regression;
  return horizonMs(profile, (1 - TEST_FRACTION) * rows, features);
}

const sizes = ({ regression: { participants, rows, features } }: Profile) =>
  `${participants} tasks of ${rows} rows and ${features} features, noise at 20 dB, 70% of the rows for training, new data in every repeat`;

const common = { metric: R2, blind: 0, horizonOf: regressionHorizon } as const;

export const regSame = waitingExperiment({
  ...common,
  id: 'reg-same',
  title: 'Regression, identical data, equal devices',
  paper: 'section 7.3.1',
  hardware: 'equal',
  shares: [1, 0.75, 0.45, 0.25, 0.1],
  settingOf: (profile, seed) => regressionSetting(profile, seed, 'same'),
  about: (profile) =>
    `Everybody has the same relation and the same distribution of features: ${sizes(profile)}.`,
  caption:
    'All participants have the same task, so one model (Global) is as good as it gets, and Local has too few rows for so many features. Waiting for fewer loses little, because anybody’s rows tell the same story.',
});

export const regData = waitingExperiment({
  ...common,
  id: 'reg-data',
  title: 'Regression, diverse data, equal devices',
  paper: 'section 7.3.2',
  hardware: 'equal',
  shares: [1, 0.75, 0.45, 0.25, 0.1],
  settingOf: (profile, seed) => regressionSetting(profile, seed, 'diverse'),
  about: (profile) =>
    `Means and variances of the features differ between participants, and 30% of the energy of everybody's relation is its own: ${sizes(profile)}.`,
  caption:
    'One model for all no longer fits anybody. The personalised models keep most of what the common part can give and add their own.',
});

export const regBoth = waitingExperiment({
  ...common,
  id: 'reg-both',
  title: 'Regression, diverse data, unequal devices',
  paper: 'section 7.3.3',
  hardware: 'rising',
  shares: [1, 0.75, 0.45, 0.2],
  settingOf: (profile, seed) => regressionSetting(profile, seed, 'diverse'),
  about: (profile) => `As before, with hardware factors that rise evenly from 1 to 10: ${sizes(profile)}.`,
  caption:
    'Diverse data on unequal devices: those who are always late have data that nobody else has. Under the policy of the paper their part is missing for good; under `anytime` it is not.',
});
