/** `kindred`: train, tune, predict, evaluate, personalise, and the data for it. */
export * from './kindred-core.ts';

/**
 * A table from a file: CSV (also gzipped), Parquet, LIBSVM text, or the UCI HAR folder as distributed. The same defaults and the same
 * errors as `kindred train`. In Node only; elsewhere `parseTable` takes the bytes.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { makeHarLike, type ReadOptions, readTable, writeCsv } from 'kindred';
 *
 * const made = makeHarLike({ participants: 2, rowsPerParticipant: 10, features: 3 });
 * writeFileSync('har.csv', [...writeCsv(made)].join(''));
 * console.log((await readTable('har.csv')).n === made.n); // true
 * const options: ReadOptions = { drop: ['x1'] };
 * console.log((await readTable('har.csv', options)).features.join()); // x2,x3
 * ```
 */
export { type ReadOptions, readTable } from '../node/files/read-table.ts';
