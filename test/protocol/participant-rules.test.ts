/** PROTOCOL.md, rule by rule: what a participant does. Its machine is spoken to by hand. */
import { describe, expect, test } from 'vitest';
import { ParticipantBench } from '../helpers/participant-bench.ts';

const NONE = { round: 0 };
const bench = (...settings: ConstructorParameters<typeof ParticipantBench>) =>
  new ParticipantBench(...settings);

describe('retransmission', () => {
  test('[RETRY-1] join, moments, answer and leave are sent again when the timer fires, the timer is retryMs', () => {
    const one = bench();
    expect(one.start()).toMatchObject([{ kind: 'join' }]);
    expect(one.timer()).toMatchObject([{ kind: 'join' }]);
    expect(one.welcome('not yet')).toMatchObject([{ kind: 'moments', count: 1 }]);
    expect(one.timer()).toMatchObject([{ kind: 'moments' }]);
    one.welcome();
    one.prepared();
    const answer = one.answers(1, NONE, 4);
    expect(one.timer()).toEqual([answer]);
    expect(one.log.at(-1)).toBe('timer');
    expect(one.leave()).toMatchObject([{ kind: 'leave', session: 1 }]);
    expect(one.timer()).toMatchObject([{ kind: 'leave', session: 1 }]);
  });

  test('[RETRY-2] [ROUND-5] a round that is received again is answered with the stored answer, and not solved again', () => {
    const one = bench().ready();
    const answer = one.answers(1, NONE, 4);
    expect(one.round(1, NONE)).toEqual([answer]);
    expect(one.round(1, NONE)).toEqual([answer]);
    expect(one.log.filter((type) => type === 'solve')).toHaveLength(1);
  });

  test('[RETRY-3] [REST-2] who rests sends nothing on a timer, and a higher round wakes it', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.finish(1, { round: 1 });
    one.solved(5);
    expect(one.state.phase).toBe('finished');
    expect(one.log.at(-1)).not.toBe('timer');
    one.round(2, { round: 1 });
    expect(one.state.phase).toBe('solving');
  });
});

describe('sessions', () => {
  test('[SESSION-1] [JOIN-1] a start is a new session, stored before the join that names it', () => {
    const one = bench();
    expect(one.start()).toMatchObject([{ kind: 'join', session: 1 }]);
    expect(one.log.slice(0, 2)).toEqual(['persist', 'send join']);
    expect(one.crashAndRestart()).toMatchObject([{ kind: 'join', session: 2 }]);
    expect(one.disk!.session).toBe(2);
  });

  test('[SESSION-3] what is addressed to another session changes nothing, what is for any session is taken', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    expect(one.round(2, { round: 1 }, { session: 9 })).toMatchObject([
      { kind: 'join', session: 1, pending: 1 },
    ]);
    expect(one.receive({ kind: 'outcome', session: 9, round: 1, accepted: { round: 1 } })).toEqual([]);
    expect(one.receive({ kind: 'reject', code: 'FORGOTTEN', session: 9, message: '' })).toEqual([]);
    expect(one.contribution).toBeUndefined();
    const rejoined = one.receive({ kind: 'reject', code: 'NOT_JOINED', session: 0, message: '' });
    expect(rejoined).toMatchObject([{ kind: 'join' }]);
  });

  test('[SESSION-4] [ANSWER-8] after a crash the stored answer is sent in the new session, and nothing is solved', () => {
    const one = bench().ready();
    const answer = one.answers(1, NONE, 4);
    const solves = one.log.filter((type) => type === 'solve').length;
    one.crashAndRestart();
    expect(one.round(1, NONE)).toEqual([{ ...answer, session: 2 }]);
    expect(one.log.filter((type) => type === 'solve')).toHaveLength(solves);
  });
});

describe('joining', () => {
  test('[JOIN-2] on NOT_JOINED it joins; while it leaves, it has left', () => {
    const one = bench().ready();
    const reject = { kind: 'reject', code: 'NOT_JOINED', session: 0, message: '' } as const;
    expect(one.receive(reject)).toMatchObject([{ kind: 'join', base: 0 }]);
    one.leave();
    expect(one.receive(reject)).toEqual([]);
    expect(one.state.phase).toBe('gone');
  });

  test.each(['WRONG_FEATURES', 'BAD_VERSION'] as const)('[JOIN-3] [JOIN-7] on %s it stops', (code) => {
    const one = bench();
    one.start();
    one.receive({ kind: 'reject', code, session: 0, message: 'a sentence' });
    expect(one.state).toMatchObject({ phase: 'refused', refusal: { code, message: 'a sentence' } });
    expect(one.timer()).toEqual([]);
  });

  test('[JOIN-5] [LEAVE-3] on FORGOTTEN it drops all answers and joins in a new session, stored first', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.answers(2, { round: 1 }, 6);
    one.log.length = 0;
    const sent = one.receive({ kind: 'reject', code: 'FORGOTTEN', session: 1, message: '' });
    expect(sent).toMatchObject([{ kind: 'join', session: 2, base: 0, pending: 0 }]);
    expect(one.log.indexOf('persist')).toBeLessThan(one.log.indexOf('send join'));
    expect(one.disk).toMatchObject({ session: 2, base: 0 });
    expect(one.disk).not.toHaveProperty('committed.u');
    // Of a coordinator that has lost its store: another scaling, and it begins from the start.
    one.welcome('scaled', 3);
    expect(one.log.at(-1)).toBe('prepare');
  });

  test('[SCALE-1] [SCALE-3] moments are sent where the welcome has no scaling, and never where it has', () => {
    const early = bench();
    early.start();
    expect(early.welcome('not yet')).toMatchObject([{ kind: 'moments' }]);
    const late = bench();
    late.start();
    expect(late.welcome()).toEqual([]);
    expect(late.log.at(-1)).toBe('prepare');
  });

  test('[SECURE-3] [FAULT-1] who has no secret refuses a federation with secure aggregation, and sends nothing but a code', () => {
    const one = bench({ secure: { scaleBits: 30, limit: 100, dropout: 0.2, corrupted: 0.2 } });
    one.start();
    const fault = { kind: 'fault', session: 1, round: 0, code: 'WRONG_OPTIONS' };
    expect(one.welcome('not yet')).toEqual([fault]);
    expect(one.state).toMatchObject({ phase: 'refused', refusal: { code: 'NOT_SECURE' } });
  });
});

describe('rounds', () => {
  test('[ROUND-1] [ANSWER-8] [ACCEPT-5] it settles and stores, solves, stores the answer, and only then sends it', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.log.length = 0;
    one.answers(2, { round: 1 }, 6);
    expect(one.log).toEqual(['persist', 'solve', 'persist', 'send answer', 'timer']);
    expect(one.disk!.pending!.message).toMatchObject({ round: 2, base: 1 });
  });

  test('[ROUND-6] still solving when a newer round opens: restart drops the work, resume goes on from it', () => {
    const restart = bench({ straggler: 'restart' }).ready();
    restart.round(1, NONE);
    restart.round(2, NONE);
    expect(restart.log.slice(-2)).toEqual(['cancel', 'solve']);
    expect(restart.request).toMatchObject({ round: 2, warm: undefined });
    const resume = bench({ straggler: 'resume' }).ready();
    resume.round(1, NONE);
    resume.round(2, NONE);
    expect(resume.log.at(-1)).toBe('interrupt');
    expect(resume.solved(4)).toEqual([]);
    expect(resume.request).toMatchObject({ round: 2, passes: 50 - 3 });
  });

  test('[ROUND-6] with anytime a solve has less than waitMs, otherwise as long as it takes', () => {
    const anytime = bench({ straggler: 'anytime' }).ready();
    anytime.round(1, NONE, { waitMs: 200 });
    expect(anytime.request!.budgetMs).toBeLessThan(200);
    const restart = bench({ straggler: 'restart' }).ready();
    restart.round(1, NONE, { waitMs: 200 });
    expect(restart.request!.budgetMs).toBe(Infinity);
  });

  test('[ANSWER-9] the accepted contribution goes along exactly where the round asks for it and there is one', () => {
    const one = bench().ready();
    expect(one.answers(1, NONE, 4, { sendPrevious: true }).previous).toBeUndefined();
    expect(one.answers(2, { round: 1 }, 6).previous).toBeUndefined();
    expect([...one.answers(3, { round: 2 }, 8, { sendPrevious: true }).previous!]).toEqual([6]);
  });
});

describe('accepted answers', () => {
  test.each(['round', 'outcome', 'finish'] as const)(
    '[ACCEPT-1] a %s that names the pending answer commits it',
    (by) => {
      const one = bench().ready();
      one.answers(1, NONE, 4);
      if (by === 'round') one.round(2, { round: 1 });
      else if (by === 'finish') one.finish(1, { round: 1 });
      else one.receive({ kind: 'outcome', session: 1, round: 1, accepted: { round: 1 } });
      expect(one.contribution).toBe(4);
      expect(one.disk).toMatchObject({ base: 1 });
      expect(one.disk!.pending).toBeUndefined();
    },
  );

  test('[ACCEPT-2] with a factor the contribution moves by that share of the change', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.answers(2, { round: 1 }, 8);
    // Its duals were of other rows: what counts is the vector.
    one.state.stored = {
      ...one.state.stored,
      committed: { ...one.state.stored.committed!, beta: Float64Array.of(1) },
    };
    one.round(3, { round: 2, factor: 0.25 });
    expect(one.contribution).toBe(5);
  });

  test('[ACCEPT-3] an answer that is not named was missed: what was accepted before stays', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.answers(2, { round: 1 }, 8);
    one.round(3, { round: 1 });
    expect(one.contribution).toBe(4);
    expect(one.disk).toMatchObject({ base: 1 });
    expect(one.disk!.pending).toBeUndefined();
  });

  test.each(['round', 'finish'] as const)(
    '[ACCEPT-4] round 0 in a %s: what was accepted is dropped',
    (by) => {
      const one = bench().ready();
      one.answers(1, NONE, 4);
      one.answers(2, { round: 1 }, 8);
      if (by === 'round') {
        expect(one.answers(3, NONE, 9)).toMatchObject({ round: 3, base: 0 });
      } else one.finish(3, NONE);
      expect(one.contribution).toBeUndefined();
      expect(one.disk).toMatchObject({ base: 0 });
    },
  );

  test('[ACCEPT-5] nothing is committed or dropped without a message that says so', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    for (let i = 0; i < 5; i++) one.timer();
    one.crashAndRestart();
    expect(one.contribution).toBeUndefined();
    expect(one.disk!.pending!.message.round).toBe(1);
  });

  test('[ACCEPT-6] a round that names neither answer: it joins again, and begins a new session after 20 in a row', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.receive({ kind: 'outcome', session: 1, round: 1, accepted: { round: 1 } });
    for (let round = 3; round < 22; round++) {
      expect(one.round(round, { round: 2 })).toMatchObject([{ kind: 'join', base: 1, session: 1 }]);
    }
    expect(one.round(22, { round: 2 })).toMatchObject([{ kind: 'join', base: 0, pending: 0, session: 2 }]);
    expect(one.disk).toMatchObject({ session: 2, base: 0, committed: undefined });
  });

  test('[ACCEPT-6] with steps it stops instead: nothing can be given again', () => {
    const one = bench({ training: 'steps' }).ready();
    one.answers(1, NONE, 4);
    one.receive({ kind: 'outcome', session: 1, round: 1, accepted: { round: 1 } });
    for (let round = 3; round < 22; round++) {
      expect(one.round(round, { round: 2 })).toMatchObject([{ kind: 'join', base: 1 }]);
    }
    const fault = { kind: 'fault', session: 1, round: 1, code: 'STATE_MISMATCH' };
    expect(one.round(22, { round: 2 })).toEqual([fault]);
    expect(one.state).toMatchObject({ phase: 'refused', refusal: { code: 'STATE_MISMATCH' } });
  });
});

describe('rejects', () => {
  test('[ANSWER-4] on STATE_MISMATCH it joins again', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    const sent = one.receive({ kind: 'reject', code: 'STATE_MISMATCH', session: 0, message: '' });
    expect(sent).toMatchObject([{ kind: 'join', base: 0, pending: 1 }]);
  });

  test('[ANSWER-3] on FUTURE_ROUND it says what it knows, and keeps its answer', () => {
    const one = bench().ready();
    const answer = one.answers(1, NONE, 4);
    const sent = one.receive({ kind: 'reject', code: 'FUTURE_ROUND', session: 0, message: '' });
    expect(sent).toMatchObject([{ kind: 'join', base: 0, pending: 1 }]);
    expect(one.timer()).toEqual([answer]);
  });

  test.each([
    'BAD_FRAME',
    'NOT_FINITE',
    'WRONG_SHAPE',
    'INFEASIBLE',
    'TOO_LARGE',
    'WRONG_IDENTITY',
    'RATE_LIMITED',
  ] as const)(
    '[REJECT-4] on %s it goes on: the answer stays pending, and the next round settles it',
    (code) => {
      const one = bench().ready();
      const answer = one.answers(1, NONE, 4);
      expect(one.receive({ kind: 'reject', code, session: 0, message: '' })).toEqual([]);
      expect(one.timer()).toEqual([answer]);
      one.round(2, NONE);
      expect(one.state).toMatchObject({ phase: 'solving', solvingRound: 2 });
    },
  );
});

describe('rest', () => {
  test('[REST-1] finish settles the pending answer, and the personal part to the final w is solved for and not sent', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    expect(one.finish(1, { round: 1 })).toEqual([]);
    expect(one.contribution).toBe(4);
    expect(one.request).toMatchObject({ purpose: 'personalise', w: Float64Array.of(7) });
    expect(one.solved(5)).toEqual([]);
    expect(one.disk!.model).toMatchObject({ w: Float64Array.of(7), u: Float64Array.of(5) });
    expect(one.contribution).toBe(4);
  });

  test('[ROUND-9] [REST-6] a round or a rest below what it knows is answered with what that is', () => {
    const one = bench().ready();
    one.answers(5, NONE, 4);
    one.round(6, { round: 5 });
    const known = [{ kind: 'join', base: 5, pending: 0 }];
    expect(one.round(5, { round: 3 })).toMatchObject(known);
    expect(one.round(2, NONE)).toMatchObject(known);
    expect(one.finish(4, { round: 3 })).toMatchObject(known);
    expect(one.disk).toMatchObject({ base: 5 });
    one.leave();
    expect(one.round(2, NONE)).toEqual([]);
  });

  test('[LEAVE-1] leaving ends with a finish for that reason, and no round after it is answered', () => {
    const one = bench().ready();
    one.answers(1, NONE, 4);
    one.leave();
    expect(one.round(2, { round: 1 })).toEqual([]);
    one.finish(1, { round: 1 }, { reason: 'left' });
    expect(one.state.phase).toBe('gone');
    expect(one.disk).toMatchObject({ finished: 'left', base: 1 });
  });
});
