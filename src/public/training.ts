/** Training and tuning on a table, and how good the result is. */

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
