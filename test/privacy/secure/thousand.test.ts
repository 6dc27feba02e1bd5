import { describe, expect, test } from 'vitest';
import { openSecureRound } from '../../../src/privacy/secure/coordinator.ts';
import { setOf } from '../../../src/privacy/secure/index-set.ts';
import { attest, deal, mask } from '../../../src/privacy/secure/participant.ts';
import { mustSend } from '../../../src/privacy/secure/roster.ts';
import {
  copyOf,
  expectExact,
  FIXED,
  makeFederation,
  QUESTION,
  randomValues,
  runRound,
  someOf,
} from './helpers.ts';

/** Modest demands, so that neighbourhoods, and the test, stay small. */
const security = { dropout: 0.02, corrupted: 0.005, statisticalBits: 10, correctnessBits: 10 };

describe('a thousand participants on the graph', () => {
  const federation = makeFederation(1000, { security });
  const values = randomValues(federation.ids, 8);

  test('have far fewer neighbours than others', () => {
    expect(federation.coordinator.layout.neighbours).toBeLessThan(40);
  });

  test('sum exactly, with a few silent in every phase', () => {
    const gone = someOf(federation.ids, 0.02, 3);
    const quarter = (i: number) => gone.filter((_, at) => at % 4 === i);
    const silence = {
      dealing: quarter(0),
      masking: quarter(1),
      attesting: quarter(2),
      revealing: quarter(3),
    };
    const outcome = runRound(copyOf(federation), 1, values, silence);
    expectExact(federation, outcome, values, [...quarter(0), ...quarter(1)]);
  });

  test('[SECURE-15] refuse to reveal a sum of few, even with all their neighbours in it', () => {
    const { coordinator, participants, ids, entropy } = copyOf(federation);
    const opened = openSecureRound(coordinator, { round: 3, length: 8, ...FIXED }, QUESTION);
    const one = participants.get(ids[0])!;
    const around = one.seat!.neighbours;
    deal(one, opened.to.get(one.id)!, entropy);
    const told = around.filter(({ index }) => mustSend(one.seat!.layout, index, 0)).length;
    const dealers = setOf(around.keys(), around.length);
    mask(one, { round: 3, dealers, sealed: new Uint8Array(48 * told) }, values.get(one.id)!, QUESTION);
    const members = setOf([0, ...around.map(({ index }) => index)], 1000);
    expect(() => attest(one, { round: 3, members })).toThrow(/expected at least 980 participants, got 21/);
  });

  test('give up when a third is silent', () => {
    const silent = someOf(federation.ids, 0.33, 4);
    const outcome = runRound(copyOf(federation), 2, values, { dealing: silent });
    expect(outcome).toMatchObject({ kind: 'abandoned', phase: 'dealing' });
  });
});
