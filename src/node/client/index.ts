export type { TlsOptions } from '../admin/post-json.ts';
export type {
  JoinEvent,
  JoinOptions,
  JoinResult,
  JoinStatus,
  JoinTiming,
  Participation,
} from './join-options.ts';
export type { Recorder } from './life.ts';
export { joinFederation } from './participant.ts';
export type { FederationName, OwnColumns, ParticipantFile } from './participant-file.ts';
export { modelOf } from './participant-model.ts';
export { readParticipantState } from './state-folder.ts';
