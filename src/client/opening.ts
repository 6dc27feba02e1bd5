/**
 * What a participant does before it connects: it opens its state, and fits its model to rows that have changed since the last start.
 *
 * Training by answers goes on with changed rows. The participant keeps its keys, its session count, its last accepted contribution and w;
 * the duals, which belong to the rows before, are dropped, and so is an answer of which nobody knows whether it was accepted. `edition`
 * tells the coordinator that answers about the rows before no longer count. The personal part to w is solved for before anything is
 * sent, and all of it is one durable change: after a crash it is done again.
 */
import { inputError } from '../base/errors.ts';
import type { Moments, Scaling } from '../math/scaling.ts';
import type { Profile, Stored, UsableModel } from '../participant/state.ts';
import { schemaDigest } from '../protocol/joining.ts';
import { DEFAULT_LIMITS } from '../protocol/limits.ts';
import type { Policy } from '../settings/policy.ts';
import type { FederationSettings } from '../settings/wire.ts';
import { type OwnData, ownData } from './own-rows.ts';
import { checkSame, type ParticipantFile } from './participant-file.ts';
import type { ParticipationOptions } from './participation-options.ts';
import type { Home, OpenHome } from './ports.ts';

/** Before the settings of the federation say otherwise. */
const RETRY_MS = 2000;

/** Refuses what cannot work before anything is opened. */
export function ownDataOf(options: ParticipationOptions): OwnData {
  const { participant, data, slowdown = 1, testFraction = 0, seed = 1 } = options;
  const bytes = new TextEncoder().encode(participant).length;
  if (bytes < 1 || bytes > DEFAULT_LIMITS.maxIdBytes) {
    throw inputError(
      'BAD_NAME',
      `participant: expected a name of 1 to ${DEFAULT_LIMITS.maxIdBytes} bytes, got one of ${bytes}`,
    );
  }
  const { source, features } = data.table;
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
  return ownData(data.table, participant, testFraction, seed);
}

interface OpenedHome extends Home {
  /** Whether the rows are others than at the last start, which is to be stored yet. */
  readonly hasChanged: boolean;
}

/** The state of this very participant; whoever gets it must release its store. */
export async function openHome(
  options: Pick<ParticipationOptions, 'participant' | 'data' | 'secure'>,
  { features, digest }: Pick<OwnData, 'features' | 'digest'>,
  open: OpenHome,
): Promise<OpenedHome> {
  const { participant, data, secure = false } = options;
  const { columns } = data;
  const joiner = { participant, features, schema: schemaDigest(features), rows: digest };
  const home = await open({ ...joiner, columns });
  const { store } = home;
  try {
    checkSame(store.place, store.file, { ...joiner, secure });
    const { rows, stored, columns: before } = store.file;
    const hasChanged = rows !== digest && stored.session > 0;
    await store.save({ ...(!hasChanged && { rows: digest }), columns: columns ?? before });
    return { ...home, hasChanged };
  } catch (error) {
    await store.release();
    throw error;
  }
}

export function profileOf(
  { participant: id, secure }: Pick<ParticipationOptions, 'participant' | 'secure'>,
  { secret }: ParticipantFile,
  /** Raw, of the enrolment key. */
  identityKey: Uint8Array,
  moments: Moments,
  benchmarkMs: number,
  policy: Policy,
): Profile {
  return {
    id,
    rows: moments.count,
    features: moments.mean.length,
    benchmarkMs,
    moments,
    retryMs: RETRY_MS,
    ...(secure && { secure: { secret, identityKey } }),
    policy,
  };
}

/** What a personal part can be solved for with. */
interface Known {
  readonly settings: FederationSettings;
  readonly scaling: Scaling;
  readonly model: UsableModel;
}

/** Undefined: no w has been received yet, or it goes with what was accepted last. */
export function knownModel({ settings, scaling, model }: Stored): Known | undefined {
  if (settings?.training !== 'answers' || !scaling || !model) return undefined;
  return { settings, scaling, model };
}

/** `u` of the personal part to the w at hand, where there is one. */
export function withRows(
  { stored }: ParticipantFile,
  rows: string,
  u: Float64Array | undefined,
): Partial<ParticipantFile> {
  const { committed, model, edition } = stored;
  return {
    rows,
    stored: {
      ...stored,
      edition: edition + 1,
      committed: committed && { ...committed, beta: new Float64Array(0) },
      pending: undefined,
      model: model && u ? { ...model, u } : model,
    },
  };
}
