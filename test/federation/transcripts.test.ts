/**
 * Scenarios as transcripts that can be read line by line, and reviewed as diffs: `->` is sent, `=>` arrives (left out where
 * it arrives at once), `**` happens. UPDATE_GOLDEN=1 writes them anew.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Simulation } from '../../src/sim/simulation.ts';
import type { TranscriptEntry } from '../../src/sim/transcript.ts';
import { conservationError, type PlanChanges, planFor } from '../helpers/federation.ts';
import { tableOf } from '../helpers/tables.ts';

const folder = join(import.meta.dirname, '../fixtures/transcripts');
const table = (participants: number) =>
  tableOf({
    participants,
    rows: 12,
    d: 3,
    seed: 8,
    target: (x, k) => (x[0] + 0.3 * k * x[1] > 0.1 ? 1 : -1),
  });

const SCENARIOS: Readonly<Record<string, { participants?: number; about: string; changes: PlanChanges }>> = {
  'everybody-answers': { about: 'Two participants, everybody is waited for.', changes: {} },
  'straggler-restart': {
    about: 'T_wait of 15 ms; p1 is slow and starts again with every new round.',
    changes: {
      hardware: (k) => [1, 0.2][k],
      options: { straggler: 'restart', waiting: { kind: 'fixed', ms: 15 } },
    },
  },
  'straggler-resume': {
    about: 'The same, but p1 goes on from what it has.',
    changes: {
      hardware: (k) => [1, 0.2][k],
      options: { straggler: 'resume', waiting: { kind: 'fixed', ms: 15 } },
    },
  },
  'straggler-anytime': {
    about: 'The same, but p1 sends what it has just before the deadline.',
    changes: {
      hardware: (k) => [1, 0.2][k],
      options: { straggler: 'anytime', waiting: { kind: 'fixed', ms: 15 } },
    },
  },
  'answer-during-summation': {
    about: 'Summing takes 40 ms; the answer of p1 arrives meanwhile, is discarded and acknowledged.',
    changes: {
      hardware: (k) => [1, 0.6][k],
      options: { straggler: 'restart', waiting: { kind: 'fixed', ms: 6 }, summationMs: 40 },
    },
  },
  'lost-and-duplicated': {
    about: 'A fifth of all frames is lost, a fifth is duplicated, all take up to 5 ms.',
    changes: {
      link: { delayMs: 1, jitterMs: 4, loss: 0.2, duplicate: 0.2 },
      options: { retryMs: 60, maxWaitMs: 300 },
    },
  },
  'participant-crashes-before-sending': {
    about: 'p0 has stored its answer to round 2 and crashes before it is sent; it comes back and sends it.',
    changes: { crashes: [{ node: 'p0', step: 8, afterEffects: 1, downMs: 20 }], options: { maxWaitMs: 500 } },
  },
  'coordinator-crashes-before-sending': {
    about:
      'The coordinator has stored round 1 and crashes before round 2 is sent; single answers are asked for again.',
    changes: {
      crashes: [{ node: 'coordinator', step: 8, afterEffects: 2, downMs: 25 }],
      options: { retryMs: 50, maxWaitMs: 500 },
    },
  },
  newcomer: {
    participants: 3,
    about: 'p2 comes late: it gets the scaling and the present w at once.',
    changes: { startMs: (id) => (id === 'p2' ? 6 : 0), options: { minParticipants: 2 } },
  },
  'leave-and-rejoin': {
    participants: 3,
    about: 'p1 leaves in the middle of a round, which closes without it, and comes back later.',
    changes: {
      deeds: [
        { atMs: 8, kind: 'leave', participant: 'p1' },
        { atMs: 16, kind: 'rejoin', participant: 'p1' },
      ],
    },
  },
  forget: {
    participants: 3,
    about: 'The operator has p1 forgotten: its answers are dropped, and it begins anew.',
    changes: { deeds: [{ atMs: 15, kind: 'forget', participant: 'p1' }] },
  },
  'certifying-round': {
    about: 'Steps, out of rounds: a last look at the final w, without steps.',
    changes: { options: { aggregation: 'safe', stop: { gap: 0, rounds: 2, timeMs: 1e9, stall: 1e9 } } },
  },
  'rest-and-wake': {
    participants: 3,
    about: 'p2 joins when training has come to rest: it wakes the others, and all end with a new model.',
    changes: { startMs: (id) => (id === 'p2' ? 100 : 0), options: { minParticipants: 2 } },
  },
  'killed-for-good': {
    participants: 3,
    about:
      'p1 is killed and does not come back: after two rounds it is not waited for, and the end names it.',
    changes: {
      crashes: [{ node: 'p1', step: 8, afterEffects: 0, downMs: 1e12 }],
      options: { retryMs: 1e6, maxWaitMs: 60, patience: 2 },
    },
  },
};

function readable(entries: readonly TranscriptEntry[]): string[] {
  const arrow = { sent: '->', delivered: '=>', note: '**' } as const;
  const said = new Set(
    entries
      .filter(({ kind }) => kind === 'sent')
      .map(({ atMs, from, to, text }) => `${atMs} ${from} ${to} ${text}`),
  );
  return entries
    .filter(
      ({ kind, atMs, from, to, text }) => kind !== 'delivered' || !said.has(`${atMs} ${from} ${to} ${text}`),
    )
    .map(({ atMs, kind, from, to, text }) => {
      const who = kind === 'note' ? from : `${from} ${arrow[kind]} ${to}:`;
      return `${atMs.toFixed(1).padStart(8)} ${kind === 'note' ? '** ' : ''}${who} ${text}`;
    });
}

test.each(Object.entries(SCENARIOS))('transcript of %s', (name, { participants = 2, about, changes }) => {
  const plan = planFor(
    table(participants),
    { testFraction: 0, rounds: 4, passes: 5, gap: 1e-2, seed: 3 },
    { ...changes, transcript: 'on' },
  );
  const simulation = new Simulation(plan).run();
  expect(simulation.coordinator.state!.phase).toBe('finished');
  expect(conservationError(simulation)).toBeLessThan(1e-12);
  const rows = simulation.rows.map(
    (row) =>
      `  round ${row.round} ${row.purpose}: ${row.outcome}, ${row.responders.join(' ') || 'nobody'}, ${row.certified ? 'gap' : 'estimated gap'} ${row.relativeGap.toExponential(2)}${row.missing.length > 0 ? ` without ${row.missing.join(' ')}` : ''}`,
  );
  const text = [
    `# ${about}`,
    '',
    ...readable(simulation.transcript.entries),
    '',
    '# rounds',
    ...rows,
    '',
  ].join('\n');
  const file = join(folder, `${name}.txt`);
  if (process.env.UPDATE_GOLDEN) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text);
  }
  expect(text).toBe(readFileSync(file, 'utf8'));
});
