export { type Standing, standings } from './defence.ts';
export type { CoordinatorEffect, CoordinatorInput } from './effects.ts';
export { step } from './machine.ts';
export { type ModelInUse, modelOf } from './model.ts';
export {
  type CoordinatorOptions,
  DEFAULT_OPTIONS,
  DEFAULT_SECURE,
  type DefenceOptions,
  type SecureOptions,
  type Waiting,
} from './options.ts';
export { type OptionsInput, optionsSchema, optionsToJson, parseOptions } from './options-schema.ts';
export { checkPrivacy, type NoiseOrder } from './private-rounds.ts';
export { beginCoordinator, type CoordinatorStart, newCoordinator, restoreCoordinator } from './start.ts';
export type { CoordinatorState, Member, MemberScore, PrivacySpent, RoundRow } from './state.ts';
export type { StoredCoordinator, StoredMember, StoredRun } from './stored.ts';
export { combinerOf, contributionOf, inquiryOf, sharedPart, sumOfContributions } from './training.ts';
