/** How good a model is on tested rows, as pictures: confusion matrix, ROC curves, reliability of probabilities. */
import { COLOURS, type Figure, levelColour, type Panel, type Series } from '../charts/figure.ts';
import { classNames, headsOf, isMany } from '../data/labels.ts';
import { aucOf } from '../solver/chance-metrics.ts';
import { type Confusion, confusionOf } from '../solver/confusion.ts';
import { BINS, binOf, type ReliabilityBin, reliability, rocPoints } from '../solver/curves.ts';
import { fixedSigmoids } from '../solver/fixed-sigmoids.ts';
import type { Model } from '../solver/model.ts';
import type { TestedRows } from '../solver/model-metrics.ts';
import { toProbabilities } from '../solver/probabilities.ts';
import { concatenate } from '../solver/vector.ts';

const WRONG = COLOURS.mocha;
const GREY = '#8a94a0';

/** Empty for a regression, and where nothing was tested. */
export function qualityFigures(model: Model, tested: readonly TestedRows[]): Figure[] {
  if (!model.classes || tested.every(({ y }) => y.length === 0)) return [];
  const heads = headsOf(model.classes);
  const pool = pooled(model, tested);
  return [
    confusionFigure(confusionOf(model.classes, tested)),
    rocFigure(model, pool, heads),
    ...(pool.probabilities ? [reliabilityFigure(model, pool, heads)] : []),
  ];
}

/** Rows of all participants, with what is compared between them. */
interface Pool {
  readonly rows: number;
  /** Whether row i is of the class of a head. */
  isOf(head: number, i: number): boolean;
  /** Of each head, row by row. */
  readonly decisions: Float64Array;
  readonly probabilities: Float64Array | undefined;
  /** 1 / (1 + e^-decision). */
  readonly uncalibrated: Float64Array;
}

function pooled({ classes }: Model, tested: readonly TestedRows[]): Pool {
  const y = concatenate(tested.map((rows) => rows.y));
  const decisions = concatenate(tested.map((rows) => rows.decisions));
  const given = tested.map(({ probabilities }) => probabilities);
  const heads = headsOf(classes);
  return {
    rows: y.length,
    isOf: (head, i) => (heads === 1 ? y[i] > 0 : y[i] === head),
    decisions,
    probabilities: given.every((part) => part !== undefined) ? concatenate(given) : undefined,
    uncalibrated: toProbabilities(
      fixedSigmoids(heads).map(() => ({ a: 1, b: 0 })),
      decisions,
    ),
  };
}

/** Right in blue, wrong in red; a small share of errors must be seen, so that its root is drawn. */
function confusionFigure({ labels, counts }: Confusion): Figure {
  const cells = counts.map((row, i) => {
    const total = row.reduce((sum, count) => sum + count, 0);
    return row.map((count, j) => {
      const share = total > 0 ? count / total : 0;
      return {
        value: count,
        colour: i === j ? COLOURS.mtl : WRONG,
        strength: i === j ? share : Math.sqrt(share),
        lines: count === 0 ? ['0'] : [count.toLocaleString('en-US'), percentText(share)],
      };
    });
  });
  const all = counts.flat().reduce((sum, count) => sum + count, 0);
  const right = counts.reduce((sum, row, i) => sum + row[i], 0);
  return {
    id: 'confusion',
    title: `Confusion matrix: ${right.toLocaleString('en-US')} of ${all.toLocaleString('en-US')} test rows predicted correctly`,
    caption:
      'Test rows of all participants by their class and by the predicted class, with shares of the class.',
    columns: 1,
    panels: [
      {
        kind: 'heat',
        title: '',
        rows: { title: 'true class', names: labels },
        columns: { title: 'predicted class', names: labels },
        cells,
      },
    ],
  };
}

function percentText(share: number): string {
  const percent = 100 * share;
  return `${percent >= 99.95 || percent === 0 ? percent.toFixed(0) : percent.toFixed(1)}%`;
}

function rocFigure({ classes }: Model, pool: Pool, heads: number): Figure {
  const names = classNames(classes!);
  const scores = pool.probabilities ?? pool.decisions;
  const series = Array.from({ length: heads }, (_, head): Series => {
    const y = Float64Array.from({ length: pool.rows }, (_, i) => (pool.isOf(head, i) ? 1 : -1));
    const own = Float64Array.from(y, (_, i) => scores[i * heads + head]);
    const auc = aucOf(y, own);
    const name = isMany(classes) ? names[head] : names[1];
    return {
      name: `class ${name}, AUC ${auc === undefined ? '-' : aucText(auc)}`,
      colour: heads === 1 ? COLOURS.mtl : levelColour(head, heads),
      shape: 'line',
      points: rocPoints(y, own).map(({ falsePositives, truePositives }) => ({
        x: falsePositives,
        y: truePositives,
      })),
    };
  });
  return {
    id: 'roc',
    title: isMany(classes) ? 'ROC curves, each class against the others' : 'ROC curve',
    caption: `Test rows of all participants, ordered by ${pool.probabilities ? 'probability' : 'decision'}.`,
    columns: 1,
    panels: [
      {
        kind: 'lines',
        title: '',
        x: { title: 'false positive rate', scale: 'linear', low: 0, high: 1 },
        y: { title: 'true positive rate', scale: 'linear', low: 0, high: 1 },
        series: [...series, diagonal('chance')],
      },
    ],
  };
}

/** 1 only where it is 1. */
function aucText(auc: number): string {
  return auc === 1 ? '1' : Math.min(auc, 0.9999).toFixed(4);
}

function diagonal(name: string): Series {
  const points = [0, 1].map((share) => ({ x: share, y: share }));
  return { name, colour: GREY, dash: '4 3', shape: 'line', points };
}

function reliabilityFigure(model: Model, pool: Pool, heads: number): Figure {
  const happened = Array.from({ length: pool.rows * heads }, (_, at) =>
    pool.isOf(at % heads, Math.floor(at / heads)),
  );
  const after = pool.probabilities!;
  const shown = model.calibration
    ? [
        { name: 'calibrated', colour: COLOURS.mtl, probabilities: after },
        { name: 'before: 1 / (1 + e^-decision)', colour: COLOURS.local, probabilities: pool.uncalibrated },
      ]
    : [{ name: 'logistic loss', colour: COLOURS.mtl, probabilities: after }];
  const what = heads > 1 ? 'row and class' : 'row';
  const panels: Panel[] = [
    {
      kind: 'lines',
      title: 'How often it happens',
      x: { title: 'predicted probability', scale: 'linear', low: 0, high: 1 },
      y: { title: 'observed share', scale: 'linear', low: 0, high: 1 },
      series: [
        ...shown.flatMap(({ name, colour, probabilities }) =>
          curveOf(name, colour, reliability(happened, probabilities)),
        ),
        diagonal('perfectly calibrated'),
      ],
    },
    {
      kind: 'bars',
      title: 'How often it is predicted',
      y: { title: `number of predictions by probability, one for each ${what}`, scale: 'log', low: 1 },
      groups: Array.from({ length: BINS }, (_, bin) => ({
        name: `${Math.round(((bin + 0.5) * 100) / BINS)}%`,
        bars: shown.map(({ name, colour, probabilities }) => ({
          name,
          colour,
          value: probabilities.reduce((sum, p) => sum + (binOf(p) === bin ? 1 : 0), 0),
        })),
      })),
    },
  ];
  return {
    id: 'calibration',
    title: 'Calibration of probabilities',
    caption:
      'Predictions on test rows of all participants by probability: the share of them that came true, and their number.',
    columns: 2,
    panels,
    spread:
      'ten bins of probability, those with few predictions merged; whiskers: 95% interval of the share (Wilson)',
  };
}

function curveOf(name: string, colour: string, bins: readonly ReliabilityBin[]): Series[] {
  const points = bins.map(({ predicted, observed, low, high }) => ({ x: predicted, y: observed, low, high }));
  const line = points.map(({ x, y }) => ({ x, y }));
  return [
    { name, colour, shape: 'dots', points },
    { name: '', colour, shape: 'line', points: line },
  ];
}
