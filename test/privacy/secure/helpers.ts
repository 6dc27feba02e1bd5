/**
 * A whole federation in one process: real cryptography, seeded entropy, and a choice of who falls silent when. Node's own X25519
 * and Ed25519 stand in for the pure ones where many participants are made (they agree: see keys.test.ts).
 */
import { chacha20 } from '@noble/ciphers/chacha.js';
import { expect } from 'vitest';
import { stream } from '../../../src/base/random.ts';
import { nodePrimitives as makeNodePrimitives } from '../../../src/node/crypto.ts';
import {
  closeAttesting,
  closeDealing,
  closeMasking,
  closeRevealing,
  newCoordinator,
  openSecureRound,
  type Summed,
  takeAttested,
  takeDealt,
  takeMasked,
  takeRevealed,
} from '../../../src/privacy/secure/coordinator.ts';
import type { Abandoned, Answers, CoordinatorState } from '../../../src/privacy/secure/coordinator-round.ts';
import { encode } from '../../../src/privacy/secure/fixed-point.ts';
import { defaultSecurity, type Security } from '../../../src/privacy/secure/graph.ts';
import type { Entropy, Primitives } from '../../../src/privacy/secure/keys.ts';
import {
  acceptRoster,
  newParticipant,
  type ParticipantState,
} from '../../../src/privacy/secure/membership.ts';
import type { Roster, RoundPlan } from '../../../src/privacy/secure/messages.ts';
import { attest, deal, mask, reveal } from '../../../src/privacy/secure/participant.ts';
import { advertise, makeRoster } from '../../../src/privacy/secure/roster.ts';

export const FEDERATION = 'test';
/** Everybody is asked the same. */
export const QUESTION = new Uint8Array(32).fill(7);

/** Bytes from a seed, never the same twice. */
export function seededEntropy(name: string): Entropy {
  const words = stream(1, 'entropy', 0, name);
  const key = new Uint8Array(new Uint32Array(8).map(() => words.u32()).buffer);
  let used = 0;
  return (bytes) => chacha20(key, new Uint8Array(12), new Uint8Array(bytes), undefined, (used += 2) - 2);
}

export const nodePrimitives = makeNodePrimitives();

/** The same question has the same answer; in one process everybody would ask it again. */
function remembering({ agree, verify: check }: Primitives): Primitives {
  const checked = new Map<string, boolean>();
  return {
    agree,
    verify: (signature, message, key) => {
      const name = [signature, message, key].map((bytes) => Buffer.from(bytes).toString('base64')).join();
      const known = checked.get(name) ?? check(signature, message, key);
      checked.set(name, known);
      return known;
    },
  };
}

export interface Federation {
  readonly ids: readonly string[];
  readonly participants: Map<string, ParticipantState>;
  readonly roster: Roster;
  readonly coordinator: CoordinatorState;
  readonly entropy: Entropy;
}

export const PIN = { known: new Map<string, Uint8Array>(), unknown: 'pin' } as const;

export function makeFederation(
  n: number,
  options: { name?: string; security?: Security; primitives?: Primitives } = {},
): Federation {
  const { name = `n${n}`, security = defaultSecurity(n), primitives = nodePrimitives } = options;
  const remembered = remembering(primitives);
  const entropy = seededEntropy(name);
  const ids = Array.from({ length: n }, (_, i) => `p${String(i).padStart(5, '0')}`);
  const participants = new Map(
    ids.map((id) => [id, newParticipant({ federation: FEDERATION, id, security }, entropy)]),
  );
  const roster = makeRoster(FEDERATION, [...participants.values()].map(advertise), remembered);
  for (const state of participants.values()) acceptRoster(state, roster, PIN, remembered);
  const coordinator = newCoordinator(FEDERATION, roster, security);
  return { ids, participants, roster, coordinator, entropy };
}

/** Fresh states, so that one set-up serves many tests. */
export function copyOf(federation: Federation): Federation {
  return {
    ...federation,
    participants: new Map([...federation.participants].map(([id, state]) => [id, { ...state }])),
    coordinator: { ...federation.coordinator },
  };
}

export const FIXED = { scaleBits: 30, limit: 1000 };

export function randomValues(ids: readonly string[], length: number, seed = 1): Map<string, Float64Array> {
  return new Map(
    ids.map((id) => {
      const random = stream(seed, 'values', 0, id);
      return [id, Float64Array.from({ length }, () => 200 * random.normal())];
    }),
  );
}

/** Who falls silent before which message, for good. */
export interface Silence {
  readonly dealing?: Iterable<string>;
  readonly masking?: Iterable<string>;
  readonly attesting?: Iterable<string>;
  readonly revealing?: Iterable<string>;
}

export type Outcome = Summed | Abandoned;

/** One round from plan to outcome; `on` sees (and may change) everything on its way. */
export function runRound(
  federation: Federation,
  round: number,
  values: ReadonlyMap<string, Float64Array>,
  silence: Silence = {},
  on: <Message>(kind: string, id: string, message: Message) => Message = (_kind, _id, message) => message,
): Outcome {
  const { coordinator, participants, entropy } = federation;
  const silent = new Set<string>();
  const each = <In, Out>(
    phase: keyof Silence,
    answers: Answers<In>,
    act: (state: ParticipantState, message: In) => Out,
    take: (state: CoordinatorState, from: string, message: Out) => void,
  ): void => {
    for (const id of silence[phase] ?? []) silent.add(id);
    for (const [id, message] of answers.to) {
      if (silent.has(id)) continue;
      const incoming = on(`to ${phase}`, id, message);
      const answer = act(participants.get(id)!, incoming);
      take(coordinator, id, on(phase, id, answer));
    }
  };
  const plan = { round, length: values.get(federation.ids[0])!.length, ...FIXED };
  const opened: Answers<RoundPlan> = openSecureRound(coordinator, plan, QUESTION);
  each('dealing', opened, (state, message) => deal(state, message, entropy), takeDealt);
  const delivered = closeDealing(coordinator);
  if (delivered.kind === 'abandoned') return delivered;
  each(
    'masking',
    delivered,
    (state, message) => mask(state, message, values.get(state.id)!, QUESTION),
    takeMasked,
  );
  const counted = closeMasking(coordinator);
  if (counted.kind === 'abandoned') return counted;
  each('attesting', counted, attest, takeAttested);
  const attestations = closeAttesting(coordinator);
  if (attestations.kind === 'abandoned') return attestations;
  each('revealing', attestations, reveal, takeRevealed);
  return closeRevealing(coordinator);
}

/** The sum of the integers, the slow way. */
export function exactSum(
  ids: readonly string[],
  values: ReadonlyMap<string, Float64Array>,
  participants: number,
): bigint[] {
  const length = values.get(ids[0])!.length;
  const sum = new Array<bigint>(length).fill(0n);
  for (const id of ids) {
    const entries = bigints(encode(values.get(id)!, { ...FIXED, participants }));
    for (let i = 0; i < length; i++) sum[i] = BigInt.asUintN(64, sum[i] + entries[i]);
  }
  return sum;
}

export function bigints(words: Uint32Array): bigint[] {
  return Array.from(new BigUint64Array(words.slice().buffer));
}

/** A seeded choice of a share of the ids. */
export function someOf(ids: readonly string[], share: number, seed: number): string[] {
  const mixed = [...ids];
  stream(seed, 'some').shuffle(mixed);
  return mixed.slice(0, Math.floor(share * ids.length));
}

export function expectExact(
  { ids }: Federation,
  outcome: Outcome,
  values: ReadonlyMap<string, Float64Array>,
  gone: readonly string[],
): asserts outcome is Summed {
  if (outcome.kind !== 'summed') throw new Error(outcome.reason);
  expect(outcome.counted).toEqual(ids.filter((id) => !gone.includes(id)));
  expect(bigints(outcome.words)).toEqual(exactSum(outcome.counted, values, ids.length));
}
