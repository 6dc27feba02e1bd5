/** Claims of section 7.3. */
import { meanText } from '../experiments/common.ts';
import { foundAt, type VariantName, type WaitingFindings } from '../experiments/waiting.ts';
import { estimate } from '../statistics.ts';
import { alike, atLeast, atMost, claim, greater } from './claim.ts';

/** Seconds to the value that waiting for all ends with. */
function faster(found: WaitingFindings, variant: VariantName, quick: string, slow: string) {
  return greater(
    [`${slow}, s`, foundAt(found, variant, slow).reached],
    [`${quick}, s`, foundAt(found, variant, quick).reached],
    3,
  );
}

function defaults(found: WaitingFindings, shares: readonly string[]): string {
  const times = shares.map(
    (share) => `${share} ${estimate(foundAt(found, 'anytime', share).reached).mean.toFixed(3)} s`,
  );
  return `Default rule and policy, time to within 0.01 of the end value of All: ${times.join(', ')}.`;
}

/** Falls of R2 that count as instability. */
const DROP = 0.02;

export const regressionClaims = [
  claim({
    id: 'regression-45-faster',
    section: '7.3.1',
    claim: 'On identical data, waiting for 45% converges slightly faster than waiting for all.',
    rule: 'With the paper’s rule and policy, less time to within 0.01 of the final R² of All, 95%.',
    needs: ['reg-same'],
    decide: ({ 'reg-same': found }) => ({
      parts: [faster(found, 'paper', '45%', 'All')],
      note: defaults(found, ['All', '45%']),
    }),
  }),
  claim({
    id: 'regression-25-slower',
    section: '7.3.1',
    claim: 'On identical data, waiting for 25% converges more slowly than waiting for 45%.',
    rule: 'With the paper’s rule and policy, more time to within 0.01 of the final R² of All, 95%.',
    needs: ['reg-same'],
    decide: ({ 'reg-same': found }) => ({
      parts: [faster(found, 'paper', '45%', '25%')],
      note: defaults(found, ['45%', '25%', '10%']),
    }),
  }),
  claim({
    id: 'regression-10-unstable',
    section: '7.3.1',
    claim: 'On identical data, waiting for 10% is numerically unstable.',
    rule: `With the paper’s rule and policy, largest drop of R² at 10% above ${DROP}, 95%.`,
    needs: ['reg-same'],
    decide: ({ 'reg-same': found }) => ({
      parts: [atLeast('drop', foundAt(found, 'paper', '10%').drop, DROP, 3)],
      note: `Default: drop ${meanText(foundAt(found, 'anytime', '10%').drop, 3)}.`,
    }),
  }),
  claim({
    id: 'regression-all-converge',
    section: '7.3.1',
    claim: 'On identical data every waiting period ends at a high R².',
    rule: 'With the paper’s rule and policy, final R² of at least 0.9 at All, 45, 25 and 10%, 95%.',
    needs: ['reg-same'],
    decide: ({ 'reg-same': found }) => ({
      parts: ['All', '45%', '25%', '10%'].map((share) =>
        atLeast(share, foundAt(found, 'paper', share).final, 0.9, 3),
      ),
      note: `Default: ${['All', '10%'].map((share) => `${share} ${meanText(foundAt(found, 'anytime', share).final, 3)}`).join(', ')}; Global ${meanText(found.global, 3)}, Local ${meanText(found.local, 3)}.`,
    }),
  }),
  claim({
    id: 'diverse-faster',
    section: '7.3.2',
    claim: 'On diverse data, waiting for 45 or 25% converges faster than waiting for all.',
    rule: 'With the paper’s rule and policy, less time to within 0.01 of the final R² of All, 95%.',
    needs: ['reg-data'],
    decide: ({ 'reg-data': found }) => ({
      parts: [faster(found, 'paper', '45%', 'All'), faster(found, 'paper', '25%', 'All')],
      note: defaults(found, ['All', '45%', '25%']),
    }),
  }),
  claim({
    id: 'diverse-10-declines',
    section: '7.3.2',
    claim: 'On diverse data with 10% answering, R² slowly declines late in the training.',
    rule: 'With the paper’s rule and policy, R² at the end below R² at half of the time, 95%.',
    needs: ['reg-data'],
    decide: ({ 'reg-data': found }) => ({
      parts: [atMost('change of R² in the second half', foundAt(found, 'paper', '10%').late, -0.001, 4)],
      note: `Default: ${meanText(foundAt(found, 'anytime', '10%').late)}.`,
    }),
  }),
  claim({
    id: 'diverse-lower',
    section: '7.3.2',
    claim: 'Diverse data make the result worse than identical data.',
    rule: 'Final R² of MTL-SVM with everybody answering, identical data above diverse, with the paper’s rule and with the default, 95%.',
    needs: ['reg-same', 'reg-data'],
    decide: ({ 'reg-same': same, 'reg-data': diverse }) => ({
      parts: (['paper', 'anytime'] as const).map((variant) =>
        greater(
          [`identical (${variant === 'paper' ? 'sum' : 'default'})`, foundAt(same, variant, 'All').final],
          ['diverse', foundAt(diverse, variant, 'All').final],
          3,
        ),
      ),
    }),
  }),
  claim({
    id: 'diverse-needs-personal',
    section: '7.1 and 7.3.2',
    claim: 'On diverse data one global model is not good enough; personalisation is needed.',
    rule: 'Final R² of MTL-SVM above Global and above Local on diverse data, 95%.',
    needs: ['reg-data'],
    decide: ({ 'reg-data': found }) => ({
      parts: [
        greater(['MTL-SVM', foundAt(found, 'anytime', 'All').final], ['Global', found.global], 3),
        greater(['MTL-SVM', foundAt(found, 'anytime', 'All').final], ['Local', found.local], 3),
      ],
    }),
  }),
  claim({
    id: 'both-45-no-gain',
    section: '7.3.3',
    claim: 'With diverse data and devices, waiting for 45% no longer gains anything over waiting for all.',
    rule: 'With the paper’s rule and policy, time to within 0.01 of the final R² of All not shorter at 45%, 95%.',
    needs: ['reg-both'],
    decide: ({ 'reg-both': found }) => {
      const part = faster(found, 'paper', '45%', 'All');
      // No clear gain is no gain.
      const says = part.says === 'yes' ? 'no' : 'yes';
      return { parts: [{ ...part, says }], note: defaults(found, ['All', '75%', '45%', '20%']) };
    },
  }),
  claim({
    id: 'both-75-gains',
    section: '7.3.3',
    claim: 'With diverse data and devices, waiting for 75% still converges faster than waiting for all.',
    rule: 'With the paper’s rule and policy, less time to within 0.01 of the final R² of All, 95%.',
    needs: ['reg-both'],
    decide: ({ 'reg-both': found }) => ({
      parts: [faster(found, 'paper', '75%', 'All')],
    }),
  }),
  claim({
    id: 'both-20-worse',
    section: '7.3.3',
    claim: 'With diverse data and devices, waiting for 20% clearly degrades the result.',
    rule: 'With the paper’s rule and policy, final R² at 20% below that of All, 95%.',
    needs: ['reg-both'],
    decide: ({ 'reg-both': found }) => ({
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
  claim({
    id: 'both-like-data',
    section: '7.3.3',
    claim: 'Unequal devices on top of diverse data change the final result little.',
    rule: 'Final R² with everybody answering within 0.02 of that on equal devices, paper’s rule and default, 95%.',
    needs: ['reg-data', 'reg-both'],
    decide: ({ 'reg-data': data, 'reg-both': both }) => ({
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
] as const;
