/** What a trained model is for: predictions, personal parts, explanations, files of this and of other tools. */

/**
 * What a model is made of: for each feature what is shared and what is personal, for each participant how much of its model is its own. Weights are
 * standardised: changes of the decision when a feature rises by one standard deviation; rows tell how much features vary where the scaling does not.
 *
 * @example
 * ```ts
 * import { type Explanation, explain, makeHarLike, train } from 'kindred';
 *
 * const { model } = train(makeHarLike({ participants: 3, rowsPerParticipant: 60, features: 12 }));
 * const explanation: Explanation = explain(model);
 * console.log(explanation.unit, explanation.participants.length); // standard deviation 3
 * const [strongest] = explanation.heads[0].features;
 * console.log(strongest.low <= strongest.high, explanation.participants[0].personalShare > 0); // true true
 * ```
 */
export { type Explanation, explain } from '../explain/explain.ts';

/**
 * What speaks for the prediction of a row, counted from 1, and what against it: `base` and all contributions add up to the decision; of
 * many classes, to the lead of the predicted one over the runner-up.
 *
 * @example
 * ```ts
 * import { explainRow, makeHarLike, type RowExplanation, train } from 'kindred';
 *
 * const table = makeHarLike({ participants: 3, rowsPerParticipant: 60, features: 12 });
 * const explained: RowExplanation = explainRow(train(table).model, table, 5);
 * const sum = explained.contributions.reduce((total, { contribution }) => total + contribution, explained.base);
 * console.log(Math.abs(sum - explained.decision) < 1e-12, explained.contributions.length); // true 12
 * ```
 */
export { explainRow, type RowExplanation } from '../explain/explain-row.ts';

/**
 * A model for other tools: 'onnx', 'liblinear', 'csv' or 'sklearn', for all participants, for one, or the shared part alone. Files take raw rows: the
 * scaling is folded into the weights. The first file is the model; LIBLINEAR may have a second one with the names of the classes.
 *
 * @example
 * ```ts
 * import { exportModel, makeHarLike, train } from 'kindred';
 *
 * const { model } = train(makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 4 }));
 * const [onnx] = exportModel(model, 'onnx');
 * console.log(onnx.bytes.length > 500); // true
 * const [csv] = exportModel(model, 'csv', { participant: '2' });
 * console.log(new TextDecoder().decode(csv.bytes).split('\n')[0]); // participant,class,otherwise,intercept,x1,x2,x3,x4
 * ```
 */
export { exportModel } from '../export/export-model.ts';

/**
 * A linear model from the text of a file, for `train` to start from: a model of Kindred, LIBLINEAR text, or weights as CSV. Features and
 * classes are found by name, raw units become those of the training.
 *
 * @example
 * ```ts
 * import { type LinearModel, makeHarLike, modelToJson, parseLinear, train } from 'kindred';
 *
 * const table = makeHarLike({ participants: 5, rowsPerParticipant: 100, features: 80 });
 * const first = train(table, { c1: 10 });
 * const start: LinearModel = parseLinear(modelToJson(first.model), 'model.json');
 * console.log(train(table, { c1: 10 }, { start }).rounds < first.rounds); // true
 * ```
 */
export { parseLinear } from '../export/read-linear.ts';
export type { LinearModel } from '../solver/linear-model.ts';

/**
 * A trained model: the shared part `w`, everybody's personal part, and all that is needed to use them on raw rows. `modelFor` gives
 * one participant's weights, `modelToJson` and `modelFromJson` write and read the model file.
 *
 * @example
 * ```ts
 * import { type Model, makeHarLike, modelFor, modelFromJson, modelToJson, train } from 'kindred';
 *
 * const model: Model = train(makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 8 })).model;
 * console.log(modelFor(model, '2').length, model.features.length); // 9 8
 * const text = modelToJson(model);
 * console.log(modelToJson(modelFromJson(text, 'model.json')) === text); // true
 * ```
 */
export { modelFromJson, modelToJson } from '../methods/model.ts';
export { type Model, modelFor } from '../solver/model.ts';

/**
 * A personal part for each participant of a table, for a given model: newcomers and new rows need no training with the others.
 *
 * @example
 * ```ts
 * import { makeHarLike, type PersonaliseResult, personalise, rowsOfParticipant, train } from 'kindred';
 *
 * const everybody = makeHarLike({ participants: 4, rowsPerParticipant: 60, features: 30 });
 * const { model } = train(everybody, { participants: 3 });
 * const result: PersonaliseResult = personalise(model, rowsOfParticipant(everybody, '4')!);
 * console.log(result.participants[0].part, result.model.personal.size); // added 4
 * ```
 */
export { type PersonaliseResult, personalise } from '../methods/personalise.ts';

/**
 * Options of `personalise`; what is not given is as in the model's training.
 *
 * @example
 * ```ts
 * import { makeHarLike, type PersonaliseOptions, personalise, train } from 'kindred';
 *
 * const table = makeHarLike({ participants: 2, rowsPerParticipant: 40, features: 10 });
 * const options: PersonaliseOptions = { c2: 0.5, testFraction: 0.5 };
 * console.log(personalise(train(table).model, table, options).options.c2); // 0.5
 * ```
 */
export type { PersonaliseOptions } from '../settings/training.ts';

/**
 * Predictions row by row: the class in the words of the training data, or the number, and the decision behind it. Participants that
 * the model does not know are served by the shared part. Takes a table, or rows of one participant as arrays with the features in the
 * order of `model.features`; without the participant's name they are served by the shared part, too.
 *
 * @example
 * ```ts
 * import { type Prediction, predict, tableFrom, train } from 'kindred';
 *
 * const known = tableFrom([{ id: 'Ada', x: [1, 2, 8, 9], y: ['low', 'low', 'high', 'high'] }]);
 * const { model } = train(known, { positive: 'high', testFraction: 0, c1: 100 });
 * const [first, second]: Prediction[] = predict(model, [[0], [10]], 'Ada');
 * console.log(first.prediction, second.prediction, second.decision > 0); // low high true
 * const table = tableFrom([{ id: 'Ada', x: [0, 10] }], { features: ['x1'] });
 * console.log(predict(model, table)[0].decision === first.decision); // true
 * ```
 */
export { type Prediction, predict } from '../methods/predict.ts';

/**
 * What `predict` may be asked for: probabilities (of models trained with `probabilities` or the logistic loss), and a threshold on them.
 *
 * @example
 * ```ts
 * import { makeHarLike, type PredictOptions, predict, train } from 'kindred';
 *
 * const table = makeHarLike({ participants: 3, rowsPerParticipant: 60, features: 40 });
 * const { model } = train(table, { probabilities: true });
 * const options: PredictOptions = { probabilities: true, threshold: 0.9 };
 * const [{ probability, prediction }] = predict(model, table, '', options);
 * console.log(prediction === '1', probability! >= 0.9); // false false
 * ```
 */
export type { PredictOptions } from '../methods/predict.ts';
