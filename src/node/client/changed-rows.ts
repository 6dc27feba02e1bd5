/**
 * Rows that have changed since the last start: some were added, removed or edited. Training by answers goes on with them. The participant keeps
 * its keys, its session count, its last accepted contribution and w; the duals, which belong to the rows before, are dropped, and so is an
 * answer of which nobody knows whether it was accepted. `edition` tells the coordinator that answers about the rows before no longer count.
 *
 * The personal part to w is solved for before anything is sent, and all of it is one durable change: after a crash it is done again.
 */
import type { Scaling } from '../../math/scaling.ts';
import type { Stored, UsableModel } from '../../participant/state.ts';
import type { FederationSettings } from '../../settings/federation.ts';
import type { ParticipantFile } from './participant-file.ts';

/** What a personal part can be solved for with. */
export interface Known {
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
