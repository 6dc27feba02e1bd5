/**
 * Weights as CSV, one line for each participant and head: whose (empty: the shared part), which class, the intercept, a weight for each raw feature.
 * decision = intercept + sum of weight x feature; of two classes the decision speaks for `class` above 0 and for `otherwise` else, of many the class
 * with the largest decision wins, and for a regression it is the prediction.
 */
import { cell } from '../data/csv-cell.ts';
import type { Exported } from './exported.ts';

export function coefficientsCsv({ features, classes, models }: Exported): string {
  const isTwo = classes !== undefined && models[0].heads.length === 1;
  const titles = [
    'participant',
    ...(classes ? ['class'] : []),
    ...(isTwo ? ['otherwise'] : []),
    'intercept',
    ...features,
  ];
  const lines = models.flatMap(({ participant = '', heads }) =>
    heads.map(({ coef, intercept }, h) => {
      const names = !classes ? [] : isTwo ? [classes[1], classes[0]] : [classes[h]];
      return [...[participant, ...names].map(cell), intercept, ...coef].join(',');
    }),
  );
  return `${[titles.map(cell).join(','), ...lines].join('\n')}\n`;
}
