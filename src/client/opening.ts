/**
 * What a participant does before it connects: it opens its state, and fits its model to rows that have changed since the last start.
 *
 * Training by answers goes on with changed rows. The participant keeps its keys, its session count, its last accepted contribution and w;
 * the duals of that contribution, which belong to the rows before, are dropped, and so is an answer of which nobody knows whether it was accepted;
 * those of rows that are kept are a warm start. `edition` tells the coordinator that answers about the rows before no longer count. The
 * personal part to w is solved for before anything is sent, and all of it is one durable change: after a crash it is done again.
 *
 * Rows in another order are the same rows.
 */
import { inputError } from '../base/errors.ts';
import { sameData } from '../base/same-data.ts';
import type { Split } from '../data/split.ts';
import type { Moments, Scaling } from '../math/scaling.ts';
import type { Profile, Stored, UsableModel } from '../participant/state.ts';
import type { Agreement } from '../protocol/agreement.ts';
import { columnTitles, schemaDigest } from '../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Policy } from '../settings/policy.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { type KnownRows, placesIn, rowKeys, splitLikeBefore } from './known-rows.ts';
import { type OwnData, ownData, splitAsTrain } from './own-rows.ts';
import { checkSame, type ParticipantFile } from './participant-file.ts';
import type { ParticipationOptions } from './participation-options.ts';
import type { Home, OpenHome } from './ports.ts';

/** Before the settings of the federation say otherwise. */
const RETRY_MS = 2000;

/** Refuses what cannot work before anything is opened. */
export function checkedSplit(options: ParticipationOptions): Split {
  const { participant, data, slowdown = 1, testFraction = 0, seed = 1 } = options;
  const bytes = new TextEncoder().encode(participant).length;
  if (bytes < 1 || bytes > DEFAULT_LIMITS.maxIdBytes) {
    throw inputError(
      'BAD_NAME',
      `participant: expected a name of 1 to ${DEFAULT_LIMITS.maxIdBytes} bytes, got ${bytes}`,
    );
  }
  const { source, features, targets } = data.table;
  if (features.length > DEFAULT_LIMITS.maxFeatures) {
    throw inputError(
      'TOO_MANY_FEATURES',
      `${source}: expected at most ${DEFAULT_LIMITS.maxFeatures} features, got ${features.length}`,
    );
  }
  if (!(slowdown >= 1 && Number.isFinite(slowdown)))
    throw inputError('BAD_OPTION', `option --slowdown: expected a number of at least 1, got ${slowdown}`);
  if (!(Number.isSafeInteger(seed) && seed >= 0))
    throw inputError('BAD_OPTION', `option --seed: expected a whole number of at least 0, got ${seed}`);
  if (!targets) throw inputError('NO_TARGETS', `${source}: expected a target column, got none`);
  return splitAsTrain(data.table, participant, testFraction, seed);
}

interface OpenedHome extends Home {
  readonly own: OwnData;
  /** How the rows differ from those of the last start, which is to be stored yet; undefined: they do not. */
  readonly change: RowChange | undefined;
}

/** Training rows that were not there at the last start, that are gone since, and that are the same. */
export interface RowChange {
  readonly added: number;
  readonly gone: number;
  readonly kept: number;
  readonly rows: string;
  readonly known: KnownRows;
  /** Duals of the rows that are kept, 0 for new ones: a start for the next answer. */
  readonly warm: Float64Array | undefined;
}

/** The state of this very participant; whoever gets it must release its store. */
export async function openHome(
  options: Pick<ParticipationOptions, 'participant' | 'data' | 'secure' | 'testFraction' | 'seed'>,
  asTrain: Split,
  open: OpenHome,
): Promise<OpenedHome> {
  const { participant, data, secure = false } = options;
  const { features, levels } = data.table;
  const texts = levels && features.filter((_, j) => levels[j]);
  const schema = schemaDigest(columnTitles(features, texts));
  const joiner = { participant, features, ...(texts && { texts }), schema };
  const home = await open({ ...joiner, rows: '', columns: data.columns });
  const { store } = home;
  try {
    checkSame(store.place, store.file, { ...joiner, secure });
    const { own, change } = recognised(options, asTrain, store.file);
    const { rows, known } = change;
    const columns = data.columns ?? store.file.columns;
    const { stored } = store.file;
    if (stored.session === 0 || store.file.rows === rows) {
      const same = sameData(store.file.known, known) ? store.file.known : known;
      await store.save({ rows, known: same, columns });
      return { ...home, own, change: undefined };
    }
    if (stored.settings?.training === 'steps' && (stored.committed || stored.pending)) {
      throw inputError(
        'OTHER_ROWS',
        `${store.place}: expected unchanged rows, because this federation trains by steps, got ${change.added} added and ${change.gone} removed; give the same data, --test-fraction and --seed, or ask the operator to forget this participant and give another --state`,
      );
    }
    await store.save({ columns });
    return { ...home, own, change };
  } catch (error) {
    await store.release();
    throw error;
  }
}

/** The split of the last start goes on where the same one is asked for. */
function recognised(
  { data: { table }, testFraction = 0, seed = 1 }: Parameters<typeof openHome>[0],
  asTrain: Split,
  { known: before, stored }: ParticipantFile,
): { readonly own: OwnData; readonly change: RowChange } {
  const keys = rowKeys(table);
  const goesOn = stored.session > 0 && before?.testFraction === testFraction && before.seed === seed;
  const own = ownData(table, goesOn ? splitLikeBefore(keys, before) : asTrain);
  const of = (rows: Uint32Array) => Float64Array.from(rows, (i) => keys[i]);
  const known = { train: of(own.train), test: of(own.tested), testFraction, seed };
  const duals = (stored.pending?.solution ?? stored.committed)?.beta;
  const train = before?.train ?? new Float64Array(duals?.length ?? 0);
  const places = placesIn(train, known.train);
  const kept = places.filter((place) => place >= 0).length;
  const warm = duals && Float64Array.from(places, (place) => duals[place] ?? 0);
  const added = places.length - kept;
  return { own, change: { rows: own.digest, known, added, gone: train.length - kept, kept, warm } };
}

export function profileOf(
  { participant: id, secure }: Pick<ParticipationOptions, 'participant' | 'secure'>,
  { secret }: ParticipantFile,
  /** Raw, of the enrolment key. */
  identityKey: Uint8Array,
  moments: Moments,
  { targets, columns, names }: Pick<Profile, 'targets' | 'columns' | 'names'>,
  benchmarkMs: number,
  policy: Policy,
): Profile {
  return {
    id,
    rows: moments.count,
    features: moments.mean.length,
    benchmarkMs,
    moments,
    targets,
    ...(columns && { columns, names }),
    retryMs: RETRY_MS,
    ...(secure && { secure: { secret, identityKey } }),
    policy,
  };
}

/** What a personal part can be solved for with. */
interface Known {
  readonly settings: FederationSettings;
  readonly scaling: Scaling;
  readonly agreement: Agreement;
  readonly model: UsableModel;
}

/** Undefined: no w has been received yet, or it goes with what was accepted last. */
export function knownModel({ settings, scaling, agreement, model }: Stored): Known | undefined {
  if (settings?.training !== 'answers' || !scaling || !agreement || !model) return undefined;
  return { settings, scaling, agreement, model };
}

/** `u` of the personal part to the w at hand, where there is one. */
export function withRows(
  { stored }: ParticipantFile,
  { rows, known }: Pick<RowChange, 'rows' | 'known'>,
  u: Float64Array | undefined,
): Partial<ParticipantFile> {
  const { committed, model, edition } = stored;
  return {
    rows,
    known,
    stored: {
      ...stored,
      edition: edition + 1,
      committed: committed && { ...committed, beta: new Float64Array(0) },
      pending: undefined,
      model: model && u ? { ...model, u } : model,
    },
  };
}
