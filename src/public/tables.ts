/** Rows for training and prediction: read, made, described, written. */

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
