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
    .about('protections that the federation must have'),
  minPeers: whole(2)
    .default(3)
    .about('with secure: minimum number of participants in a sum, including this one'),
  margin: whole(1)
    .default(2)
    .about('with secure: minimum number of members by which two sums of the same quantity differ'),
  peers: record(text('an Ed25519 key, base64url', 43, 43), 'an object of keys by participant')
    .optional('anyone')
    .flag('--peers <file>')
    .about('with secure: participants allowed in a sum, with their keys'),
  maxPasses: whole(1).default(10_000).about('maximum number of local passes per round'),
  maxRounds: orEndless(whole(1)).default(100_000).about('maximum number of rounds that a process answers'),
  maxCertify: whole(1).default(100).about('maximum number of consecutive certifying rounds'),
  leastRetryMs: milliseconds().default(20).about('minimum time between retransmissions'),
  maxFeatures: whole(1, 1_000_000).default(1_000_000).about('maximum number of features'),
  maxFrameBytes: whole(1000)
    .default(64 * 1024 * 1024)
    .about('maximum message size in bytes'),
};

export const policyKind = object(POLICY);
export type Policy = Output<typeof POLICY>;
export type PolicyInput = Input<typeof POLICY>;
export const DEFAULT_POLICY: Policy = policyKind.read({}, { path: [], missing: 'default' });

/** `name` is what errors call the source. */
export function parsePolicy(name: string, json: unknown): Policy {
  return readSettings(policyKind, json, { code: 'BAD_POLICY', name });
}
