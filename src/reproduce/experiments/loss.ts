/** The paper's figure 2: the loss of regression, indifferent to small errors, beside the quadratic one. */
import { COLOURS, type Point } from '../../charts/figure.ts';
import { experiment } from '../experiment.ts';

const EPSILON = 0.1;

function sampled(loss: (error: number) => number, to: number): Point[] {
  const places = 200;
  return Array.from({ length: places + 1 }, (_, i) => {
    const x = to * ((2 * i) / places - 1);
    return { x, y: loss(x) };
  });
}

const insensitive = (error: number) => Math.max(0, Math.abs(error) - EPSILON);
const quadratic = (error: number) => error * error;

export const loss = experiment({
  title: 'The two losses',
  paper: 'section 3.3',
  tunings: () => ({}),
  jobs: () => ({}),
  outcome: () => {
    const panel = (title: string, to: number) =>
      ({
        kind: 'lines',
        title,
        x: { title: 'error of the prediction', scale: 'linear', low: -to, high: to },
        y: { title: 'loss', scale: 'linear', low: 0 },
        series: [
          {
            name: `eps-insensitive, eps = ${EPSILON}`,
            colour: COLOURS.mtl,
            shape: 'line',
            points: sampled(insensitive, to),
          },
          {
            name: 'quadratic',
            colour: COLOURS.mocha,
            dash: '6 3',
            shape: 'line',
            points: sampled(quadratic, to),
          },
        ],
      }) as const;
    return {
      text: [
        'Regression uses max(0, |error| - eps): errors up to eps cost nothing, larger ones cost in proportion, so an outlier counts by its error and not by its square.',
      ],
      figures: [
        {
          id: 'loss',
          title: 'The eps-insensitive and the quadratic loss',
          caption:
            'Near zero (left) the eps-insensitive loss is flat up to 0.1; far out (right) it grows linearly where the quadratic one explodes.',
          columns: 2,
          panels: [panel('near zero', 0.5), panel('far out', 3)],
        },
      ],
      tables: [],
      findings: {},
    };
  },
});
