/** What a participant needs before it says a word: its rows, a folder that is its own, and a thread that solves. */
import { inputError } from '../../base/errors.ts';
import type { Moments } from '../../math/scaling.ts';
import type { Profile } from '../../participant/state.ts';
import { schemaDigest } from '../../protocol/joining.ts';
import { parseEndpoint } from './endpoint.ts';
import { checkOptions, type JoinOptions } from './join-options.ts';
import { type OwnData, ownData } from './own-data.ts';
import { checkSame } from './participant-file.ts';
import { StateFolder } from './state-folder.ts';

/** Before the settings of the federation say otherwise. */
const RETRY_MS = 2000;

/** Refuses what cannot work before anything is touched. */
export function ownDataOf(options: JoinOptions): OwnData {
  checkOptions(options);
  const { isSecure, label } = parseEndpoint(options.url);
  if (options.tls && !isSecure)
    throw inputError('BAD_OPTION', `${label}: expected an https or wss address with certificates, got http`);
  const { data, participant, testFraction = 0, seed = 1 } = options;
  return ownData(data.table, participant, testFraction, seed);
}

export interface OwnFolder {
  /** Whoever gets it must release it. */
  readonly folder: StateFolder;
  /** Whether the rows are others than at the last start, which is to be stored yet (changed-rows.ts). */
  readonly hasChanged: boolean;
}

/** The folder of this very participant. */
export function ownFolder(options: JoinOptions, { table, digest }: OwnData): OwnFolder {
  const { participant, data, stateFolder, secure = false } = options;
  const { features } = table;
  const comer = { participant, features, schema: schemaDigest(features), rows: digest };
  const { columns } = data;
  const folder = StateFolder.open(stateFolder, { ...comer, columns });
  try {
    checkSame(stateFolder, folder.file, { ...comer, secure });
    const { rows, stored, columns: before } = folder.file;
    const hasChanged = rows !== digest && stored.session > 0;
    folder.update({ ...(!hasChanged && { rows: digest }), columns: columns ?? before });
    return { folder, hasChanged };
  } catch (error) {
    folder.release();
    throw error;
  }
}

export function profileOf(
  { participant: id, secure }: JoinOptions,
  { file }: StateFolder,
  moments: Moments,
  benchmarkMs: number,
): Profile {
  return {
    id,
    rows: moments.count,
    features: moments.mean.length,
    benchmarkMs,
    moments,
    retryMs: RETRY_MS,
    ...(secure && { secure: { secret: file.secret } }),
  };
}
