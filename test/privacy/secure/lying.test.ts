/** A coordinator, or a participant, that does not follow the protocol: it gets nothing, and is named where it can be. */
import { concatBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import {
  closeAttesting,
  closeDealing,
  closeMasking,
  openSecureRound,
  takeAttested,
  takeDealt,
  takeMasked,
} from '../../../src/privacy/secure/coordinator.ts';
import { has, setOf } from '../../../src/privacy/secure/index-set.ts';
import { acceptRoster, newParticipant } from '../../../src/privacy/secure/membership.ts';
import type {
  Counted,
  Dealt,
  Delivered,
  Masked,
  Revealed,
  RoundPlan,
} from '../../../src/privacy/secure/messages.ts';
import { attest, deal, mask, reveal } from '../../../src/privacy/secure/participant.ts';
import { advertise } from '../../../src/privacy/secure/roster.ts';
import { type SecureCode, SecureError } from '../../../src/privacy/secure/secure-error.ts';
import {
  copyOf,
  expectExact,
  FEDERATION,
  type Federation,
  FIXED,
  makeFederation,
  nodePrimitives,
  PIN,
  QUESTION,
  randomValues,
  runRound,
  seededEntropy,
} from './helpers.ts';

const ten = makeFederation(10);
const values = randomValues(ten.ids, 4);

function expectRefusal(code: SecureCode, act: () => unknown): SecureError {
  try {
    act();
  } catch (error) {
    if (!(error instanceof SecureError)) throw error;
    expect(error.code).toBe(code);
    return error;
  }
  throw new Error(`expected ${code}, got an answer`);
}

/** Everybody has masked its vector; what is shown next is up to the test. */
function upToCounted(federation: Federation, round = 1) {
  const { coordinator, participants, entropy } = federation;
  const opened = openSecureRound(coordinator, { round, length: 4, ...FIXED }, QUESTION);
  for (const [id, plan] of opened.to) takeDealt(coordinator, id, deal(participants.get(id)!, plan, entropy));
  const delivered = closeDealing(coordinator);
  if (delivered.kind !== 'answers') throw new Error(delivered.reason);
  for (const [id, message] of delivered.to) {
    takeMasked(coordinator, id, mask(participants.get(id)!, message, values.get(id)!, QUESTION));
  }
  return { plan: opened.to.get(federation.ids[0])! as RoundPlan, delivered: delivered.to };
}

const without = (...gone: number[]) =>
  setOf(
    ten.ids.map((_, i) => i).filter((i) => !gone.includes(i)),
    10,
  );

describe('a coordinator that shows different sets to different participants', () => {
  /** Shows everybody a set, and passes every tag on to the right neighbour. */
  function showing(federation: Federation, setFor: (index: number) => Uint8Array) {
    const { participants, ids } = federation;
    upToCounted(federation);
    const shown = [1, 2, 3, 4, 5, 6, 7, 8];
    const tags = new Map(
      shown.map((i) => {
        const members = setFor(i);
        const attested = attest(participants.get(ids[i])!, { round: 1, members });
        const receivers = ids.map((_, j) => j).filter((j) => j !== i && has(members, j));
        return [i, new Map(receivers.map((j, at) => [j, attested.tags.subarray(16 * at, 16 * at + 16)]))];
      }),
    );
    return shown.map((j) => () => {
      const from = shown.filter((i) => i !== j);
      // Positions among the neighbours: everybody but oneself.
      const attesters = setOf(
        from.map((i) => (i < j ? i : i - 1)),
        9,
      );
      const all = from.map((i) => tags.get(i)!.get(j)!);
      return reveal(participants.get(ids[j])!, { round: 1, attesters, tags: concatBytes(...all) });
    });
  }

  test('gets no shares from anybody', () => {
    // Participant 0 is dropped to half of them and counted in to the others.
    for (const ask of showing(copyOf(ten), (i) => (i % 2 === 1 ? without(0) : without(9)))) {
      expectRefusal('SECURE_TOO_FEW', ask);
    }
    // Where seven are shown the same, those seven answer, and only they.
    const answers = showing(copyOf(ten), (i) => (i === 8 ? without(9) : without(0)));
    for (const ask of answers.slice(0, 7)) expect(ask().shares.length).toBe(160);
    expectRefusal('SECURE_TOO_FEW', answers[7]);
  });

  test('[SECURE-10] cannot show a second set to anybody', () => {
    const federation = copyOf(ten);
    upToCounted(federation);
    const one = federation.participants.get(ten.ids[1])!;
    const first = attest(one, { round: 1, members: without() });
    expect(attest(one, { round: 1, members: without() })).toEqual(first);
    expectRefusal('SECURE_CONTRADICTION', () => attest(one, { round: 1, members: without(0) }));
  });

  test('[SECURE-15] cannot show a set that is too small, too large or without oneself', () => {
    const federation = copyOf(ten);
    upToCounted(federation);
    const one = federation.participants.get(ten.ids[1])!;
    const show = (members: Uint8Array) => () => attest(one, { round: 1, members });
    expectRefusal('SECURE_TOO_FEW', show(without(0, 2, 3, 4)));
    expectRefusal('SECURE_OUT_OF_TURN', show(without(1)));
    expectRefusal('SECURE_MALFORMED', show(setOf([0, 1, 12], 16)));
    expectRefusal('SECURE_MALFORMED', show(new Uint8Array(1)));
    // The refusals have changed nothing.
    attest(one, { round: 1, members: without(0, 2) });
  });

  test('cannot count in a neighbour that has not dealt', () => {
    const federation = copyOf(ten);
    const { participants, coordinator, ids, entropy } = federation;
    const opened = openSecureRound(coordinator, { round: 1, length: 4, ...FIXED }, QUESTION);
    for (const [id, plan] of opened.to) {
      if (id !== ids[5]) takeDealt(coordinator, id, deal(participants.get(id)!, plan, entropy));
    }
    const delivered = closeDealing(coordinator);
    if (delivered.kind !== 'answers') throw new Error(delivered.reason);
    const one = participants.get(ids[1])!;
    mask(one, delivered.to.get(ids[1])!, values.get(ids[1])!, QUESTION);
    const error = expectRefusal('SECURE_CONTRADICTION', () => attest(one, { round: 1, members: without() }));
    expect(error.message).toContain(ids[5]);
  });
});

test('[SECURE-16] a participant that is set back uses other masks for another question', () => {
  const federation = copyOf(ten);
  const { delivered } = upToCounted(federation);
  const [id] = ten.ids;
  const before = federation.participants.get(id)!;
  const again = { ...before, round: { ...before.round!, masked: undefined, counted: undefined } };
  const own = values.get(id)!;
  const first = before.round!.masked!.message.vector;
  const same = mask(structuredClone(again), delivered.get(id)!, own, QUESTION).vector;
  const other = mask(
    structuredClone(again),
    delivered.get(id)!,
    own,
    QUESTION.map((byte) => byte ^ 1),
  ).vector;
  expect(same).toEqual(first);
  expect(other.filter((byte, i) => byte === first[i]).length).toBeLessThan(first.length / 4);
});

describe('a coordinator that asks twice', () => {
  function attested(federation: Federation) {
    const { coordinator, participants } = federation;
    upToCounted(federation);
    const counted = closeMasking(coordinator);
    if (counted.kind !== 'answers') throw new Error(counted.reason);
    for (const [id, message] of counted.to) {
      takeAttested(coordinator, id, attest(participants.get(id)!, message));
    }
    const attestations = closeAttesting(coordinator);
    if (attestations.kind !== 'answers') throw new Error(attestations.reason);
    return attestations.to;
  }

  test('[SECURE-9] [SECURE-10] gets the same shares, never the other kind', () => {
    const federation = copyOf(ten);
    const to = attested(federation);
    const one = federation.participants.get(ten.ids[1])!;
    const first = reveal(one, to.get(ten.ids[1])!);
    expectRefusal('SECURE_CONTRADICTION', () => attest(one, { round: 1, members: without(0) }));
    expect(reveal(one, to.get(ten.ids[1])!)).toEqual(first);
  });

  test('cannot forge, swap or cut attestations', () => {
    const federation = copyOf(ten);
    const to = attested(federation);
    const one = federation.participants.get(ten.ids[1])!;
    const message = to.get(ten.ids[1])!;
    const forged = message.tags.slice();
    // Six valid ones and oneself are the threshold of seven; with four forged there are five.
    for (const at of [0, 2, 4, 6]) forged[16 * at] ^= 1;
    expectRefusal('SECURE_TOO_FEW', () => reveal(one, { ...message, tags: forged }));
    const swapped = to.get(ten.ids[2])!;
    expectRefusal('SECURE_TOO_FEW', () => reveal(one, swapped));
    expectRefusal('SECURE_MALFORMED', () => reveal(one, { ...message, tags: forged.subarray(1) }));
    const three = { attesters: setOf([0, 1, 2], 9), tags: message.tags.slice(0, 48) };
    expectRefusal('SECURE_TOO_FEW', () => reveal(one, { ...message, ...three }));
    reveal(one, message);
  });

  test('[SECURE-10] [SECURE-16] cannot have a second vector masked, nor one mask with other neighbours', () => {
    const federation = copyOf(ten);
    const { delivered } = upToCounted(federation);
    const one = federation.participants.get(ten.ids[1])!;
    const message = delivered.get(ten.ids[1])!;
    const first = one.round!.masked!.message;
    expect(mask(one, message, new Float64Array(4), QUESTION)).toEqual(first);
    const fewer = { ...message, dealers: setOf([0, 1, 2, 3, 4, 5, 6], 9) };
    expectRefusal('SECURE_CONTRADICTION', () => mask(one, fewer, values.get(one.id)!, QUESTION));
  });

  test('[SECURE-8] [SECURE-10] gets nothing for an old round, nor for one with another plan', () => {
    const federation = copyOf(ten);
    const { plan } = upToCounted(federation, 5);
    const one = federation.participants.get(ten.ids[1])!;
    const again = (change: Partial<RoundPlan>) => () => deal(one, { ...plan, ...change }, federation.entropy);
    expect(again({})()).toEqual(one.round!.dealt);
    expectRefusal('SECURE_CONTRADICTION', again({ length: 5 }));
    expectRefusal('SECURE_OUT_OF_TURN', again({ round: 4 }));
    expectRefusal('SECURE_OUT_OF_TURN', again({ session: new Uint8Array(32) }));
    const old: Counted = { round: 4, members: without() };
    expectRefusal('SECURE_OUT_OF_TURN', () => attest(one, old));
    deal(one, { ...plan, round: 6 }, federation.entropy);
    expectRefusal('SECURE_OUT_OF_TURN', () => attest(one, { round: 5, members: without() }));
  });

  test('cannot replay the attestations of an earlier round', () => {
    const federation = copyOf(ten);
    const old = attested(federation).get(ten.ids[1])!;
    const later = { ...federation, coordinator: { ...ten.coordinator } };
    upToCounted(later, 2);
    const one = later.participants.get(ten.ids[1])!;
    attest(one, { round: 2, members: without() });
    expectRefusal('SECURE_TOO_FEW', () => reveal(one, { ...old, round: 2 }));
  });
});

describe('a roster', () => {
  const fresh = () => {
    const federation = copyOf(ten);
    return { one: federation.participants.get(ten.ids[1])!, roster: ten.roster };
  };
  const security = ten.participants.get(ten.ids[0])!.security;
  const stranger = (id: string) =>
    newParticipant({ federation: FEDERATION, id, security }, seededEntropy(`stranger ${id}`));

  test('[SECURE-13] with a key put in by the coordinator is refused, and the name said', () => {
    const { one, roster } = fresh();
    const members = [...roster.members];
    const spy = advertise(stranger(ten.ids[4]));
    members[4] = spy;
    const error = expectRefusal('SECURE_IDENTITY', () => acceptRoster(one, { members }, PIN, nodePrimitives));
    expect(error.blamed).toBe(ten.ids[4]);
    members[4] = { ...roster.members[4], channelKey: spy.channelKey };
    expectRefusal('SECURE_IDENTITY', () => acceptRoster(one, { members }, PIN, nodePrimitives));
  });

  test('[SECURE-13] is refused without oneself, out of order, with strangers or with a key of low order', () => {
    const { one, roster } = fresh();
    const accept = (members: typeof roster.members, unknown: 'pin' | 'refuse' = 'pin') => {
      return () => acceptRoster(one, { members }, { known: new Map(), unknown }, nodePrimitives);
    };
    expectRefusal('SECURE_IDENTITY', accept(roster.members.filter(({ id }) => id !== one.id)));
    expectRefusal('SECURE_IDENTITY', accept([...roster.members].reverse()));
    expectRefusal('SECURE_IDENTITY', accept([...roster.members, roster.members[9]]));
    expectRefusal('SECURE_IDENTITY', accept([...roster.members, advertise(stranger('x'))], 'refuse'));
    const weak = stranger('y');
    const zero = { ...weak, channel: { ...weak.channel, publicKey: new Uint8Array(32) } };
    expectRefusal('SECURE_IDENTITY', accept([...roster.members, advertise(zero)]));
  });

  test('that differs between participants leaves them without a common key', () => {
    const federation = copyOf(ten);
    const members = [...ten.roster.members, advertise(stranger('x'))];
    const one = federation.participants.get(ten.ids[1])!;
    acceptRoster(one, { members }, PIN, nodePrimitives);
    const opened = openSecureRound(federation.coordinator, { round: 1, length: 4, ...FIXED }, QUESTION);
    const plan = opened.to.get(one.id)!;
    expectRefusal('SECURE_OUT_OF_TURN', () => deal(one, plan, federation.entropy));
    const other = federation.participants.get(ten.ids[2])!;
    const root = (from: typeof one, to: typeof one) =>
      from.seat!.neighbours.find(({ id }) => id === to.id)!.root;
    expect(root(one, other)).not.toEqual(root(other, one));
  });

  test('may change: who stays keeps its keys', () => {
    const federation = copyOf(ten);
    const nine = { members: ten.roster.members.slice(0, 9) };
    const refuse = { known: new Map(), unknown: 'refuse' } as const;
    const never = {
      ...nodePrimitives,
      agree: () => {
        throw new Error('agreed again');
      },
    };
    for (const id of ten.ids.slice(0, 9)) {
      acceptRoster(federation.participants.get(id)!, nine, refuse, never);
    }
  });
});

describe('shares', () => {
  test('changed on their way are rejected and the dealer named; the sum is exact all the same', () => {
    const federation = copyOf(ten);
    const outcome = runRound(federation, 1, values, {}, (kind, id, message) => {
      if (kind !== 'dealing' || id !== ten.ids[3]) return message;
      const dealt = message as unknown as Dealt;
      return { ...message, sealed: dealt.sealed.map((byte, i) => (i % 48 === 0 ? byte ^ 1 : byte)) };
    });
    expectExact(federation, outcome, values, []);
    expect(outcome.faulty).toEqual([ten.ids[3]]);
  });

  test('cut short are refused at once, by name', () => {
    for (const field of ['sealed', 'table', 'commitments'] as const) {
      const error = expectRefusal('SECURE_MALFORMED', () =>
        runRound(copyOf(ten), 1, values, {}, (kind, id, message) => {
          if (kind !== 'dealing' || id !== ten.ids[3]) return message;
          return { ...message, [field]: (message as unknown as Dealt)[field].subarray(1) };
        }),
      );
      expect(error.blamed).toBe(ten.ids[3]);
    }
    expectRefusal('SECURE_MALFORMED', () =>
      runRound(copyOf(ten), 1, values, {}, (kind, _id, message) =>
        kind === 'to masking'
          ? { ...message, sealed: (message as unknown as Delivered).sealed.subarray(1) }
          : message,
      ),
    );
  });

  test('revealed wrongly are corrected and their senders named', () => {
    const federation = makeFederation(30, { name: 'liars' });
    const all = randomValues(federation.ids, 4);
    const liars = [federation.ids[2], federation.ids[7], federation.ids[19]];
    const lie = (kind: string, id: string, message: unknown) => {
      if (kind !== 'revealing' || !liars.includes(id)) return message;
      const revealed = message as Revealed;
      return { ...revealed, shares: revealed.shares.map((byte) => byte ^ 0x55) };
    };
    const outcome = runRound(federation, 1, all, { masking: [federation.ids[4]] }, lie as never);
    expectExact(federation, outcome, all, [federation.ids[4]]);
    expect(outcome.faulty).toEqual(liars);
  });

  test('wrong with none to spare leave the round without a sum', () => {
    const outcome = runRound(
      copyOf(ten),
      1,
      values,
      { revealing: ten.ids.slice(0, 3) },
      (kind, id, message) =>
        kind === 'revealing' && id === ten.ids[5]
          ? { ...message, shares: (message as unknown as Revealed).shares.map((byte) => byte ^ 1) }
          : message,
    );
    expect(outcome).toMatchObject({ kind: 'abandoned', phase: 'revealing' });
  });
});

test('the coordinator refuses messages of others, of other rounds and of the wrong size, and ignores a second copy', () => {
  const federation = copyOf(ten);
  const { coordinator, participants, ids } = federation;
  upToCounted(federation);
  const before = coordinator.round!.sum.slice();
  const message: Masked = participants.get(ids[1])!.round!.masked!.message;
  takeMasked(coordinator, ids[1], message);
  expect(coordinator.round!.sum).toEqual(before);
  expectRefusal('SECURE_IDENTITY', () => takeMasked(coordinator, ids[2], message));
  expectRefusal('SECURE_IDENTITY', () => takeMasked(coordinator, 'nobody', { ...message, from: 99 }));
  expectRefusal('SECURE_OUT_OF_TURN', () => takeMasked(coordinator, ids[1], { ...message, round: 0 }));
  expectRefusal('SECURE_OUT_OF_TURN', () =>
    takeDealt(coordinator, ids[1], participants.get(ids[1])!.round!.dealt),
  );
  expectRefusal('SECURE_MALFORMED', () =>
    takeMasked(coordinator, ids[1], { ...message, vector: message.vector.subarray(8) }),
  );
});
