/** Sections 4.3 and 5.3: the paper's count of operations, against the measured time of passes over n rows of d columns. */
import { COLOURS, type Point, type Series } from '../../charts/figure.ts';
import { experiment } from '../experiment.ts';
import type { ResultOf } from '../jobs.ts';
import { estimate, median, powerLaw, relativeFit } from '../statistics.ts';

/**
 * Operations of one pass by the paper's section 4.3, all counted alike: alpha needs L (5 d + 4), w needs L (2 d + 2), v
 * needs L (2 d + 4), the end 9.
 */
function classificationOperations(L: number, d: number): number {
  return L * (5 * d + 4) + L * (2 * d + 2) + L * (2 * d + 4) + 9;
}

/** By section 5.3: two alphas of L (4 d + 4) each, w L (4 d + 2), v L (4 d + 4), the end 12 d + 7. */
function regressionOperations(L: number, d: number): number {
  return 2 * L * (4 * d + 4) + L * (4 * d + 2) + L * (4 * d + 4) + 12 * d + 7;
}

export const complexity = experiment({
  title: 'Operations counted and times measured',
  paper: 'sections 4.3 and 5.3',
  tunings: () => ({}),
  jobs: ({ shapes, shapeRepeats: repeats }) => ({
    classification: { kind: 'complexity', objective: 'classification', shapes, repeats },
    regression: { kind: 'complexity', objective: 'regression', shapes, repeats },
  }),
  outcome: (_profile, _constants, { classification, regression }) => {
    const series = [
      dots('classification', COLOURS.mtl, classification, countedBy(classificationOperations)),
      dots('regression', COLOURS.mocha, regression, countedBy(regressionOperations)),
    ];
    const findings = {
      // Of measured time over counted operations.
      classification: powerLaw(series[0].points),
      regression: powerLaw(series[1].points),
      // Median relative error of the paper's form a L d + b d + c L + e, fitted to the measured times.
      formError: formError(classification),
      // Over rows alone and over columns alone, each the mean over the other.
      overRows: sliceExponent(classification, 'd', 'n'),
      overColumns: sliceExponent(classification, 'n', 'd'),
      ratios: classification.points.map(({ passMs }, i) => regression.points[i].passMs / passMs),
      countedRatio: regressionOperations(1000, 500) / classificationOperations(1000, 500),
    };
    return {
      text: [
        'Times of one pass of the row form (SIMD kernels) from zero duals, where nearly every row moves, median of several. The formulas of the paper are for a plain implementation: what can be compared is how time grows, not the time itself.',
      ],
      figures: [
        {
          id: 'complexity',
          title: 'Measured time against counted operations',
          caption:
            'One point for each number of rows and columns. On double logarithmic axes a straight line of slope 1 is time in proportion to the count.',
          columns: 2,
          panels: [
            {
              kind: 'lines',
              title: 'all shapes',
              x: { title: 'operations by the formulas of the paper', scale: 'log' },
              y: { title: 'time of a pass, ms', scale: 'log' },
              series,
            },
            {
              kind: 'lines',
              title: 'regression to classification',
              x: { title: 'rows x columns', scale: 'log' },
              y: { title: 'ratio of times', scale: 'linear', low: 0 },
              series: [
                dots('ratio of measured times', COLOURS.paper, classification, ({ n, d }, i) => ({
                  x: n * d,
                  y: findings.ratios[i],
                })),
              ],
            },
          ],
        },
      ],
      tables: [
        {
          title: 'How time grows',
          columns: ['', 'exponent', 'share of variance explained'],
          rows: [
            ...(['classification', 'regression'] as const).map((objective) => [
              `${objective}, over the count`,
              findings[objective].exponent.toFixed(3),
              findings[objective].r2.toFixed(4),
            ]),
            [
              'classification, median relative error of a L d + b d + c L + e',
              `${(100 * findings.formError).toFixed(1)}%`,
              '',
            ],
            ['classification, over rows at fixed columns', findings.overRows.toFixed(3), ''],
            ['classification, over columns at fixed rows', findings.overColumns.toFixed(3), ''],
            ['regression to classification, counted', findings.countedRatio.toFixed(2), ''],
            ['regression to classification, measured (median)', median(findings.ratios).toFixed(2), ''],
          ],
        },
      ],
      findings,
    };
  },
});

function formError({ points }: ResultOf['complexity']): number {
  const times = points.map(({ passMs }) => passMs);
  const columns = [
    points.map(({ n, d }) => n * d),
    points.map(({ d }) => d),
    points.map(({ n }) => n),
    points.map(() => 1),
  ];
  const coefficients = relativeFit(columns, times);
  const fitted = (r: number) => coefficients.reduce((sum, c, j) => sum + c * columns[j][r], 0);
  return median(times.map((time, r) => Math.abs(fitted(r) - time) / time));
}

/** Mean exponent over `along`, with the other dimension held fixed. */
function sliceExponent({ points }: ResultOf['complexity'], fixed: 'n' | 'd', along: 'n' | 'd'): number {
  const values = [...new Set(points.map((point) => point[fixed]))];
  const exponents = values.map((value) => {
    const slice = points.filter((point) => point[fixed] === value);
    return powerLaw(slice.map((point) => ({ x: point[along], y: point.passMs }))).exponent;
  });
  return estimate(exponents).mean;
}

type Measured = ResultOf['complexity']['points'][number];

const countedBy =
  (operations: (L: number, d: number) => number) =>
  ({ n, d, passMs }: Measured) => ({ x: operations(n, d), y: passMs });

function dots(
  name: string,
  colour: string,
  { points }: ResultOf['complexity'],
  of: (point: Measured, i: number) => Point,
): Series {
  return { name, colour, shape: 'dots', points: points.map(of) };
}
