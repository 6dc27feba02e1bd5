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
import { featuresOf } from '../data/participants.ts';
import type { Split } from '../data/split.ts';
import type { Moments, Scaling } from '../math/scaling.ts';
import type { Profile, Stored, UsableModel } from '../participant/state.ts';
import type { Agreement } from '../protocol/agreement.ts';
import { columnTitles, schemaDigest } from '../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Policy } from '../settings/policy.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { type KnownRows, placesIn, rowKeys, splitLikeBefore } from './known-rows.ts';
import { type MeasuredRows, type OwnData, ownData, splitAsTrain } from './own-rows.ts';
import { checkSame, type ParticipantFile } from './participant-file.ts';
import type { ParticipationOptions } from './participation-options.ts';
import type { Home, OpenHome } from './ports.ts';
import { keysGone, type RemovedRows, removedRows } from './unlearned-rows.ts';
import { excludedKeys, withoutRows } from './unlearning.ts';

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
  const split = splitAsTrain(data.table, participant, testFraction, seed);
  if (options.reportTests && split.test.length === 0)
    throw inputError(
      'BAD_OPTION',
      'option --report-tests: expected test rows, got none; --test-fraction 0.3 keeps some aside',
    );
  return split;
}

interface OpenedHome extends Home {
  readonly own: OwnData;
  /** How the rows differ from those of the last start, which is to be stored yet; undefined: they do not. */
  readonly change: RowChange | undefined;
  /** How many rows to test on have come and gone since the last start. */
  readonly tests: { readonly added: number; readonly gone: number };
}

/** Training rows that were not there at the last start, that are gone since, and that are the same. */
export interface RowChange {
  readonly added: number;
  readonly gone: number;
  readonly kept: number;
  /** The new ones. */
  readonly fresh: MeasuredRows;
  /** Training and test rows that are gone; undefined: none are. */
  readonly removed: RemovedRows | undefined;
  readonly rows: string;
  readonly known: KnownRows;
  /** Duals of the rows that are kept, 0 for new ones: a start for the next answer. */
  readonly warm: Float64Array | undefined;
}

/** The state of this very participant; whoever gets it must release its store. */
export async function openHome(
  options: Pick<
    ParticipationOptions,
    'participant' | 'data' | 'unlearn' | 'secure' | 'testFraction' | 'seed'
  >,
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
    const excluded = excludedKeys(store.file, data.table, options.unlearn);
    const { own, change } = recognised(options, asTrain, store.file, excluded);
    const { rows, known, removed } = change;
    const columns = data.columns ?? store.file.columns;
    const { stored } = store.file;
    const tests = testsChanged(stored.session > 0 ? store.file.known : undefined, known);
    if (stored.session === 0 || store.file.rows === rows) {
      const same = sameData(store.file.known, known) ? store.file.known : known;
      const changes = { rows, known: same, columns, ...(excluded.length > 0 && { excluded }) };
      // Nobody has learnt from rows that were only tested on, but their keys must not stay.
      await (removed ? store.rewrite(changes) : store.save(changes));
      return { ...home, own, change: undefined, tests };
    }
    if (stored.settings?.training === 'steps' && (stored.committed || stored.pending)) {
      throw inputError(
        'OTHER_ROWS',
        `${store.place}: expected unchanged rows, because this federation trains by steps, got ${change.added} added and ${change.gone} removed; give the same data, --test-fraction and --seed, or ask the operator to forget this participant and give another --state`,
      );
    }
    await store.save({ columns, ...(excluded.length > 0 && { excluded }) });
    return { ...home, own, change, tests };
  } catch (error) {
    await store.release();
    throw error;
  }
}

function testsChanged(before: KnownRows | undefined, { test }: KnownRows): OpenedHome['tests'] {
  if (!before) return { added: 0, gone: 0 };
  return { added: keysGone(test, before.test).length, gone: keysGone(before.test, test).length };
}

/** The split of the last start goes on where the same one is asked for. */
function recognised(
  { data, participant, testFraction = 0, seed = 1 }: Parameters<typeof openHome>[0],
  asTrain: Split,
  { known: before, stored }: ParticipantFile,
  excluded: Float64Array,
): { readonly own: OwnData; readonly change: RowChange } {
  const table = withoutRows(data.table, excluded);
  const keys = rowKeys(table);
  const goesOn = stored.session > 0 && before?.testFraction === testFraction && before.seed === seed;
  const anew = () => (table === data.table ? asTrain : splitAsTrain(table, participant, testFraction, seed));
  const own = ownData(table, goesOn ? splitLikeBefore(keys, before) : anew());
  const of = (rows: Uint32Array) => Float64Array.from(rows, (i) => keys[i]);
  const known = { train: of(own.train), test: of(own.test.rows), testFraction, seed };
  const duals = (stored.pending?.solution ?? stored.committed)?.beta;
  const train = before?.train ?? new Float64Array(duals?.length ?? 0);
  const places = placesIn(train, known.train);
  const kept = places.filter((place) => place >= 0).length;
  const fresh = own.train.filter((_, i) => places[i] < 0);
  const change = {
    ...{ rows: own.digest, known, kept, added: fresh.length, gone: train.length - kept },
    warm: duals && dualsOf(places, duals, train.length),
    fresh: { x: featuresOf(table, fresh), rows: fresh },
    removed: before && removedSince(before, known),
  };
  return { own, change };
}

/** Of each head the duals of the rows that are kept, 0 for new ones; there were n rows before. */
function dualsOf(places: Int32Array, duals: Float64Array, n: number): Float64Array {
  const heads = Math.max(1, Math.round(duals.length / n));
  const moved = new Float64Array(heads * places.length);
  for (let h = 0; h < heads; h++)
    for (const [i, place] of places.entries())
      moved[h * places.length + i] = place < 0 ? 0 : (duals[h * n + place] ?? 0);
  return moved;
}

/** Rows that trained before and only test now are not gone. */
function removedSince(before: KnownRows, { train, test }: KnownRows): RemovedRows | undefined {
  const now = new Float64Array([...train, ...test]);
  const gone = keysGone(new Float64Array([...before.train, ...before.test]), now);
  if (gone.length === 0) return undefined;
  const tested = keysGone(gone, before.train);
  return removedRows(keysGone(gone, tested), tested);
}

export function profileOf(
  {
    participant: id,
    secure,
    reportTests,
  }: Pick<ParticipationOptions, 'participant' | 'secure' | 'reportTests'>,
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
    ...(columns && { columns }),
    names,
    retryMs: RETRY_MS,
    ...(secure && { secure: { secret, identityKey } }),
    policy,
    ...(reportTests && { reportsTests: true }),
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
  { stored, unlearning = [] }: ParticipantFile,
  { rows, known, removed }: Pick<RowChange, 'rows' | 'known' | 'removed'>,
  u: Float64Array | undefined,
): Partial<ParticipantFile> {
  const { committed, model, edition } = stored;
  return {
    rows,
    known,
    // Sigmoids were fitted to the rows before, and would still tell of them.
    calibration: undefined,
    ...(removed && { unlearning: [...unlearning, { edition: edition + 1, removed }] }),
    stored: {
      ...stored,
      edition: edition + 1,
      committed: committed && { ...committed, beta: new Float64Array(0) },
      pending: undefined,
      model: model && u ? { ...model, u } : model,
    },
  };
}
