/**
 * ONNX: raw rows in, plain tensors out, in double precision, by operators of the core set alone. N rows, d features, H heads, K participants.
 *
 *   x [N, d]                         raw features in the order of the metadata `features`
 *   participant [N] (int64)          only where the file holds several models: an index into `participants`; K, or any negative number: a newcomer,
 *                                    served by the shared part. A model that cannot serve newcomers makes the runtime refuse the index
 *   decision [N, H], label [N]       label (int64) is an index into `classes`; of two classes there is one decision, above 0: label 1
 *   probability [N]                  of the positive class; of many classes probabilities [N, H]. Only where the model has them
 *   prediction [N]                   of a regression, in the units of the target
 *
 * One model is Gemm(x, coef', intercept). Several are gathered by participant, [N, H, d] x [N, d, 1], which takes N H d numbers at a time.
 */
import { inputError } from '../base/errors.ts';
import type { Exported, OneModel } from './exported.ts';
import { type Constant, type Graph, INT64, type Node, onnxBytes, type Port } from './onnx-graph.ts';

/** Protocol Buffers end at 2 GiB; names and nodes need some of it. */
const MOST_BYTES = 2 ** 31 - 2 ** 24;

type Part = Pick<Graph, 'nodes' | 'constants' | 'inputs'>;

export function onnxFile(exported: Exported): Uint8Array {
  const { features, classes, models, objective } = exported;
  const heads = models[0].heads.length;
  const size = 8 * models.length * heads * (features.length + 1);
  if (size > MOST_BYTES)
    throw inputError(
      'EXPORT_TOO_LARGE',
      `export: expected at most 2 GiB in an ONNX file, got ${models.length} models of ${heads} x ${features.length} weights; --each writes one file for each participant`,
    );
  const decisions = models.length === 1 ? oneModel(models[0]) : severalModels(models);
  const result = classes ? withChances(labelled(heads), models) : predicted();
  return onnxBytes({
    name: 'kindred',
    about: `Kindred: ${objective}, linear in ${features.length} raw features; scaling is folded into the weights.`,
    nodes: [...decisions.nodes, ...result.nodes],
    constants: [...decisions.constants, ...result.constants],
    inputs: [{ name: 'x', type: 'double', shape: ['N', features.length] }, ...decisions.inputs],
    outputs: result.outputs,
    metadata: metadataOf(exported),
  });
}

/** Lists as JSON: names may contain anything. */
function metadataOf({ features, classes, models, objective }: Exported): Record<string, string> {
  const participants = models.flatMap(({ participant }) => participant ?? []);
  return {
    objective,
    features: JSON.stringify(features),
    ...(classes && { classes: JSON.stringify(classes) }),
    participants: JSON.stringify(participants),
    newcomers: models.at(-1)?.participant === undefined ? 'shared part' : 'refused',
  };
}

function oneModel({ heads }: OneModel): Part {
  return {
    nodes: [
      {
        operator: 'Gemm',
        inputs: ['x', 'coef', 'intercept'],
        output: 'decision',
        attributes: { transB: 1 },
      },
    ],
    constants: [
      { name: 'coef', shape: [heads.length, heads[0].coef.length], values: coefOf([{ heads }]) },
      { name: 'intercept', shape: [heads.length], values: interceptsOf([{ heads }]) },
    ],
    inputs: [],
  };
}

function severalModels(models: readonly OneModel[]): Part {
  const [{ heads }] = models;
  const participants = models.filter(({ participant }) => participant !== undefined).length;
  const node = (operator: string, output: string, ...inputs: readonly string[]): Node => ({
    operator,
    inputs,
    output,
  });
  return {
    nodes: [
      // Gather counts negative indices from the end: somebody unknown must not get the model of the last participant.
      node('Less', 'unknown', 'participant', 'zero'),
      node('Where', 'index', 'unknown', 'newcomer', 'participant'),
      node('Gather', 'own_coef', 'coef', 'index'),
      node('Gather', 'own_intercept', 'intercept', 'index'),
      node('Unsqueeze', 'column', 'x', 'last_axis'),
      node('MatMul', 'products', 'own_coef', 'column'),
      node('Squeeze', 'product', 'products', 'last_axis'),
      node('Add', 'decision', 'product', 'own_intercept'),
    ],
    constants: [
      {
        name: 'coef',
        shape: [models.length, heads.length, heads[0].coef.length],
        values: coefOf(models),
      },
      { name: 'intercept', shape: [models.length, heads.length], values: interceptsOf(models) },
      { name: 'zero', shape: [], values: BigInt64Array.of(0n) },
      { name: 'newcomer', shape: [], values: BigInt64Array.of(BigInt(participants)) },
      { name: 'last_axis', shape: [1], values: BigInt64Array.of(2n) },
    ],
    inputs: [{ name: 'participant', type: 'int64', shape: ['N'] }],
  };
}

type Result = Pick<Graph, 'nodes' | 'outputs'> & { readonly constants: readonly Constant[] };

/** Of equal decisions the first wins, as in `predict`. */
function labelled(heads: number): Result {
  const outputs: Port[] = [
    { name: 'decision', type: 'double', shape: ['N', heads] },
    { name: 'label', type: 'int64', shape: ['N'] },
  ];
  if (heads > 1) {
    const attributes = { axis: 1, keepdims: 0 };
    return {
      nodes: [{ operator: 'ArgMax', inputs: ['decision'], output: 'label', attributes }],
      constants: [],
      outputs,
    };
  }
  return {
    nodes: [
      squeezed('decision', 'margin'),
      { operator: 'Greater', inputs: ['margin', 'no_margin'], output: 'is_positive' },
      { operator: 'Cast', inputs: ['is_positive'], output: 'label', attributes: { to: INT64 } },
    ],
    constants: [SECOND_AXIS, { name: 'no_margin', shape: [], values: Float64Array.of(0) }],
    outputs,
  };
}

function predicted(): Result {
  return {
    nodes: [squeezed('decision', 'prediction')],
    constants: [SECOND_AXIS],
    outputs: [{ name: 'prediction', type: 'double', shape: ['N'] }],
  };
}

const SECOND_AXIS: Constant = { name: 'second_axis', shape: [1], values: BigInt64Array.of(1n) };

function squeezed(from: string, output: string): Node {
  return { operator: 'Squeeze', inputs: [from, SECOND_AXIS.name], output };
}

/** sigmoid(a decision + b) of each head; of many classes divided by their sum. */
function withChances(result: Result, models: readonly OneModel[]): Result {
  const heads = models[0].heads.length;
  const sigmoids = models.flatMap((model) => model.sigmoids ?? []);
  if (sigmoids.length === 0) return result;
  const isOne = models.length === 1;
  const own = (name: string): Node[] =>
    isOne ? [] : [{ operator: 'Gather', inputs: [name, 'index'], output: `own_${name}` }];
  const ownName = (name: string) => (isOne ? name : `own_${name}`);
  const shape = isOne ? [heads] : [models.length, heads];
  const [output, last] =
    heads === 1
      ? [
          { name: 'probability', type: 'double', shape: ['N'] } as const,
          [squeezed('head_probability', 'probability')],
        ]
      : [{ name: 'probabilities', type: 'double', shape: ['N', heads] } as const, [...SHARES]];
  return {
    nodes: [
      ...result.nodes,
      ...own('slope'),
      ...own('offset'),
      { operator: 'Mul', inputs: ['decision', ownName('slope')], output: 'steepened' },
      { operator: 'Add', inputs: ['steepened', ownName('offset')], output: 'log_odds' },
      { operator: 'Sigmoid', inputs: ['log_odds'], output: 'head_probability' },
      ...last,
    ],
    constants: [
      ...result.constants,
      { name: 'slope', shape, values: Float64Array.from(sigmoids, ({ a }) => a) },
      { name: 'offset', shape, values: Float64Array.from(sigmoids, ({ b }) => b) },
      ...(heads > 1 ? [SECOND_AXIS] : []),
    ],
    outputs: [...result.outputs, output],
  };
}

const SHARES: readonly Node[] = [
  { operator: 'ReduceSum', inputs: ['head_probability', SECOND_AXIS.name], output: 'total_probability' },
  { operator: 'Div', inputs: ['head_probability', 'total_probability'], output: 'probabilities' },
];

type Heads = Pick<OneModel, 'heads'>;

function coefOf(models: readonly Heads[]): Float64Array {
  const rows = models.flatMap(({ heads }) => heads.map(({ coef }) => coef));
  const all = new Float64Array(rows.length * rows[0].length);
  for (const [r, row] of rows.entries()) all.set(row, r * row.length);
  return all;
}

function interceptsOf(models: readonly Heads[]): Float64Array {
  return Float64Array.from(models.flatMap(({ heads }) => heads.map(({ intercept }) => intercept)));
}
