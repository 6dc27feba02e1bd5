/** Participants as the API tells them: who may take part, and what is known of those who do. */
import { z } from 'zod';
import { type Standing, standings } from '../../coordinator/defence.ts';
import type { Member } from '../../coordinator/state.ts';
import type { Enrolment } from '../../host/ports.ts';
import type { Federation } from './federation.ts';
import { orNull } from './federation-view.ts';
import { count, known, participantId, timeMs } from './schemas.ts';

const running = z.strictObject({ count, mean: known, variance: known });

export const participantView = z.strictObject({
  id: participantId,
  enrolledMs: timeMs,
  revoked: z.boolean(),
  joined: z.boolean(),
  presence: z.enum(['here', 'left']).nullable().describe('null: it has not joined'),
  connected: z.boolean(),
  rows: count.optional().describe('Left out where only sums are seen'),
  lastAcceptedRound: count.describe('Round of its last accepted answer; 0: none'),
  missed: count.describe('Training rounds in a row without an answer'),
  missing: z.boolean().describe('Has joined and is not covered by the certificate'),
  responseMs: known.describe('From the opening of a round to its last answer'),
  benchmarkMs: known,
  standing: z
    .strictObject({
      cosine: running,
      normRatio: running,
      ownShare: running,
      suspicions: z.array(z.enum(['idle', 'echo', 'noise'])),
    })
    .optional()
    .describe('Contribution scores, where they are asked for (option defence.scores)'),
});

type View = z.input<typeof participantView>;

export function participantsOf(federation: Federation, enrolments: readonly Enrolment[]): View[] {
  const { state } = federation.host;
  const missing = new Set(state.missing);
  const standingOf = new Map(standings(state).map((standing) => [standing.id, standing]));
  return enrolments.map((enrolment) => {
    const id = enrolment.participant;
    const member = state.members.get(id);
    return {
      id,
      enrolledMs: enrolment.enrolledMs,
      revoked: enrolment.revokedMs !== undefined,
      joined: member !== undefined,
      presence: member?.presence ?? null,
      connected: federation.connections.has(id),
      ...(member && !state.secure && { rows: member.rows }),
      ...heardOf(member),
      missing: missing.has(id),
      ...scoresOf(standingOf.get(id)),
    };
  });
}

function heardOf(member: Member | undefined) {
  return {
    lastAcceptedRound: member?.accepted.round ?? 0,
    missed: member?.missed ?? 0,
    responseMs: orNull(member?.responseMs),
    benchmarkMs: orNull(member?.benchmarkMs),
  };
}

function scoresOf(standing: Standing | undefined): Pick<View, 'standing'> {
  if (!standing) return {};
  const { cosine, normRatio, ownShare } = standing.contribution;
  return { standing: { cosine, normRatio, ownShare, suspicions: [...standing.suspicions] } };
}
