/** `kindred` wherever there is no file system; kindred.ts adds what only Node can do. */
export * from './models.ts';
export * from './tables.ts';
export * from './training.ts';

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
