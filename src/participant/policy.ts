/**
 * What a participant accepts, asked before every answer: not only at the welcome, as a policy may have changed since, and a state may be of an
 * earlier version. A refusal is one sentence for whoever runs it, and one code, without data, for the coordinator.
 */
import type { DeclineCode } from '../protocol/codes.ts';
import { DEFAULT_POLICY, type Policy } from '../settings/policy.ts';
import type { FederationSettings } from '../settings/wire.ts';
import type { ParticipantState } from './state.ts';

export interface Objection {
  readonly code: DeclineCode;
  /** Completes "declined: ". */
  readonly sentence: string;
}

export function policyOf({ profile }: Pick<ParticipantState, 'profile'>): Policy {
  return profile.policy ?? DEFAULT_POLICY;
}

/** An objection to a federation as a whole: it does not change while the federation lasts. */
export function objectionTo(policy: Policy, settings: FederationSettings): Objection | undefined {
  const unmet = policy.require.find((requirement) => !isMet(requirement, settings));
  if (unmet !== undefined)
    return { code: 'REQUIREMENT', sentence: `expected ${unmet} (--require), got ${protections(settings)}` };
  const { maxFeatures } = policy;
  const most = Math.max(settings.features, settings.map?.count ?? 0);
  if (most > maxFeatures)
    return {
      code: 'EFFORT',
      sentence: `expected at most ${maxFeatures} features (maxFeatures), got ${most}`,
    };
  return undefined;
}

function isMet(requirement: string, { secure, mask, dp, scale }: FederationSettings): boolean {
  const [what, bound = ''] = requirement.toLowerCase().split(':');
  switch (what) {
    case 'secure':
      return secure !== undefined;
    case 'mask':
      return mask !== undefined;
    case 'scale':
      return scale === bound;
    default: {
      if (!dp) return false;
      const [name, most] = bound.split('<=');
      return bound === '' || (name === 'eps' ? dp.epsilon : dp.delta) <= Number(most);
    }
  }
}

function protections({ secure, mask, dp, scale }: FederationSettings): string {
  const found = [
    ...(secure ? ['secure'] : []),
    ...(mask ? ['mask'] : []),
    ...(dp ? [`dp with eps ${dp.epsilon} and delta ${dp.delta}`] : []),
    `scale:${scale}`,
  ];
  return found.join(', ');
}

/** An objection to a round: the next may be different. */
export function objectionToRound(
  state: ParticipantState,
  purpose: 'train' | 'certify',
): Objection | undefined {
  const { maxRounds, maxCertify } = policyOf(state);
  if (state.answeredRounds >= maxRounds)
    return { code: 'EFFORT', sentence: `expected at most ${maxRounds} rounds (maxRounds), got one more` };
  if (purpose === 'certify' && state.certified >= maxCertify)
    return {
      code: 'EFFORT',
      sentence: `expected at most ${maxCertify} certifying rounds in a row (maxCertify), got one more`,
    };
  return undefined;
}
