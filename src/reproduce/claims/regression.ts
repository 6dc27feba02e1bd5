/** Claims of section 7.3. */
import { meanText } from '../experiments/common.ts';
import { foundAt, type WaitingFindings } from '../experiments/waiting.ts';
import { estimate } from '../statistics.ts';
import { alike, atLeast, atMost, claimsOf, greater } from './claim.ts';

/** Seconds to the value that waiting for all ends with, under the paper's rule and policy. */
function faster(found: WaitingFindings, quick: string, slow: string) {
  const seconds = (share: string) => [`${share}, s`, foundAt(found, 'paper', share).reached] as const;
  return greater(seconds(slow), seconds(quick), 3);
}

function defaults(found: WaitingFindings, shares: readonly string[]): string {
  const times = shares.map(
    (share) => `${share} ${estimate(foundAt(found, 'anytime', share).reached).mean.toFixed(3)} s`,
  );
  return `Default rule and policy, time to within 0.01 of the end value of All: ${times.join(', ')}.`;
}

/** Falls of R2 that count as instability. */
const DROP = 0.02;

const onSame = claimsOf('7.3.1', 'reg-same');
const onDiverse = claimsOf('7.3.2', 'reg-data');
const onBoth = claimsOf('7.3.3', 'reg-both');

export const regressionClaims = [
  onSame('regression-45-faster', {
    claim: 'On identical data, waiting for 45% converges slightly faster than waiting for all.',
    rule: 'With the paper’s rule and policy, less time to within 0.01 of the final R² of All, 95%.',
    decide: (found) => ({
      parts: [faster(found, '45%', 'All')],
      note: defaults(found, ['All', '45%']),
    }),
  }),
  onSame('regression-25-slower', {
    claim: 'On identical data, waiting for 25% converges more slowly than waiting for 45%.',
    rule: 'With the paper’s rule and policy, more time to within 0.01 of the final R² of All, 95%.',
    decide: (found) => ({
      parts: [faster(found, '45%', '25%')],
      note: defaults(found, ['45%', '25%', '10%']),
    }),
  }),
  onSame('regression-10-unstable', {
    claim: 'On identical data, waiting for 10% is numerically unstable.',
    rule: `With the paper’s rule and policy, largest drop of R² at 10% above ${DROP}, 95%.`,
    decide: (found) => ({
      parts: [atLeast('drop', foundAt(found, 'paper', '10%').drop, DROP, 3)],
      note: `Default: drop ${meanText(foundAt(found, 'anytime', '10%').drop, 3)}.`,
    }),
  }),
  onSame('regression-all-converge', {
    claim: 'On identical data every waiting period ends at a high R².',
    rule: 'With the paper’s rule and policy, final R² of at least 0.9 at All, 45, 25 and 10%, 95%.',
    decide: (found) => ({
      parts: ['All', '45%', '25%', '10%'].map((share) =>
        atLeast(share, foundAt(found, 'paper', share).final, 0.9, 3),
      ),
      note: `Default: ${['All', '10%'].map((share) => `${share} ${meanText(foundAt(found, 'anytime', share).final, 3)}`).join(', ')}; Global ${meanText(found.global, 3)}, Local ${meanText(found.local, 3)}.`,
    }),
  }),
  onDiverse('diverse-faster', {
    claim: 'On diverse data, waiting for 45 or 25% converges faster than waiting for all.',
    rule: 'With the paper’s rule and policy, less time to within 0.01 of the final R² of All, 95%.',
    decide: (found) => ({
      parts: [faster(found, '45%', 'All'), faster(found, '25%', 'All')],
      note: defaults(found, ['All', '45%', '25%']),
    }),
  }),
  onDiverse('diverse-10-declines', {
    claim: 'On diverse data with 10% answering, R² slowly declines late in the training.',
    rule: 'With the paper’s rule and policy, R² at the end below R² at half of the time, 95%.',
    decide: (found) => ({
      parts: [atMost('change of R² in the second half', foundAt(found, 'paper', '10%').late, -0.001, 4)],
      note: `Default: ${meanText(foundAt(found, 'anytime', '10%').late)}.`,
    }),
  }),
  claimsOf(
    '7.3.2',
    'reg-same',
    'reg-data',
  )('diverse-lower', {
    claim: 'Diverse data make the result worse than identical data.',
    rule: 'Final R² of MTL-SVM with all participants answering, identical data above diverse, with the paper’s rule and with the default, 95%.',
    decide: (same, diverse) => ({
      parts: (['paper', 'anytime'] as const).map((variant) =>
        greater(
          [`identical (${variant === 'paper' ? 'sum' : 'default'})`, foundAt(same, variant, 'All').final],
          ['diverse', foundAt(diverse, variant, 'All').final],
          3,
        ),
      ),
    }),
  }),
  claimsOf('7.1 and 7.3.2', 'reg-data')('diverse-needs-personal', {
    claim: 'On diverse data one global model is not good enough; personalisation is needed.',
    rule: 'Final R² of MTL-SVM above Global and above Local on diverse data, 95%.',
    decide: (found) => ({
      parts: [
        greater(['MTL-SVM', foundAt(found, 'anytime', 'All').final], ['Global', found.global], 3),
        greater(['MTL-SVM', foundAt(found, 'anytime', 'All').final], ['Local', found.local], 3),
      ],
    }),
  }),
  onBoth('both-45-no-gain', {
    claim: 'With diverse data and devices, waiting for 45% no longer gains anything over waiting for all.',
    rule: 'With the paper’s rule and policy, time to within 0.01 of the final R² of All not shorter at 45%, 95%.',
    decide: (found) => {
      const part = faster(found, '45%', 'All');
      // No clear gain is no gain.
      const says = part.says === 'yes' ? 'no' : 'yes';
      return { parts: [{ ...part, says }], note: defaults(found, ['All', '75%', '45%', '20%']) };
    },
  }),
  onBoth('both-75-gains', {
    claim: 'With diverse data and devices, waiting for 75% still converges faster than waiting for all.',
    rule: 'With the paper’s rule and policy, less time to within 0.01 of the final R² of All, 95%.',
    decide: (found) => ({
      parts: [faster(found, '75%', 'All')],
    }),
  }),
  onBoth('both-20-worse', {
    claim: 'With diverse data and devices, waiting for 20% clearly degrades the result.',
    rule: 'With the paper’s rule and policy, final R² at 20% below that of All, 95%.',
    decide: (found) => ({
      parts: [
        greater(
          ['All', foundAt(found, 'paper', 'All').final],
          ['20%', foundAt(found, 'paper', '20%').final],
          3,
        ),
      ],
      note: `Default: All ${meanText(foundAt(found, 'anytime', 'All').final, 3)}, 20% ${meanText(foundAt(found, 'anytime', '20%').final, 3)}.`,
    }),
  }),
  claimsOf(
    '7.3.3',
    'reg-data',
    'reg-both',
  )('both-like-data', {
    claim: 'Unequal devices on top of diverse data change the final result little.',
    rule: 'Final R² with all participants answering within 0.02 of that on equal devices, paper’s rule and default, 95%.',
    decide: (data, both) => ({
      parts: (['paper', 'anytime'] as const).map((variant) =>
        alike(
          [`unequal (${variant === 'paper' ? 'sum' : 'default'})`, foundAt(both, variant, 'All').final],
          ['equal', foundAt(data, variant, 'All').final],
          0.02,
          3,
        ),
      ),
    }),
  }),
];
