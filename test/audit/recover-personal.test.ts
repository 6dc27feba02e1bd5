import { describe, expect, test } from 'vitest';
import { recoverPersonal } from '../../src/audit/attacks/recover-personal.ts';
import { scoreVector } from '../../src/audit/attacks/score.ts';
import { attackable, seenByParticipant, watch as watchScenario } from '../../src/audit/watch.ts';
import { MASKS, type MaskName, ruleFor, tiny, watch } from './federation.ts';

const scores = (mask: MaskName) =>
  watch({ table: tiny(), passes: 1, rounds: 60, aggregation: ruleFor(mask), mask: MASKS[mask] }).watched.map(
    ({ observation, truth }) => scoreVector(recoverPersonal(observation), truth.personal),
  );

describe('the personal part', () => {
  test.each(['answers', 'safe', 'sum'] as const)('is known exactly without masks: %s', (aggregation) => {
    const options = { table: tiny(), passes: 1, rounds: 60, aggregation };
    for (const { observation, truth } of watch(options).watched) {
      const found = recoverPersonal(observation);
      for (const [j, value] of truth.personal.entries()) expect(found[j]).toBeCloseTo(value, 12);
    }
  });

  test('is known from one answer alone, that to the w in use', () => {
    for (const { observation, truth } of watch({ table: tiny(), passes: 1, rounds: 60 }).watched) {
      const { rounds, best } = observation;
      const one = { ...observation, rounds: rounds.filter(({ round }) => round === best) };
      expect(one.rounds.length).toBe(1);
      expect([...recoverPersonal(one)]).toEqual([...truth.personal]);
    }
  });

  test.each(['Bernoulli, consistent', 'Beta, consistent'] as const)('%s masks do not hide it', (mask) => {
    // What is sent is near the answer as it is, which the participant keeps to itself and predicts with.
    for (const { relativeError } of scores(mask)) expect(relativeError).toBeLessThan(0.02);
  });

  test.each(['Bernoulli, paper', 'Beta, paper'] as const)('%s masks blur it, no more', (mask) => {
    const all = scores(mask);
    const mean = all.reduce((sum, { relativeError }) => sum + relativeError, 0) / all.length;
    expect(mean).toBeGreaterThan(0.05);
    for (const { cosine } of all) expect(cosine).toBeGreaterThan(0.5);
  });

  describe('is not in sums', () => {
    const common = { passes: 1, rounds: 60, testFraction: 0.5 };

    test('the coordinator of secure sums has the mean share of them, the same for everybody', () => {
      const federation = watchScenario(tiny(), { ...common, secure: true });
      for (const { observation } of federation.watched) {
        expect(observation.rounds.every(({ u, scalars }) => !u && !scalars)).toBe(true);
      }
      const guesses = attackable(federation).map(({ observation }) => recoverPersonal(observation));
      const K = federation.watched.length;
      const { best, settings } = federation.watched[0].observation;
      const sum = federation.sums.get(best)!;
      for (const [k, guess] of guesses.entries()) {
        for (const [j, value] of guess.entries()) expect(value).toBeCloseTo(sum[j] / K / settings.c2, 12);
        expect(scoreVector(guess, federation.watched[k].truth.personal).relativeError).toBeGreaterThan(0.5);
      }
    });

    test('nor in w, which is all that a participant is sent', () => {
      const seen = attackable(seenByParticipant(watchScenario(tiny(), common)));
      for (const { observation, truth } of seen) {
        expect(observation).toMatchObject({ rows: undefined, moments: undefined });
        expect(scoreVector(recoverPersonal(observation), truth.personal).relativeError).toBeGreaterThan(0.5);
      }
    });
  });
});
