/** Participants of a federation: who is enrolled, what is known of those who take part, and whom the operator allows, revokes or forgets. */
import { z } from 'zod';
import { type Standing, standings } from '../../../coordinator/defence.ts';
import { naturallySorted } from '../../../data/participants.ts';
import type { Enrolment } from '../../../host/ports.ts';
import { CLOSE } from '../../../protocol/joining.ts';
import { noSuchParticipant } from '../api-error.ts';
import type { Federation, Groups } from '../federation.ts';
import { count, known, orNull, participantId, publicKey, timeMs } from '../schemas.ts';
import { carryOut } from './federations.ts';
import { type Route, route, type ServerContext } from './route.ts';

const running = z.strictObject({ count, mean: known, variance: known });

const participantView = z.strictObject({
  id: participantId,
  enrolledMs: timeMs,
  revoked: z.boolean(),
  joined: z.boolean(),
  presence: z.enum(['here', 'left']).nullable().describe('null if it has not joined'),
  connected: z.boolean(),
  expelled: z.string().optional().describe('Why it was excluded from secure sums'),
  rows: count.optional().describe('Omitted with secure aggregation'),
  lastAcceptedRound: count.describe('Round of its last accepted answer; 0 if none'),
  missed: count.describe('Consecutive training rounds without an answer'),
  missing: z.boolean().describe('Joined, but not covered by the certificate'),
  responseMs: known.describe('Time from the opening of a round to its last answer'),
  benchmarkMs: known,
  standing: z
    .strictObject({
      cosine: running,
      normRatio: running,
      ownShare: running,
      suspicions: z.array(z.enum(['idle', 'echo', 'noise'])),
    })
    .optional()
    .describe('Contribution scores, with the option defence.scores'),
});

type View = z.input<typeof participantView>;

const shardView = z.strictObject({
  id: z.string(),
  parent: z.string().optional().describe('The branch above it; absent: the root'),
  alive: z.boolean().describe('Whether a process that owns it is heard of'),
  participants: count.describe('Participants of it that have joined'),
  connected: count,
  lastAcceptedRound: count.describe(
    'Round of its last accepted partial sum; 0 if none, or if a branch is above it',
  ),
  missed: count.describe('Consecutive training rounds without a partial sum; 0 if a branch is above it'),
});

/** All that have ever had participants, and those that are heard of. */
function shardsOf({ host }: Federation, groups: Groups): z.input<typeof shardView>[] {
  const alive = new Map(groups.list().map((group) => [group.id, group]));
  const ids = new Set([...host.state.members.keys(), ...alive.keys()]);
  return naturallySorted([...ids]).map((id) => {
    const [member, group] = [host.state.members.get(id), alive.get(id)];
    return {
      id,
      ...(group?.parent !== undefined && { parent: group.parent }),
      alive: group !== undefined,
      participants: group?.participants ?? member?.participants ?? 0,
      connected: group?.connected ?? 0,
      lastAcceptedRound: member?.accepted.round ?? 0,
      missed: member?.missed ?? 0,
    };
  });
}

function participantsOf(federation: Federation, enrolments: readonly Enrolment[]): View[] {
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
      ...(member?.expelled !== undefined && { expelled: member.expelled }),
      ...(member && !state.secure && { rows: member.rows }),
      lastAcceptedRound: member?.accepted.round ?? 0,
      missed: member?.missed ?? 0,
      responseMs: orNull(member?.responseMs),
      benchmarkMs: orNull(member?.benchmarkMs),
      missing: missing.has(id),
      ...scoresOf(standingOf.get(id)),
    };
  });
}

function scoresOf(standing: Standing | undefined): Pick<View, 'standing'> {
  if (!standing) return {};
  const { cosine, normRatio, ownShare } = standing.contribution;
  return { standing: { cosine, normRatio, ownShare, suspicions: [...standing.suspicions] } };
}

const list = route({
  on: 'GET /v1/federations/:name/participants',
  id: 'listParticipants',
  access: 'read',
  about: 'List all enrolled participants',
  answer: {
    about: 'By name',
    schema: z.strictObject({
      participants: z.array(participantView),
      shards: z
        .array(shardView)
        .optional()
        .describe('Of a federation on NATS: who the participants are behind'),
    }),
  },
  handle: async ({ params }, context) => {
    const federation = context.federation(params.name);
    const participants = participantsOf(federation, await context.store.enrolments(params.name));
    return { participants, ...(federation.groups && { shards: shardsOf(federation, federation.groups) }) };
  },
});

const forget = route({
  on: 'POST /v1/federations/:name/participants/:id/forget',
  id: 'forgetParticipant',
  access: 'operate',
  about: 'Remove the contribution of a participant from the model',
  details:
    'It may join again from the start, unless it is also revoked. With secure aggregation of answers, all participants are asked again; a contribution to ' +
    'noisy sums of steps cannot be removed.',
  answer: answerWith('The current state of the participant'),
  errors: ['NO_SUCH_PARTICIPANT', 'REFUSED'],
  handle: async ({ params: { name, id } }, context) => {
    const federation = context.federation(name);
    if (!federation.groups && !federation.host.state.members.has(id))
      throw noSuchParticipant(id, 'taking part');
    await carryOut(context, name, () => federation.forget(id));
    return oneOf(context, name, id);
  },
});

const revoke = route({
  on: 'POST /v1/federations/:name/participants/:id/revoke',
  id: 'revokeParticipant',
  access: 'operate',
  about: 'Revoke a participant',
  details: `Its connection is closed (code ${CLOSE.revoked}); its contribution stays until it is forgotten.`,
  answer: answerWith('The current state of the participant'),
  errors: ['NO_SUCH_PARTICIPANT'],
  handle: async ({ params: { name, id } }, context) => {
    const federation = context.federation(name);
    await context.admission.revoke(name, id);
    federation.disconnect(id, CLOSE.revoked, 'revoked by the operator');
    return oneOf(context, name, id);
  },
});

const allow = route({
  on: 'POST /v1/federations/:name/participants/:id/allow',
  id: 'allowParticipant',
  access: 'operate',
  about: 'Enrol a participant by its key, without an invitation',
  details: 'Also admits a revoked participant again, with this key.',
  body: z.strictObject({ key: publicKey }),
  answer: answerWith('Enrolled'),
  errors: ['NAME_TAKEN', 'BAD_KEY'],
  handle: async ({ params: { name, id }, body }, context) => {
    context.federation(name);
    await context.admission.allow(name, { participant: id, key: body.key });
    return oneOf(context, name, id);
  },
});

function answerWith(about: string) {
  return { about, schema: participantView } as const;
}

async function oneOf(context: ServerContext, name: string, id: string) {
  const enrolment = await context.store.enrolment(name, id);
  if (!enrolment) throw noSuchParticipant(id, 'enrolled');
  return participantsOf(context.federation(name), [enrolment])[0];
}

export const PARTICIPANT_ROUTES: readonly Route[] = [list, forget, revoke, allow];
