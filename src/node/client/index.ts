export type { FederationName, OwnColumns, ParticipantFile } from '../../client/participant-file.ts';
export type { Recorder } from '../../client/participant-loop.ts';
export { modelOf } from '../../client/participant-model.ts';
export type {
  JoinEvent,
  JoinResult,
  JoinStatus,
  Participation,
} from '../../client/participation-options.ts';
export type { TlsOptions } from '../admin/post-json.ts';
export { type JoinOptions, type JoinTiming, joinFederation } from './join.ts';
export { readParticipantState } from './state-folder.ts';
