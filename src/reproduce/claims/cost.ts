/** Claims on time, operations, bytes, few data and newcomers. */
import { meanText } from '../experiments/common.ts';
import { lead } from '../experiments/data-deficit.ts';
import { timeSaved } from '../experiments/timing.ts';
import { median } from '../statistics.ts';
import { alike, atLeast, claimsOf, greater, leaning, type Part } from './claim.ts';

/** A slope this close to 1 is "in proportion". */
const SLOPE = 0.15;

function inProportion(name: string, exponent: number): Part {
  const says = Math.abs(exponent - 1) <= SLOPE ? 'yes' : 'no';
  return { says, text: `${name}: exponent ${exponent.toFixed(3)}, within ${SLOPE} of 1` };
}

const percentText = (share: number) => `${(100 * share).toFixed(1)}%`;

const onNewcomer = claimsOf('7', 'newcomer');

export const costClaims = [
  claimsOf('7.2.1', 'timing')('faster-than-mocha', {
    claim: 'MTL-SVM trains 20 tasks in less time than MOCHA, by a fifth.',
    rule: 'Time to the same balanced accuracy shorter, and the saving at least 15% (4.47 s against 5.28 s is 15% less time, not 20%), 95% over paired runs.',
    decide: (timing) => {
      const saved = timeSaved(timing.mtl, timing.mocha);
      const epoch = timeSaved(timing.mtlEpoch, timing.mochaEpoch);
      const text = `saves ${percentText(saved.mean)} [${percentText(saved.low)}, ${percentText(saved.high)}] of MOCHA's time (medians ${median(timing.mtl).toFixed(0)} and ${median(timing.mocha).toFixed(0)} ms)`;
      return {
        parts: [
          { says: saved.low > 0 ? 'yes' : saved.high < 0 ? 'no' : leaning(saved.mean > 0), text },
          {
            says: saved.low >= 0.15 ? 'yes' : saved.high < 0.15 ? 'no' : leaning(saved.mean >= 0.15),
            text: 'saves at least 15%',
          },
        ],
        note: `One epoch of one pass: saves ${percentText(epoch.mean)}.`,
      };
    },
  }),
  claimsOf('4.3', 'complexity')('cost-linear', {
    claim: 'The cost of a pass has the form L d + d + L + c, for L rows of d columns.',
    rule: `a L d + b d + c L + e fits the measured times with a median relative error of at most 10%, and time is in proportion to rows (exponent within ${SLOPE} of 1).`,
    decide: (complexity) => ({
      parts: [
        {
          says: complexity.formError <= 0.1 ? 'yes' : 'no',
          text: `median relative error ${percentText(complexity.formError)}`,
        },
        inProportion('over rows', complexity.overRows),
      ],
      note: `Over columns the exponent is ${complexity.overColumns.toFixed(2)}: with SIMD the constant cost per row dominates for short rows.`,
    }),
  }),
  claimsOf('5.3', 'complexity')('regression-doubles', {
    claim: 'Regression costs twice as much as classification, with the same growth.',
    rule: 'Measured time of a regression pass 1.6 to 2.4 times that of a classification pass (median of shapes), and the same exponent over the count within 0.15.',
    decide: (complexity) => {
      const ratio = median(complexity.ratios);
      return {
        parts: [
          {
            says: ratio >= 1.6 && ratio <= 2.4 ? 'yes' : 'no',
            text: `measured ratio ${ratio.toFixed(2)}, counted ${complexity.countedRatio.toFixed(2)}`,
          },
          {
            says:
              Math.abs(complexity.regression.exponent - complexity.classification.exponent) <= SLOPE
                ? 'yes'
                : 'no',
            text: `exponents ${complexity.regression.exponent.toFixed(2)} and ${complexity.classification.exponent.toFixed(2)}`,
          },
        ],
        note: 'With one signed dual variable instead of two, one pass is enough: the doubling is specific to the paper’s formulation.',
      };
    },
  }),
  claimsOf('7', 'cls-all')('traffic', {
    claim: 'The traffic of a participant depends only on the size of the model, not on its rows.',
    rule: 'Bytes for each participant and round, up and down, are 8 times the columns plus at most 200, in every repeat.',
    decide: ({ bytes }) => {
      const model = 8 * (bytes.features + 1);
      const part = (name: string, list: readonly number[]): Part => {
        const extra = Math.max(...list.map((value) => value - model));
        return {
          says: extra >= 0 && extra <= 200 ? 'yes' : 'no',
          text: `${name} ${Math.round(Math.max(...list))} bytes for a model of ${model}`,
        };
      };
      return { parts: [part('up', bytes.up), part('down', bytes.down)] };
    },
  }),
  claimsOf('7.2.1, 7.4 and 8', 'data-deficit')('few-rows', {
    claim: 'MTL-SVM gains most over Local where participants have few rows.',
    rule: 'Lead over Local above 0 with the second fewest rows, and above the lead with the most, 95%.',
    decide: (found) => {
      const few = lead(found, 'local', 1);
      const many = lead(found, 'local', found.rows.length - 1);
      return {
        parts: [
          atLeast(`lead with ${found.rows[1]} rows`, few, 0),
          greater(
            [`lead with ${found.rows[1]} rows`, few],
            [`with ${found.rows[found.rows.length - 1]}`, many],
          ),
        ],
      };
    },
  }),
  claimsOf('7.4', 'mask-bernoulli')('light-lead-grows', {
    claim: 'On light data the lead of MTL-SVM over Local is larger than on full data.',
    rule: 'Lead over Local without masking (default rule), light above full, 95%.',
    decide: ({ final, local }) => {
      const leads = (data: 'full' | 'light') =>
        final[data].consistent['1'].map((value, r) => value - local[data][r]);
      return { parts: [greater(['light', leads('light')], ['full', leads('full')])] };
    },
  }),
  onNewcomer('newcomer', {
    claim: 'The common model serves participants that join later, so that they need not start from zero.',
    rule: 'With the fewest rows, w alone is above training alone, and joining ends above training alone, 95%.',
    decide: (found) => ({
      parts: [
        greater(['w alone', found.cold[0]], ['alone', found.alone[0]]),
        greater(['joined', found.final[0]], ['alone', found.alone[0]]),
      ],
      note: `With ${found.rows[found.rows.length - 1]} rows: joined ${meanText(found.final[found.rows.length - 1])}, alone ${meanText(found.alone[found.rows.length - 1])}.`,
    }),
  }),
  onNewcomer('newcomer-quick', {
    claim: 'A newcomer catches up quickly.',
    rule: 'After its first round the newcomer is within 0.02 of its final balanced accuracy, with the most rows, 95%.',
    decide: (found) => {
      const last = found.rows.length - 1;
      return { parts: [alike(['first round', found.first[last]], ['end', found.final[last]], 0.02)] };
    },
  }),
];
