/** Claims of section 7.4. */
import { meanText } from '../experiments/common.ts';
import type { MaskFindings, MaskVariant } from '../experiments/masking.ts';
import { alike, atLeast, atMost, claimsOf, greater, opposite } from './claim.ts';

type Data = 'full' | 'light';

const final = (found: MaskFindings, data: Data, variant: MaskVariant, level: number) =>
  found.final[data][variant][level];

/** What masking takes away, by repeat. */
function loss(found: MaskFindings, data: Data, variant: MaskVariant, level: number): number[] {
  const whole = final(found, data, variant, 1);
  return final(found, data, variant, level).map((value, r) => whole[r] - value);
}

function ours(found: MaskFindings, data: Data, level: number): string {
  const text = (variant: MaskVariant) => meanText(loss(found, data, variant, level));
  return `Loss on ${data} data at ${level}: the paper's semantics with the safe rule ${text('paperSafe')}, consistent semantics ${text('consistent')}.`;
}

/** A loss that shows in a figure. */
const VISIBLE = 0.01;

const onBernoulli = claimsOf('7.4', 'mask-bernoulli');
const onBeta = claimsOf('7.4', 'mask-beta');

export const maskingClaims = [
  onBernoulli('bernoulli-quarter-hurts', {
    claim: 'Bernoulli masking with p = 0.25 degrades balanced accuracy significantly.',
    rule: `As the paper has it, loss of at least ${VISIBLE} on full data, 95%.`,
    decide: (found) => ({
      parts: [atLeast('loss', loss(found, 'full', 'paper', 0.25), VISIBLE)],
      note: ours(found, 'full', 0.25),
    }),
  }),
  onBernoulli('bernoulli-half-mild', {
    claim: 'Bernoulli masking with p of 0.5 or more costs less than p = 0.25, though noticeably.',
    rule: 'As the paper has it, loss at 0.25 above those at 0.5 and 0.75, and these above 0, 95%.',
    decide: (found) => {
      const at = (level: number) => loss(found, 'full', 'paper', level);
      return {
        parts: [
          greater(['0.25', at(0.25)], ['0.5', at(0.5)]),
          greater(['0.25', at(0.25)], ['0.75', at(0.75)]),
          greater(['0.5', at(0.5)], ['none', at(1)]),
          greater(['0.75', at(0.75)], ['none', at(1)]),
        ],
        note: ours(found, 'full', 0.5),
      };
    },
  }),
  onBernoulli('bernoulli-light-hurts-more', {
    claim: 'On light data Bernoulli masking costs more than on full data.',
    rule: 'As the paper has it, loss at 0.25 on light data above that on full data, 95%.',
    decide: (found) => ({
      parts: [
        greater(['light', loss(found, 'light', 'paper', 0.25)], ['full', loss(found, 'full', 'paper', 0.25)]),
      ],
      note: ours(found, 'light', 0.25),
    }),
  }),
  onBernoulli('bernoulli-light-above-local', {
    claim: 'On light data even p = 0.25 stays above Local.',
    rule: 'As the paper has it, final balanced accuracy at 0.25 above Local on light data, 95%.',
    decide: (found) => ({
      parts: [greater(['p = 0.25', final(found, 'light', 'paper', 0.25)], ['Local', found.local.light])],
      note: `Consistent semantics with the default rule: ${greater(['p = 0.25', final(found, 'light', 'consistent', 0.25)], ['Local', found.local.light]).text}.`,
    }),
  }),
  onBeta('beta-unaffected', {
    claim: 'Beta masking hardly changes performance.',
    rule: `As the paper has it, loss of at most ${VISIBLE} at every share, on full and on light data, 95%.`,
    decide: (found) => ({
      parts: (['full', 'light'] as const).flatMap((data) =>
        [0.75, 0.5, 0.25].map((level) =>
          atMost(`${data} ${level}`, loss(found, data, 'paper', level), VISIBLE),
        ),
      ),
      note: ours(found, 'light', 0.25),
    }),
  }),
  claimsOf(
    '7.4',
    'mask-bernoulli',
    'mask-beta',
  )('beta-milder', {
    claim: 'Beta masking costs less than Bernoulli masking.',
    rule: 'As the paper has it, loss at 0.25 and at 0.5 of Bernoulli above that of Beta on full data, 95%.',
    decide: (bernoulli, beta) => ({
      parts: [0.25, 0.5].map((level) =>
        greater(
          [`Bernoulli ${level}`, loss(bernoulli, 'full', 'paper', level)],
          ['Beta', loss(beta, 'full', 'paper', level)],
        ),
      ),
    }),
  }),
  onBeta('beta-light-above-local', {
    claim: 'On light data MTL-SVM with Beta masking beats Local at every share.',
    rule: 'As the paper has it, final balanced accuracy above Local at 1, 0.75, 0.5 and 0.25, 95%.',
    decide: (found) => ({
      parts: [1, 0.75, 0.5, 0.25].map((level) =>
        greater([String(level), final(found, 'light', 'paper', level)], ['Local', found.local.light]),
      ),
      note: `Consistent semantics with the default rule at 0.25: ${greater(['MTL-SVM', final(found, 'light', 'consistent', 0.25)], ['Local', found.local.light]).text}.`,
    }),
  }),
  claimsOf(
    '6.2',
    'mask-bernoulli',
    'mask-beta',
  )('masking-converges', {
    claim: 'Masked updates distort the model: protection costs accuracy.',
    rule: 'Consistent semantics with the default rule: final balanced accuracy NOT within 0.005 of no masking at 0.25, both kinds, both data.',
    decide: (bernoulli, beta) => {
      const parts = [bernoulli, beta].flatMap((found, i) =>
        (['full', 'light'] as const).map((data) =>
          alike(
            [`${i === 0 ? 'Bernoulli' : 'Beta'} ${data}`, final(found, data, 'consistent', 0.25)],
            ['none', final(found, data, 'consistent', 1)],
            0.005,
          ),
        ),
      );
      return {
        parts: parts.map(opposite),
        note: 'If v takes the masked step too, masking costs time but no accuracy. What it protects is another question: see the audit.',
      };
    },
  }),
];
