/**
 * The coordinator's side of training by answers (inquiry.ts): whoever answers, however exactly, in whatever order and after whatever
 * crash, its sums are those of the accepted answers and its bounds hold. The truth they are held against is computed from everybody's
 * rows by a written-out solver (helpers/reference.ts).
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Stream, stream } from '../../src/base/random.ts';
import { answer, boundsOf } from '../../src/solver/answer.ts';
import { Inquiry } from '../../src/solver/inquiry.ts';
import type { SingleAnswer, Standing } from '../../src/solver/inquiry-types.ts';
import { dot, norm, plusScaled } from '../../src/solver/vector.ts';
import {
  makeProblem,
  type ProblemShape,
  problemShape,
  type RandomProblem,
  randomVector,
  shardsOf,
  solvableShape,
} from '../helpers/problems.ts';
import { type Interval, optimum, primalAt } from '../helpers/reference.ts';
import { AnswerRounds } from '../helpers/rounds.ts';

const NOBODY: ReadonlySet<number> = new Set();

/** P(w) of those who have answered; of the missing their last cuts alone. */
function truthAt(
  problem: RandomProblem,
  { accepted }: AnswerRounds,
  w: Float64Array,
  missing: ReadonlySet<number>,
): Interval {
  const covered = [...accepted.keys()].filter((k) => !missing.has(k));
  const { primal, dual } = primalAt(problem, w, covered);
  let still = 0;
  for (const [k, { u, constant }] of accepted) if (missing.has(k)) still += constant - dot(w, u);
  return { primal: primal + still, dual: dual + still };
}

/** That the bounds are bounds, at the model in use, where the next query is, and elsewhere; and that nothing is lost. */
function expectTruth(
  problem: RandomProblem,
  rounds: AnswerRounds,
  { primal, dual, relativeGap }: Standing,
  missing = NOBODY,
): void {
  const { inquiry, sum } = rounds;
  const rounding = 1e-10 * (Math.abs(dual) + (Number.isFinite(primal) ? Math.abs(primal) : 0) + 1e-3);
  expect(relativeGap).toBeGreaterThanOrEqual(0);
  expect(dual).toBeLessThanOrEqual(primal + rounding);
  expect(truthAt(problem, rounds, inquiry.w, missing).dual).toBeLessThanOrEqual(primal + rounding);
  for (const w of [inquiry.w, inquiry.query, sum, randomVector(problem.d, 1, rounds.round, 'elsewhere')]) {
    expect(dual).toBeLessThanOrEqual(truthAt(problem, rounds, w, missing).primal + rounding);
  }
  expectConservation(rounds);
}

/** Sums of changes are rounded by the largest of them. */
function expectConservation({ inquiry, largest, sum }: AnswerRounds): void {
  expect(norm(plusScaled(inquiry.u, -1, sum))).toBeLessThanOrEqual(1e-13 * largest);
}

/** Primal never rises and dual never falls from one round to the next. */
class Course {
  private last: Standing | undefined;

  note(standing: Standing): void {
    if (this.last) {
      expect(standing.primal).toBeLessThanOrEqual(this.last.primal);
      expect(standing.dual).toBeGreaterThanOrEqual(this.last.dual);
    }
    this.last = standing;
  }

  /** Another problem: bounds start again. */
  restart(): void {
    this.last = undefined;
  }
}

/** A subset that somebody is always in. */
function someOf(random: Stream, count: number, share: number): (k: number) => boolean {
  const chosen = new Set([random.below(count)]);
  for (let k = 0; k < count; k++) if (random.uniform() < share) chosen.add(k);
  return (k) => chosen.has(k);
}

const lax = { passes: fc.constantFrom(1, 1, 3, 20), share: fc.constantFrom(0.3, 0.7, 1) };

describe.each(['single answers', 'sums'] as const)('an inquiry that sees %s', (sees) => {
  const roundsOn = (problem: RandomProblem) =>
    new AnswerRounds(shardsOf(problem), { sees, claims: 'trusted' });

  test('bounds are bounds and sums are sums, with any subset answering, after any number of passes', () => {
    fc.assert(
      fc.property(problemShape, lax.passes, lax.share, (shape, passes, share) => {
        const problem = makeProblem(shape);
        const rounds = roundsOn(problem);
        const random = stream(shape.seed, 'who');
        const course = new Course();
        for (let r = 0; r < 8; r++) {
          const heard = rounds.accepted.size;
          const answers = someOf(random, shape.participants, share);
          const standing = rounds.step({ passes, tolerance: 1e-9, answers });
          if (rounds.accepted.size > heard) course.restart();
          course.note(standing);
          expectTruth(problem, rounds, standing);
          expect(standing.everybody).toBe([...rounds.accepted.keys()].every(answers));
          expect(standing.likelyGap).toBeLessThanOrEqual(standing.relativeGap * (1 + 1e-9));
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a relative gap of 1e-6 is reached on small problems, at the optimum', () => {
    fc.assert(
      fc.property(solvableShape, (shape) => {
        const problem = makeProblem(shape);
        const rounds = roundsOn(problem);
        const course = new Course();
        let standing = rounds.step();
        while (standing.relativeGap > 1e-6 && rounds.round < 400) {
          standing = rounds.step();
          course.note(standing);
        }
        const truth = optimum(problem);
        const rounding = 1e-9 * standing.primal + 1e-12;
        expect(standing.relativeGap).toBeLessThanOrEqual(1e-6);
        // Both intervals hold the optimum, so they overlap; and that of the reference is not so wide as to say nothing.
        expect(truth.primal).toBeGreaterThanOrEqual(standing.dual - rounding);
        expect(standing.primal).toBeGreaterThanOrEqual(truth.dual - rounding);
        expect(truth.primal - truth.dual).toBeLessThan(0.02 * truth.primal + 1e-9);
        // At the optimum w = sum u. P is strongly convex: no w with a small gap is far from it.
        const { w, u } = rounds.inquiry;
        expect(norm(plusScaled(w, -1, u))).toBeLessThanOrEqual(
          (2 + shape.participants * shape.c2) * Math.sqrt(2e-6 * standing.primal) + 1e-9,
        );
      }),
      { numRuns: 40 },
    );
  });

  test('answers after one pass, from half of the members, get there, too', () => {
    fc.assert(
      fc.property(solvableShape, (shape) => {
        // Where coordinate ascent takes hundreds of passes one pass a round takes hundreds of rounds.
        fc.pre(shape.c1 / shape.c2 <= 2 && shape.c2 <= 20);
        const problem = makeProblem(shape);
        const rounds = roundsOn(problem);
        const random = stream(shape.seed, 'who');
        let gap = 1;
        while (rounds.round < 400 && (gap > 1e-2 || rounds.accepted.size < shape.participants)) {
          const answers = someOf(random, shape.participants, 0.5);
          gap = rounds.step({ passes: 1, tolerance: 1e-9, answers }).relativeGap;
        }
        expect(gap).toBeLessThanOrEqual(1e-2);
        expect(rounds.accepted.size).toBe(shape.participants);
      }),
      { numRuns: 20 },
    );
  });

  test('who is missing counts by its last cut: the bounds are those of the problem of the others', () => {
    fc.assert(
      fc.property(problemShape, lax.passes, fc.integer({ min: 1, max: 4 }), (shape, passes, together) => {
        const problem = makeProblem({ ...shape, participants: shape.participants + 1 });
        const rounds = roundsOn(problem);
        const random = stream(shape.seed, 'who');
        const course = new Course();
        for (let r = 0; r < together; r++) rounds.step({ passes, tolerance: 1e-9 });
        for (let absence = 0; absence < 3; absence++) {
          const missing = new Set([random.below(shape.participants + 1)]);
          course.restart();
          for (let r = 0; r < 3; r++) {
            // Somebody may leave just after it has answered.
            const answers = (k: number) => random.uniform() < (missing.has(k) ? 0.5 : 0.8);
            const [gone] = missing;
            const before = rounds.accepted.get(gone);
            const standing = rounds.step({ passes, tolerance: 1e-9, answers, missing });
            if (rounds.accepted.get(gone) !== before) course.restart();
            course.note(standing);
            expectTruth(problem, rounds, standing, missing);
          }
          // Back again.
          course.restart();
          for (let r = 0; r < 2; r++) {
            const standing = rounds.step({ passes, tolerance: 1e-9 });
            course.note(standing);
            expectTruth(problem, rounds, standing);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  test('who is missing does not keep the others from ending', () => {
    fc.assert(
      fc.property(solvableShape, fc.integer({ min: 0, max: 3 }), (shape, together) => {
        const problem = makeProblem({ ...shape, participants: shape.participants + 1 });
        const rounds = roundsOn(problem);
        for (let r = 0; r < together; r++) rounds.step();
        const gone = shape.participants;
        const others = { missing: new Set([gone]), answers: (k: number) => k !== gone };
        const last = rounds.accepted.get(gone);
        // In a sum nobody can tell its value from its cut: what was wanting in its last answer stays in the gap.
        const wanting = sees === 'sums' && last ? last.value - last.constant : 0;
        const left = ({ primal, dual }: Standing) => (primal - dual - wanting) / Math.abs(primal);
        let standing = rounds.step(others);
        while (left(standing) > 1e-4 && rounds.round < 300) standing = rounds.step(others);
        expect(left(standing)).toBeLessThanOrEqual(1e-4);
        expectTruth(problem, rounds, standing, others.missing);
      }),
      { numRuns: 30 },
    );
  });

  test('after a restart at any round sums, bounds and what is known of whom go on', () => {
    fc.assert(
      fc.property(problemShape, lax.passes, lax.share, fc.nat(), (shape, passes, share, seed) => {
        const problem = makeProblem(shape);
        const rounds = roundsOn(problem);
        const random = stream(seed, 'who');
        const course = new Course();
        for (let r = 0; r < 9; r++) {
          const heard = rounds.accepted.size;
          const { w, query, u } = rounds.inquiry;
          if (random.uniform() < 0.4) {
            rounds.restart();
            const { inquiry } = rounds;
            expect([inquiry.w, inquiry.query, inquiry.u]).toEqual([w, query, u]);
            for (const k of rounds.shards.keys()) {
              expect(inquiry.hasAnswered(k)).toBe(rounds.accepted.has(k));
              expect(inquiry.needsPrevious(k)).toBe(sees === 'single answers' && rounds.accepted.has(k));
            }
          }
          const answers = someOf(random, shape.participants, share);
          const standing = rounds.step({ passes, tolerance: 1e-9, answers });
          if (rounds.accepted.size > heard) course.restart();
          course.note(standing);
          expectTruth(problem, rounds, standing);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('a restart while somebody is missing does not make its absence part of the certificate', () => {
    fc.assert(
      fc.property(problemShape, fc.integer({ min: 1, max: 4 }), (shape, away) => {
        const problem = makeProblem({ ...shape, participants: shape.participants + 1 });
        const rounds = roundsOn(problem);
        const missing = new Set([shape.participants]);
        rounds.step();
        for (let r = 0; r < away; r++) rounds.step({ missing, answers: (k) => !missing.has(k) });
        rounds.restart();
        for (let r = 0; r < 2; r++) {
          const standing = rounds.step({ missing, answers: (k) => !missing.has(k) });
          expectTruth(problem, rounds, standing, missing);
          rounds.restart();
        }
        for (let r = 0; r < 2; r++) expectTruth(problem, rounds, rounds.step());
      }),
      { numRuns: 25 },
    );
  });

  test('restarts cost rounds, not the end', () => {
    fc.assert(
      fc.property(solvableShape, fc.uniqueArray(fc.integer({ min: 1, max: 20 })), (shape, crashes) => {
        const rounds = roundsOn(makeProblem(shape));
        let gap = 1;
        while (gap > 1e-5 && rounds.round < 400) {
          gap = rounds.step().relativeGap;
          if (crashes.includes(rounds.round)) rounds.restart();
        }
        expect(gap).toBeLessThanOrEqual(1e-5);
      }),
      { numRuns: 30 },
    );
  });

  test('asked again with other rows: nothing of before is left, training goes on from the best query to the new end', () => {
    fc.assert(
      fc.property(solvableShape, fc.integer({ min: 1, max: 5 }), (shape, before) => {
        const old = roundsOn(makeProblem(shape));
        for (let r = 0; r < before; r++) old.step({ passes: 2 });
        const { inquiry } = old;
        const { w } = inquiry;
        inquiry.askAgain();
        expect([inquiry.query, inquiry.w]).toEqual([w, w]);
        expect([...inquiry.u]).toEqual([...new Float64Array(shape.d)]);
        expect(inquiry.sigma).toBe(0);
        for (const k of old.shards.keys()) {
          expect(inquiry.hasAnswered(k)).toBe(false);
          expect(inquiry.needsPrevious(k)).toBe(false);
          expect(inquiry.contributionOf(k)).toBeUndefined();
          expect(inquiry.boundsOn(k)).toBeUndefined();
        }
        // Fewer rows and other ones, so that nothing known of the old ones holds.
        const problem = makeProblem({
          ...shape,
          seed: shape.seed + 1,
          mostRows: Math.ceil(shape.mostRows / 3),
        });
        const rounds = roundsOn(problem);
        rounds.inquiry = inquiry;
        rounds.round = old.round;
        let standing = rounds.step();
        expectTruth(problem, rounds, standing);
        while (standing.relativeGap > 1e-4 && rounds.round < 300) standing = rounds.step();
        expect(standing.relativeGap).toBeLessThanOrEqual(1e-4);
        expectTruth(problem, rounds, standing);
      }),
      { numRuns: 30 },
    );
  });
});

describe('single answers', () => {
  const roundsOn = (problem: RandomProblem, claims: 'trusted' | 'checked' = 'trusted') =>
    new AnswerRounds(shardsOf(problem), { sees: 'single answers', claims });

  test('the order of arrival does not matter, to the last bit', () => {
    fc.assert(
      fc.property(problemShape, lax.passes, (shape, passes) => {
        const problem = makeProblem(shape);
        const random = stream(shape.seed, 'order');
        const shuffled = (answers: SingleAnswer[]) =>
          answers
            .map((one) => ({ one, at: random.uniform() }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
        const [a, b] = [(answers: SingleAnswer[]) => answers, shuffled].map((arrange) => {
          const rounds = roundsOn(problem);
          const standings = Array.from({ length: 6 }, (_, r) => {
            if (r === 3) rounds.restart();
            return rounds.step({ passes, arrange, answers: (k) => (k + r) % 3 > 0 || k === 0 });
          });
          return { standings, memory: rounds.inquiry.memory };
        });
        expect(b).toEqual(a);
      }),
      { numRuns: 30 },
    );
  });

  test('of shortened changes U is the sum of what was taken, and the bounds hold', () => {
    fc.assert(
      fc.property(problemShape, lax.passes, lax.share, (shape, passes, share) => {
        const problem = makeProblem(shape);
        const rounds = roundsOn(problem);
        const random = stream(shape.seed, 'factors');
        for (let r = 0; r < 8; r++) {
          const factors = rounds.shards.map(() => (random.uniform() < 0.5 ? 1 : random.uniform()));
          if (random.uniform() < 0.2) rounds.restart();
          const answers = someOf(random, shape.participants, share);
          const standing = rounds.step({ passes, answers, factorOf: (k) => factors[k] });
          expectTruth(problem, rounds, standing);
          for (const [k, { u }] of rounds.accepted) {
            const held = rounds.inquiry.contributionOf(k);
            if (held) expect(norm(plusScaled(held, -1, u))).toBeLessThanOrEqual(1e-12 * norm(u));
          }
        }
      }),
      { numRuns: 25 },
    );
  });

  test('a member that is forgotten leaves nothing behind; training ends with the others', () => {
    fc.assert(
      fc.property(solvableShape, fc.integer({ min: 0, max: 4 }), (shape, before) => {
        const problem = makeProblem({ ...shape, participants: shape.participants + 1 });
        const rounds = roundsOn(problem);
        for (let r = 0; r < before; r++) rounds.step({ passes: 3 });
        const gone = shape.participants;
        expect(rounds.inquiry.forget(gone)).toBe(true);
        rounds.accepted.delete(gone);
        expectConservation(rounds);
        const answers = (k: number) => k !== gone;
        let standing = rounds.step({ answers });
        expectTruth(problem, rounds, standing);
        while (standing.relativeGap > 1e-5 && rounds.round < 300) standing = rounds.step({ answers });
        expect(standing.relativeGap).toBeLessThanOrEqual(1e-5);
        const truth = optimum(problem, [...rounds.accepted.keys()]);
        expect(truth.primal).toBeGreaterThanOrEqual(standing.dual * (1 - 1e-9) - 1e-12);
        expect(standing.primal).toBeGreaterThanOrEqual(truth.dual * (1 - 1e-9) - 1e-12);
      }),
      { numRuns: 30 },
    );
  });

  test('after a restart somebody unknown cannot be forgotten without asking everybody, somebody known can', () => {
    const rounds = roundsOn(makeProblem(plain({ participants: 4 })));
    rounds.step({ answers: (k) => k < 3 });
    rounds.restart();
    rounds.step({ answers: (k) => k === 1 });
    expect(rounds.inquiry.forget(0)).toBe(false);
    expect(rounds.inquiry.forget(1)).toBe(true);
    expect(rounds.inquiry.forget(3)).toBe(true);
  });

  test('an answer in place of one that is not known here must bring it along', () => {
    const problem = makeProblem(plain({ participants: 2 }));
    const rounds = roundsOn(problem);
    rounds.step();
    rounds.restart();
    const { inquiry, shards } = rounds;
    const given = answer(shards[0], inquiry.query, { sigma: 0, tolerance: 1e-6, passes: 5, seed: 1 });
    expect(() => inquiry.take(2, [{ member: 0, u: given.u, scalars: given.scalars }])).toThrow(
      /expected the last contribution of member 0/,
    );
  });

  test('the bounds on a value hold for every honest answer', () => {
    fc.assert(
      fc.property(problemShape, lax.passes, (shape, passes) => {
        const problem = makeProblem(shape);
        const rounds = roundsOn(problem);
        for (let r = 0; r < 6; r++) {
          const { inquiry } = rounds;
          for (const k of rounds.shards.keys()) {
            const bounds = inquiry.boundsOn(k);
            expect(bounds !== undefined).toBe(r > 0);
            if (!bounds) continue;
            const { primal, dual } = primalAt(problem, inquiry.query, [k]);
            const own = dot(inquiry.query, inquiry.query) / 2;
            const rounding = 1e-10 * (Math.abs(primal) + Math.abs(bounds.most) + 1e-3);
            expect(bounds.least).toBeLessThanOrEqual(primal - own + rounding);
            expect(bounds.most).toBeGreaterThanOrEqual(dual - own - rounding);
          }
          rounds.step({ passes });
        }
      }),
      { numRuns: 30 },
    );
  });

  test('who claims a huge value makes nobody else look done', () => {
    const problem = makeProblem(plain({ participants: 6 }));
    const liar = 5;
    const course = (claims: 'trusted' | 'checked', huge: number) => {
      const rounds = roundsOn(problem, claims);
      const gaps: number[] = [];
      for (let r = 0; r < 4; r++) {
        const arrange = (answers: SingleAnswer[]) =>
          answers.map((one) => {
            if (one.member !== liar) return one;
            // As consistent as can be: its own cut is as high as its value.
            const { loss, dualSum, ...rest } = one.scalars;
            return { ...one, scalars: { ...rest, loss: loss + huge, dualSum: dualSum + huge } };
          });
        gaps.push(rounds.step({ passes: 3, arrange }).relativeGap);
      }
      return gaps;
    };
    const honest = course('checked', 0);
    const lied = course('checked', 1e9);
    const believed = course('trusted', 1e9);
    for (let r = 0; r < 4; r++) {
      expect(honest[r]).toBeGreaterThan(1e-4);
      // All that the liar can add to the scale is 20 times what is usual.
      expect(lied[r]).toBeGreaterThan(honest[r] / 25);
      expect(believed[r]).toBeLessThan(honest[r] / 1e6);
    }
  });

  test('the check of claims changes no bound, and no gap looks smaller for it', () => {
    fc.assert(
      fc.property(problemShape, (shape) => {
        const [trusted, checked] = (['trusted', 'checked'] as const).map((claims) => {
          const rounds = roundsOn(makeProblem(shape), claims);
          return Array.from({ length: 4 }, () => rounds.step({ passes: 5 }));
        });
        for (const [r, { primal, dual, relativeGap }] of checked.entries()) {
          expect([primal, dual]).toEqual([trusted[r].primal, trusted[r].dual]);
          expect(relativeGap).toBeGreaterThanOrEqual(trusted[r].relativeGap);
        }
      }),
      { numRuns: 30 },
    );
  });
});

test('only in the first round of all everybody allows for the others', () => {
  const inquiry = new Inquiry({ d: 2, c2: 1, sees: 'single answers' });
  for (let k = 0; k < 20; k++) inquiry.join(k);
  expect(inquiry.sigma).toBeGreaterThan(1);
  expect(inquiry.sigma).toBeLessThanOrEqual(20);
  const scalars = { loss: 1, dualSum: 0, uNorm2: 0, wDotU: 0 };
  inquiry.take(1, [{ member: 3, u: new Float64Array(2), scalars }]);
  inquiry.close(1);
  expect(inquiry.sigma).toBe(0);
});

test('in sums nobody can be forgotten who has answered', () => {
  const rounds = new AnswerRounds(shardsOf(makeProblem(plain({ participants: 3 }))), { sees: 'sums' });
  rounds.step({ answers: (k) => k < 2 });
  expect(rounds.inquiry.forget(2)).toBe(true);
  expect(rounds.inquiry.forget(0)).toBe(false);
});

test('by sums and by single answers the same model is found, and both certificates hold', () => {
  fc.assert(
    fc.property(solvableShape, (shape) => {
      const problem = makeProblem(shape);
      const [single, summed] = (['single answers', 'sums'] as const).map((sees) => {
        const rounds = new AnswerRounds(shardsOf(problem), { sees });
        let standing = rounds.step();
        while (standing.relativeGap > 1e-6 && rounds.round < 400) standing = rounds.step();
        return { ...standing, w: rounds.inquiry.w };
      });
      const rounding = 1e-9 * single.primal + 1e-12;
      expect(single.dual).toBeLessThanOrEqual(summed.primal + rounding);
      expect(summed.dual).toBeLessThanOrEqual(single.primal + rounding);
      // P grows by at least 1/2 |w - w*|^2 around its minimum.
      expect(norm(plusScaled(single.w, -1, summed.w))).toBeLessThanOrEqual(
        2 * Math.sqrt(2 * (1e-6 * single.primal + rounding)),
      );
    }),
    { numRuns: 25 },
  );
});

test('the gap of exact answers is 1/2 |w - sum u|^2: it is in the vectors', () => {
  fc.assert(
    fc.property(solvableShape, fc.constantFrom(0, 1), (shape, size) => {
      const problem = makeProblem(shape);
      const shards = shardsOf(problem);
      const w = randomVector(problem.d, size, shape.seed, 'query');
      let gap = dot(w, w) / 2;
      const rest = w.slice();
      for (const shard of shards) {
        let beta: Float64Array | undefined;
        for (let solve = 0; solve < 10; solve++)
          ({ beta } = answer(
            shard,
            w,
            { sigma: 0, tolerance: 1e-12, passes: 1000, seed: solve },
            beta && { beta },
          ));
        const { u, scalars } = answer(
          shard,
          w,
          { sigma: 0, tolerance: 1e-12, passes: 0, seed: 0 },
          beta && { beta },
        );
        const { value, constant } = boundsOf(scalars, shard.settings.c2);
        gap += value - constant;
        for (let j = 0; j < rest.length; j++) rest[j] -= u[j];
      }
      const u = plusScaled(w, -1, rest);
      const scale = 1e-6 * (dot(w, w) + dot(u, u) + Math.abs(gap)) + 1e-9;
      expect(Math.abs(gap + dot(u, u) / 2 - dot(rest, rest) / 2)).toBeLessThanOrEqual(scale);
    }),
    { numRuns: 40 },
  );
});

function plain(changes: Partial<ProblemShape>): ProblemShape {
  return {
    seed: 11,
    participants: 4,
    d: 10,
    mostRows: 25,
    objective: 'classification',
    c1: 1,
    c2: 1,
    epsilon: 0,
    trouble: 'none',
    ...changes,
  };
}
