/** Claims of section 7.2. */
import { estimateText, meanText } from '../experiments/common.ts';
import { foundAt, type VariantName, type WaitingFindings } from '../experiments/waiting.ts';
import { apart, estimate } from '../statistics.ts';
import { alike, atLeast, atMost, claimsOf, greater, leaning, type Part } from './claim.ts';

/** Falls below this are not seen in a figure. */
const DROP = 0.02;

function drops(found: WaitingFindings, share: string): string {
  const text = (variant: VariantName) => estimate(foundAt(found, variant, share).drop).mean.toFixed(3);
  return `Largest drop at ${share}: the paper's rule ${text('paper')}, answers with restart ${text('restart')}, default ${text('anytime')}.`;
}

const onAll = claimsOf('7.2.1', 'cls-all');
const onStragglers = claimsOf('7.2.2', 'cls-stragglers');
const onHardware = claimsOf('7.2.3', 'cls-hardware');

export const classificationClaims = [
  onAll('mtl-best', {
    claim: 'With all participants answering, MTL-SVM classifies better than Local, Global and MOCHA.',
    rule: 'Final balanced accuracy of MTL-SVM above that of each other method, paired over repeats, 95%.',
    decide: ({ methods }) => ({
      parts: (['local', 'global', 'mocha'] as const).map((other) =>
        greater(['MTL-SVM', methods.mtl.final], [other === 'mocha' ? 'MOCHA' : other, methods[other].final]),
      ),
      note: `With the paper's own rule (sum, tuned) ${meanText(methods.paper.final)}.`,
    }),
  }),
  onAll('order', {
    claim: 'The order is MTL-SVM, then Local, then Global, clearly apart.',
    rule: '95% intervals of the three means do not overlap, in this order.',
    decide: ({ methods }) => {
      const found = {
        mtl: estimate(methods.mtl.final),
        local: estimate(methods.local.final),
        global: estimate(methods.global.final),
      };
      const pair = (a: keyof typeof found, b: keyof typeof found): Part => {
        const text = `${a} ${estimateText(found[a])}, ${b} ${estimateText(found[b])}`;
        const above = found[a].mean > found[b].mean;
        if (!apart(found[a], found[b])) return { says: leaning(above), text };
        return { says: above ? 'yes' : 'no', text };
      };
      return { parts: [pair('mtl', 'local'), pair('local', 'global')] };
    },
  }),
  onAll('global-lowest', {
    claim: 'One model for all participants does worst.',
    rule: 'Final balanced accuracy of every other method above that of Global, 95%.',
    decide: ({ methods }) => ({
      parts: (['mtl', 'local', 'mocha'] as const).map((other) =>
        greater([other, methods[other].final], ['Global', methods.global.final]),
      ),
    }),
  }),
  onAll('local-comparable', {
    claim: 'With all rows, Local comes close to MTL-SVM.',
    rule: 'Final balanced accuracies within 0.02 of each other, 95%.',
    decide: ({ methods }) => ({
      parts: [alike(['MTL-SVM', methods.mtl.final], ['Local', methods.local.final], 0.02)],
    }),
  }),
  onAll('fast-convergence', {
    claim: 'MTL-SVM converges quickly, in particular faster than MOCHA.',
    rule: 'Less virtual time than MOCHA until within 0.005 of the own final value, and more balanced accuracy on average over the first quarter of the time, both 95%.',
    decide: ({ methods }) => ({
      parts: [
        greater(['MOCHA, s', methods.mocha.settled], ['MTL-SVM, s', methods.mtl.settled], 3),
        greater(['MTL-SVM early', methods.mtl.early], ['MOCHA early', methods.mocha.early]),
      ],
    }),
  }),
  claimsOf('4.2 and 6.2', 'cls-all')('sum-converges', {
    claim: 'Adding up the updates of all participants gives an iteration that converges.',
    rule: 'With tuned constants and with C1 = C2 = 1 the paper’s rule ends above a balanced accuracy of 0.9, 95%.',
    decide: ({ methods, untuned }) => ({
      parts: [atLeast('tuned', methods.paper.final, 0.9), atLeast('C1 = C2 = 1', untuned.final, 0.9)],
      note: 'Adding up is safe only with a small C2 (below about 1 / K): tuning finds such constants. The default rule has no such restriction.',
    }),
  }),
  onStragglers('waiting-less-starts-faster', {
    claim: 'Waiting for fewer participants speeds up the beginning, because rounds are shorter.',
    rule: 'Mean balanced accuracy over the first tenth of the time above that of waiting for all, at 75, 45 and 25%, with the paper’s rule and policy, 95%.',
    decide: (found) => {
      const early = (variant: VariantName, share: string) => foundAt(found, variant, share).early;
      return {
        parts: ['75%', '45%', '25%'].map((share) =>
          greater([share, early('paper', share)], ['All', early('paper', 'All')], 3),
        ),
        note: `Default rule and policy at 25%: ${greater(['25%', early('anytime', '25%')], ['All', early('anytime', 'All')], 3).text}.`,
      };
    },
  }),
  onStragglers('ten-percent-unstable', {
    claim: 'With 10% answering, training is unstable and falls to the level of one global model.',
    rule: `With the paper’s rule and policy at 10%: largest drop above ${DROP}, and final balanced accuracy at most 0.01 above Global, 95%.`,
    decide: (found) => {
      const ten = foundAt(found, 'paper', '10%');
      const above = ten.final.map((value, r) => value - found.global[r]);
      return {
        parts: [atLeast('drop', ten.drop, DROP, 3), atMost('above Global by', above, 0.01)],
        note: `${drops(found, '10%')} Final at 10%, default: ${meanText(foundAt(found, 'anytime', '10%').final)}, Global ${meanText(found.global)}.`,
      };
    },
  }),
  onHardware('hardware-twenty-fast-unstable', {
    claim: 'On unequal devices, 20% answering is faster at the beginning but less stable.',
    rule: `With the paper’s rule and policy: early balanced accuracy at 20% above that of All, and larger drops than All by more than noise, 95%.`,
    decide: (found) => {
      const [twenty, all] = [foundAt(found, 'paper', '20%'), foundAt(found, 'paper', 'All')];
      return {
        parts: [
          greater(['20% early', twenty.early], ['All', all.early], 3),
          greater(['drop at 20%', twenty.drop], ['All', all.drop], 3),
        ],
        note: drops(found, '20%'),
      };
    },
  }),
  onHardware('hardware-same-end', {
    claim: 'On unequal devices the final balanced accuracy is about the same for any share of answers.',
    rule: 'With the paper’s rule and policy, 75, 45 and 20% end within 0.01 of All, 95%.',
    decide: (found) => {
      const ends = (variant: VariantName) =>
        ['75%', '45%', '20%'].map((share) =>
          alike(
            [share, foundAt(found, variant, share).final],
            ['All', foundAt(found, variant, 'All').final],
            0.01,
          ),
        );
      const defaults = ends('anytime').map((part) => part.text);
      return { parts: ends('paper'), note: `Default: ${defaults.join('; ')}.` };
    },
  }),
  onHardware('hardware-more-is-steadier', {
    claim: 'The more participants answer, the more stable the training.',
    rule: 'With the paper’s rule and policy the largest drop at 20% is above that at 45%, and that above the one at 75%, 95%.',
    decide: (found) => {
      const drop = (share: string) => [share, foundAt(found, 'paper', share).drop] as const;
      return { parts: [greater(drop('20%'), drop('45%'), 3), greater(drop('45%'), drop('75%'), 3)] };
    },
  }),
  claimsOf(
    '7.2.3',
    'cls-stragglers',
    'cls-hardware',
  )('hardware-slightly-higher', {
    claim: 'With stragglers, unequal devices end slightly higher than equal ones.',
    rule: 'With the paper’s rule and policy, final balanced accuracy at 45% on unequal devices above that on equal ones, 95%.',
    decide: (equal, unequal) => ({
      parts: [
        greater(
          ['unequal', foundAt(unequal, 'paper', '45%').final],
          ['equal', foundAt(equal, 'paper', '45%').final],
        ),
      ],
    }),
  }),
];
