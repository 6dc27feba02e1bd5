export type { DefenceOptions, OptionsInput, SecureOptions, Waiting } from '../settings/federation.ts';
export { type MemberScore, type Standing, standings } from './defence.ts';
export type { CoordinatorEffect, CoordinatorInput } from './effects.ts';
export { beginCoordinator, type CoordinatorLife } from './life.ts';
export { step } from './machine.ts';
export { type ModelInUse, modelOf } from './model.ts';
export {
  type CoordinatorOptions,
  DEFAULT_OPTIONS,
  DEFAULT_SECURE,
  optionsToJson,
  parseOptions,
} from './options.ts';
export { checkPrivacy, type NoiseOrder, type PrivacySpent } from './private-rounds.ts';
export { type CoordinatorState, type Member, newCoordinator, type RoundRow } from './state.ts';
export { restoreCoordinator, type StoredCoordinator, type StoredMember, type StoredRun } from './stored.ts';
export { combinerOf, contributionOf, inquiryOf, sharedPart, sumOfContributions } from './training.ts';
