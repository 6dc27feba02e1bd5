/** What a participant accepts: its own decision, whatever the federation asks for. */
import type { Input, Output } from './kind.ts';
import { list, milliseconds, orEndless, record, text, whole } from './kinds.ts';
import { object, readSettings } from './objects.ts';

const REQUIREMENT = /^(secure|mask|dp|dp:(eps|delta)<=\d+(\.\d+)?(e-?\d+)?|scale:(standard|center|none))$/i;
const GRAMMAR = 'secure, mask, dp, dp:eps<=4, dp:delta<=1e-5, scale:none, scale:center or scale:standard';

const requirement = text(GRAMMAR).check((given) => REQUIREMENT.test(given), GRAMMAR);

export const POLICY = {
  require: list(requirement, `a list of ${GRAMMAR}`)
    .default([])
    .flag('--require <a,b>')
    .about('protections without which nothing is answered'),
  minPeers: whole(2).default(3).about('with secure: fewest participants in a sum, oneself included'),
  margin: whole(1)
    .default(2)
    .about('with secure: fewest members by which two sums about the same may differ'),
  peers: record(text('an Ed25519 key, base64url', 43, 43), 'an object of keys by participant')
    .optional('anybody')
    .flag('--peers <file>')
    .about('with secure: the only participants to be summed with, and their keys'),
  maxPasses: whole(1).default(10_000).about('most local passes in a round, whatever is asked for'),
  maxRounds: orEndless(whole(1)).default(100_000).about('most rounds answered by one process'),
  maxCertify: whole(1).default(100).about('most certifying rounds answered in a row'),
  leastRetryMs: milliseconds().default(20).about('nothing is sent again sooner than this'),
  maxFeatures: whole(1, 1_000_000).default(1_000_000).about('most features'),
  maxFrameBytes: whole(1000)
    .default(64 * 1024 * 1024)
    .about('largest message that is read'),
};

export const policyKind = object(POLICY);
export type Policy = Output<typeof POLICY>;
export type PolicyInput = Input<typeof POLICY>;
export const DEFAULT_POLICY: Policy = policyKind.read({}, { path: [], missing: 'default' });

/** `name` is what errors call the source. */
export function parsePolicy(name: string, json: unknown): Policy {
  return readSettings(policyKind, json, { code: 'BAD_POLICY', name });
}
