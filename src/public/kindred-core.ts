/** `kindred` wherever there is no file system; kindred.ts adds what only Node can do. */

/**
 * What every expected failure is thrown as: a bad file, a bad option, a bad peer. `code` is stable, `message` is one sentence that
 * says where, what was expected and what was found.
 *
 * @example
 * ```ts
 * import { KindredError, parseTable } from 'kindred';
 *
 * const error = await parseTable(new Uint8Array(), 'mine.csv').catch((error: unknown) => error);
 * if (!(error instanceof KindredError)) throw error;
 * console.log(error.code); // EMPTY_FILE
 * console.log(error.message); // mine.csv: expected CSV text, got an empty file
 * ```
 */
export { KindredError } from '../base/errors.ts';

/**
 * A table from rows that a program has, participant by participant: `x` row by row, `y` as numbers or words. Rows without `y` are to
 * be predicted.
 *
 * @example
 * ```ts
 * import { type ParticipantRows, tableFrom } from 'kindred';
 *
 * const ada: ParticipantRows = { id: 'Ada', x: [61, 36.4, 85, 37.1], y: ['calm', 'stressed'] };
 * const ben: ParticipantRows = { id: 'Ben', x: [75, 36.8, 99, 37.4], y: ['calm', 'stressed'] };
 * const table = tableFrom([ada, ben], { features: ['heart rate', 'temperature'] });
 * console.log(table.n, table.participants.join()); // 4 Ada,Ben
 * ```
 */
export { type ParticipantRows, tableFrom } from '../data/arrays.ts';

/**
 * HAR-like rows for classification from a seed: correlated features, six activities, "sitting" against the rest, people who differ.
 *
 * @example
 * ```ts
 * import { makeHarLike } from 'kindred';
 *
 * const table = makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 12, seed: 7 });
 * console.log(table.participants.length, table.features.length); // 3 12
 * ```
 */
export { makeHarLike } from '../data/generate-har.ts';

/**
 * The paper's synthetic regression from a seed: participants whose models are the same, or diverse by a given share.
 *
 * @example
 * ```ts
 * import { makeRegression } from 'kindred';
 *
 * console.log(makeRegression({ tasks: 4, rows: 10, features: 5, heterogeneity: 'diverse' }).n); // 40
 * ```
 */
export { makeRegression } from '../data/generate-regression.ts';

/**
 * Two classes that no linear model separates, from a seed: a ring around another one, elsewhere and of another size for each participant.
 *
 * @example
 * ```ts
 * import { makeRings, train } from 'kindred';
 *
 * const table = makeRings({ participants: 4, rows: 100 });
 * const linear = train(table);
 * const mapped = train(table, { c1: 10, features: 'rff:128' });
 * console.log(linear.mean.errorRate! > 0.3, mapped.mean.errorRate! < 0.1); // true true
 * ```
 */
export { makeRings } from '../data/generate-rings.ts';

/**
 * A table from the bytes of a file: CSV (also gzipped), Parquet, Arrow IPC, a NumPy array or LIBSVM text, told apart by the bytes and
 * the name. By default the participant is in the column "task", the target in "y", and every other column is a feature. Bytes may
 * come in pieces; CSV is then never in memory as a whole.
 *
 * @example
 * ```ts
 * import { type ByteSource, type ParseOptions, parseTable } from 'kindred';
 *
 * const csv = 'who,score,age,note\nAda,1,31,a\nBen,2,40,b\n';
 * const options: ParseOptions = { task: 'who', label: 'score', drop: ['note'] };
 * const table = await parseTable(new TextEncoder().encode(csv), 'scores.csv', options);
 * console.log(table.features.join(), table.targets?.join()); // age 1,2
 *
 * const pieces: ByteSource = { size: undefined, chunks: new Blob([csv]).stream() };
 * console.log((await parseTable(pieces, 'scores.csv', options)).n); // 2
 * ```
 */
export type { ByteSource } from '../data/byte-source.ts';
export { type ParseOptions, parseTable } from '../data/parse-table.ts';

/**
 * The rows of one participant as a table of their own; undefined where there is nobody of that name.
 *
 * @example
 * ```ts
 * import { makeHarLike, rowsOfParticipant } from 'kindred';
 *
 * const everybody = makeHarLike({ participants: 3, rowsPerParticipant: 20, features: 6 });
 * console.log(rowsOfParticipant(everybody, '2')?.participants.join()); // 2
 * console.log(rowsOfParticipant(everybody, 'Zoe')); // undefined
 * ```
 */
export { rowsOfParticipant } from '../data/participants.ts';

/**
 * Rows as every function here takes them: features as numbers, targets as text, and whose row it is.
 *
 * @example
 * ```ts
 * import { type Table, tableFrom } from 'kindred';
 *
 * const table: Table = tableFrom([{ id: 'Ada', x: [1, 2, 3, 4, 5, 6], y: [0, 1, 1] }]);
 * console.log(table.features.join(), table.x[2], table.targets?.[1]); // x1,x2 3 1
 * ```
 */
export type { Table } from '../data/table.ts';

/**
 * A table as CSV text in pieces; reading it back gives the same table to the bit.
 *
 * @example
 * ```ts
 * import { tableFrom, writeCsv } from 'kindred';
 *
 * const table = tableFrom([{ id: 'Ada', x: [0.5, 0.25], y: ['yes'] }]);
 * const text = [...writeCsv(table, { task: 'who' })].join('');
 * console.log(JSON.stringify(text)); // "who,y,x1,x2\nAda,yes,0.5,0.25\n"
 * ```
 */
export { writeCsv } from '../data/write-csv.ts';

/**
 * What is in a table, and what in it looks like a mistake: read it before training.
 *
 * @example
 * ```ts
 * import { describeTable, type TableDescription, tableFrom } from 'kindred';
 *
 * const table = tableFrom([{ id: 'Ada', x: [1, 7, 2, 7, 3, 7], y: ['a', 'b', 'a'] }]);
 * const description: TableDescription = describeTable(table);
 * console.log(description.rows, description.participants.rowsMax); // 3 3
 * console.log(description.suspicious.some((sentence) => sentence.includes('x2'))); // true
 * ```
 */
export { describeTable, type TableDescription } from '../methods/describe.ts';

/**
 * How good a model is on rows whose targets are known, for each participant and on average.
 *
 * @example
 * ```ts
 * import { type Evaluation, evaluate, makeHarLike, train } from 'kindred';
 *
 * const table = makeHarLike({ participants: 3, rowsPerParticipant: 60, features: 40 });
 * const { model } = train(table, { testFraction: 0 });
 * const result: Evaluation = evaluate(model, table);
 * console.log(result.participants.length, result.mean.errorRate! < 0.05); // 3 true
 * ```
 */
export { type Evaluation, evaluate } from '../methods/evaluate.ts';

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
 * Options of `train`. Everything has a default.
 *
 * @example
 * ```ts
 * import { makeRegression, type TrainOptions, train } from 'kindred';
 *
 * const options: TrainOptions = { objective: 'regression', method: 'local', c1: 10, epsilon: 0.05, seed: 3 };
 * const { method, options: used } = train(makeRegression({ tasks: 2, rows: 20, features: 3 }), options);
 * console.log(method, used.c1, used.testFraction); // local 10 0.3
 * ```
 */
export type { TrainOptions } from '../settings/training.ts';

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

/**
 * Trains on a table and tests on the rows that it kept aside. The result has the model, how good it is for everybody, and a
 * certificate of how far it is from the optimum.
 *
 * @example
 * ```ts
 * import { makeHarLike, type TrainResult, train } from 'kindred';
 *
 * const table = makeHarLike({ participants: 5, rowsPerParticipant: 100, features: 80 });
 * const result: TrainResult = train(table, { c1: 10 });
 * console.log(result.stopped, result.certificate!.relativeGap <= 1e-3); // gap true
 * console.log(result.mean.balancedAccuracy! > 0.8); // true
 * ```
 */
export { type TrainResult, train } from '../methods/train.ts';

/**
 * C1, C2, the scaling, epsilon and class weights by cross-validation inside the participants; the test rows of `train` with the same seed are never used.
 *
 * @example
 * ```ts
 * import { makeHarLike, type TuneOptions, type TuneResult, train, tune } from 'kindred';
 *
 * const table = makeHarLike({ participants: 3, rowsPerParticipant: 40, features: 12 });
 * const options: TuneOptions = { grid: { c1: [1, 10], c2: [1], scale: ['standard'] }, folds: 3 };
 * const { best, chosen }: TuneResult = tune(table, options);
 * console.log(train(table, chosen).options.c1 === best.c1); // true
 * ```
 */
export { type TuneOptions, type TuneResult, tune } from '../methods/tune.ts';

/**
 * Metrics on test rows, of one participant or as means: error rate, balanced accuracy, F1, AUC, log loss, Brier score; or R2, RMSE and the loss of a quantile.
 *
 * @example
 * ```ts
 * import { type Metrics, makeRegression, train } from 'kindred';
 *
 * const mean: Metrics = train(makeRegression({ tasks: 3, rows: 40, features: 4 }), { objective: 'regression' }).mean;
 * console.log(mean.r2! > 0.9, mean.rmse! > 0, mean.errorRate); // true true undefined
 * ```
 */
export type { Metrics } from '../solver/metrics.ts';
