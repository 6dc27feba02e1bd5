/** PROTOCOL.md, rule by rule: what the coordinator does, where no other test shows it. Its machine is spoken to by hand. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_SECURE } from '../../src/coordinator/options.ts';
import { inquiryOf } from '../../src/coordinator/training.ts';
import type { FaultCode } from '../../src/protocol/codes.ts';
import type { Moments, ToCoordinator } from '../../src/protocol/messages.ts';
import { answer, Bench, sentTo } from '../helpers/coordinator-bench.ts';
import { USUAL_CLASSES } from '../helpers/moments.ts';
import { ParticipantBench } from '../helpers/participant-bench.ts';

const MOMENTS: Moments = {
  kind: 'moments',
  count: 3,
  mean: Float64Array.of(0),
  m2: Float64Array.of(1),
  ...USUAL_CLASSES,
};

describe('retransmission and sessions', () => {
  test('[RETRY-1] the round is sent again after retryMs to those who have not answered, and to no others', () => {
    const bench = new Bench({ retryMs: 50 });
    bench.gather('a', 'b');
    bench.answer('a');
    bench.now = 50;
    const effects = bench.tell({ type: 'timer' });
    expect(sentTo(effects, 'b')).toMatchObject([{ kind: 'round', round: 1 }]);
    expect(sentTo(effects, 'a')).toEqual([]);
  });

  test('[SESSION-2] the session that joined last is addressed, and what comes from an earlier one is ignored', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(sentTo(bench.join('a', { session: 3 }), 'a')).toMatchObject([
      { kind: 'welcome' },
      { kind: 'round', session: 3 },
    ]);
    expect(bench.join('a', { session: 2 })).toEqual([]);
    expect(bench.say('a', { kind: 'leave', session: 2 })).toEqual([]);
    expect(bench.state.members.get('a')).toMatchObject({ session: 3, presence: 'here' });
    expect(bench.say('a', answer(1, 0, { session: 2 }))).toEqual([]);
    expect(sentTo(bench.say('a', answer(1, 0, { session: 4 })), 'a')).toMatchObject([{ code: 'NOT_JOINED' }]);
  });
});

describe('joining and scaling', () => {
  test('[JOIN-10] who knows of rounds that the store does not is FORGOTTEN, and its answers are dropped', () => {
    const known = { session: 1, base: 1, pending: 0 };
    for (const ahead of [{ base: 2 }, { base: 9 }, { base: 1, pending: 9 }]) {
      const bench = new Bench();
      bench.gather('a', 'b');
      bench.answer('a', 'b');
      bench.tell({ type: 'summed' });
      expect(sentTo(bench.join('a', known), 'a')).toMatchObject([{ kind: 'welcome' }, { kind: 'round' }]);
      const effects = bench.join('a', { ...known, ...ahead });
      expect(effects[0]).toMatchObject({ type: 'persist' });
      expect(sentTo(effects, 'a')).toMatchObject([
        { kind: 'reject', code: 'FORGOTTEN', session: 1 },
        { kind: 'round' },
      ]);
      const { index, accepted } = bench.state.members.get('a')!;
      expect(inquiryOf(bench.state)!.hasAnswered(index)).toBe(false);
      expect(accepted.round).toBe(0);
      expect(bench.state.members.get('b')!.accepted.round).toBe(1);
    }
  });

  test('[JOIN-11] a new session that does not know the accepted answer has it dropped; one that has not heard of it keeps it', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    const accepted = () => bench.state.members.get('a')!.accepted.round;
    bench.join('a', { session: 2, base: 0, pending: 1 });
    expect(accepted()).toBe(1);
    // Late on its way.
    bench.join('a', { session: 2, base: 0, pending: 0 });
    expect(accepted()).toBe(1);
    bench.join('a', { session: 3, base: 0, pending: 0 });
    expect(accepted()).toBe(0);
  });

  test('[JOIN-12] whoever is connected and has not joined since the process began is asked to', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(bench.tell({ type: 'present', id: 'a' })).toMatchObject([
      { type: 'send', to: 'a', message: { kind: 'reject', code: 'NOT_JOINED', session: 0 } },
    ]);
  });

  test('[JOIN-1] a join is answered with welcome, and with the present round or finish', () => {
    const bench = new Bench();
    expect(sentTo(bench.join('a'), 'a')).toMatchObject([{ kind: 'welcome', scaling: undefined }]);
    bench.gather('a', 'b');
    expect(sentTo(bench.join('a', { session: 2 }), 'a')).toMatchObject([
      { kind: 'welcome' },
      { kind: 'round' },
    ]);
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    bench.tell({ type: 'finish' });
    expect(sentTo(bench.join('a', { session: 3 }), 'a')).toMatchObject([
      { kind: 'welcome' },
      { kind: 'finish' },
    ]);
  });

  test.each([{ base: 7 }, { pending: 7 }])(
    '[JOIN-4] a join of somebody unknown with %j is FORGOTTEN',
    (claim) => {
      const bench = new Bench();
      expect(sentTo(bench.join('x', { session: 4, ...claim }), 'x')).toMatchObject([
        { kind: 'reject', code: 'FORGOTTEN', session: 4 },
      ]);
      expect(bench.state.members.has('x')).toBe(false);
    },
  );

  test('[JOIN-4] [LEAVE-3] who is forgotten is sent so, and only a later session of it is taken', () => {
    const bench = new Bench();
    bench.gather('a', 'b', 'c');
    bench.answer('a', 'b', 'c');
    bench.tell({ type: 'summed' });
    const sum = [...inquiryOf(bench.state)!.u];
    expect(sentTo(bench.forget('c'), 'c')).toMatchObject([{ kind: 'reject', code: 'FORGOTTEN', session: 1 }]);
    expect(inquiryOf(bench.state)!.u[0]).toBeCloseTo(sum[0] - 1, 12);
    expect(sentTo(bench.join('c', { session: 1 }), 'c')).toMatchObject([{ code: 'FORGOTTEN' }]);
    expect(sentTo(bench.join('c', { session: 2 }), 'c')[0]).toMatchObject({ kind: 'welcome' });
  });

  test('[SCALE-2] [SCALE-3] the scaling is settled once all have sent their moments, and stays', () => {
    const bench = new Bench();
    bench.join('a');
    bench.join('b');
    expect(bench.say('a', MOMENTS)).toEqual([]);
    const effects = bench.say('b', { ...MOMENTS, mean: Float64Array.of(2) });
    for (const id of ['a', 'b']) {
      expect(sentTo(effects, id)).toMatchObject([
        { kind: 'welcome', scaling: { shift: Float64Array.of(1) } },
        { kind: 'round' },
      ]);
    }
    // Moments that come afterwards change nothing, and a newcomer is not asked for its own.
    const late = bench.say('a', { ...MOMENTS, mean: Float64Array.of(9) });
    expect(sentTo(late, 'a')).toMatchObject([{ kind: 'welcome', scaling: { shift: Float64Array.of(1) } }]);
    expect(sentTo(bench.join('c'), 'c')[0]).toMatchObject({ scaling: { shift: Float64Array.of(1) } });
  });
});

describe('rounds', () => {
  test('[ROUND-2] a round closes with the last answer that it waits for, or when time is up', () => {
    const all = new Bench();
    all.gather('a', 'b');
    all.answer('a');
    expect(all.state.phase).toBe('open');
    all.answer('b');
    expect(all.state.phase).toBe('summing');
    const timed = new Bench({ waiting: { kind: 'fixed', ms: 20 } });
    timed.gather('a', 'b');
    timed.answer('a');
    timed.now = 19;
    timed.tell({ type: 'timer' });
    expect(timed.state.phase).toBe('open');
    timed.now = 20;
    timed.tell({ type: 'timer' });
    expect(timed.state.phase).toBe('summing');
  });

  test('[ROUND-7] a certifying round waits for everybody, longer than others do', () => {
    const stop = { gap: 0, rounds: 1, timeMs: 1e9, stall: 1e9 };
    const bench = new Bench({
      aggregation: 'safe',
      waiting: { kind: 'fixed', ms: 20 },
      maxWaitMs: 1000,
      stop,
    });
    bench.gather('a', 'b');
    const zero = { u: new Float64Array(2), scalars: { loss: 3, dualSum: 0, uNorm2: 0, wDotU: 0 } };
    for (const id of ['a', 'b']) bench.say(id, answer(1, 0, zero));
    const effects = bench.tell({ type: 'summed' });
    expect(sentTo(effects, 'a')).toMatchObject([{ kind: 'round', round: 2, purpose: 'certify' }]);
    bench.say('a', answer(2, 1, { ...zero, passes: 0 }));
    bench.now = 500;
    bench.tell({ type: 'timer' });
    expect(bench.state.phase).toBe('open');
    bench.say('b', answer(2, 1, { ...zero, passes: 0 }));
    expect(bench.state.phase).toBe('summing');
  });

  test('[REJECT-1] a refusal changes nothing but its count', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    const before = structuredClone({ ...bench.state, rejections: undefined });
    const refused: ToCoordinator[] = [answer(9, 0), answer(1, 7), answer(1, 0, { u: new Float64Array(5) })];
    for (const message of refused)
      expect(sentTo(bench.say('a', message), 'a')).toMatchObject([{ kind: 'reject' }]);
    expect({ ...bench.state, rejections: undefined }).toEqual(before);
    expect([...bench.state.rejections.values()]).toEqual([1, 1, 1]);
  });
});

describe('leaving and rest', () => {
  test('[LEAVE-1] [LEAVE-2] [ROUND-8] a leaver gets finish, stays in the sum, is asked no more, and may come back', () => {
    const bench = new Bench({ stop: { gap: 0, rounds: 99, timeMs: 1e9, stall: 99 } });
    bench.gather('a', 'b');
    bench.answer('a', 'b');
    bench.tell({ type: 'summed' });
    const sum = [...inquiryOf(bench.state)!.u];
    expect(sentTo(bench.say('b', { kind: 'leave', session: 1 }), 'b')).toMatchObject([
      { kind: 'finish', reason: 'left', accepted: { round: 1 } },
    ]);
    expect([...inquiryOf(bench.state)!.u]).toEqual(sum);
    bench.answer('a');
    expect(sentTo(bench.tell({ type: 'summed' }), 'b')).toEqual([]);
    expect(bench.join('b')).toEqual([]);
    expect(sentTo(bench.join('b', { session: 2, base: 1 }), 'b')).toMatchObject([
      { kind: 'welcome' },
      { kind: 'round' },
    ]);
  });
});

describe('secure aggregation', () => {
  test('[SECURE-1] moments and answers in the clear are refused', () => {
    const bench = new Bench({ secure: DEFAULT_SECURE });
    bench.join('a', { rows: 1 });
    for (const message of [MOMENTS, answer(1, 0)]) {
      expect(sentTo(bench.say('a', message), 'a')).toMatchObject([{ kind: 'reject', code: 'INFEASIBLE' }]);
    }
  });

  test('[SECURE-2] its messages are refused where the settings do not have it', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    const message = { kind: 'attested', session: 1, round: 1, from: 0, tags: new Uint8Array(16) } as const;
    expect(sentTo(bench.say('a', message), 'a')).toMatchObject([{ kind: 'reject', code: 'INFEASIBLE' }]);
  });

  test('[SECURE-11] a plan of an unknown roster is answered with advertise, and that with the roster and the plan', () => {
    const bench = new Bench({ secure: DEFAULT_SECURE, positive: '1' });
    const peers = ['a', 'b'].map((id, i) => {
      const secure = { secret: new Uint8Array(32).fill(i + 1) };
      const peer = new ParticipantBench({}, { id, secure });
      peer.start();
      const [welcome] = sentTo(bench.join(id, { rows: 1 }), id);
      const [advertise] = peer.receive(welcome);
      return { id, peer, advertise };
    });
    expect(peers.map(({ advertise }) => advertise.kind)).toEqual(['advertise', 'advertise']);
    const opened = peers.flatMap(({ id, advertise }) => bench.say(id, advertise));
    const [, plan] = sentTo(opened, 'a');
    expect(sentTo(opened, 'a')).toMatchObject([
      { kind: 'roster' },
      { kind: 'plan', round: 1, purpose: 'measure' },
    ]);
    // The roster was lost on its way to a.
    const [asked] = peers[0].peer.receive(plan);
    expect(asked).toEqual(peers[0].advertise);
    expect(sentTo(bench.say('a', asked), 'a')).toMatchObject([
      { kind: 'roster' },
      { kind: 'plan', round: 1 },
    ]);
  });
});

describe('failures of participants', () => {
  const fault = (code: FaultCode, session = 1) => ({ kind: 'fault', session, round: 1, code }) as const;

  test('[FAULT-2] they are counted by code, and the last is known until the next answer', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    expect(bench.say('a', fault('SOLVER_FAILED'))).toEqual([
      { type: 'fault', id: 'a', code: 'SOLVER_FAILED', round: 1 },
    ]);
    bench.say('b', fault('SOLVER_FAILED'));
    bench.say('a', fault('STORAGE_FAILED'));
    expect([...bench.state.faults]).toEqual([
      ['SOLVER_FAILED', 2],
      ['STORAGE_FAILED', 1],
    ]);
    expect(bench.state.members.get('a')!.fault).toBe('STORAGE_FAILED');
    bench.answer('a');
    expect(bench.state.members.get('a')!.fault).toBeUndefined();
  });

  test('[FAULT-2] nothing else comes of them: the round waits and closes as it would have', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    const before = structuredClone(bench.disk.run);
    bench.away('a');
    bench.say('a', fault('OUT_OF_MEMORY'));
    expect(bench.state.members.get('a')).toMatchObject({ isAway: true, answered: false });
    expect(bench.disk.run).toEqual(before);
    expect(bench.answer('b')).toContainEqual({ type: 'summation', ms: 0 });
  });

  test('[FAULT-2] who floods is counted five times, then once in ten seconds; late ones of an earlier session not at all', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    for (let i = 0; i < 100; i++) bench.say('a', fault('OTHER'));
    expect(bench.state.faults.get('OTHER')).toBe(5);
    bench.now += 10_000;
    for (let i = 0; i < 100; i++) bench.say('a', fault('OTHER'));
    expect(bench.state.faults.get('OTHER')).toBe(6);
    bench.join('b', { session: 3 });
    expect(bench.say('b', fault('OTHER', 2))).toEqual([]);
    bench.say('b', fault('OTHER', 3));
    expect(bench.state.faults.get('OTHER')).toBe(7);
    expect(sentTo(bench.say('stranger', fault('OTHER')), 'stranger')).toMatchObject([{ code: 'NOT_JOINED' }]);
  });

  test('[DECLINE-2] a decline is known as one, too', () => {
    const bench = new Bench();
    bench.gather('a', 'b');
    bench.say('a', { kind: 'decline', session: 1, round: 1, code: 'EFFORT' });
    expect(bench.state.members.get('a')!.fault).toBe('DECLINED');
    expect(bench.state.faults.size).toBe(0);
  });
});
