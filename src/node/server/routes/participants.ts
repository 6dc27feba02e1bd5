/** Participants of a federation: who there is, and whom the operator lets in, turns out or has forgotten. */
import { z } from 'zod';
import { CLOSE } from '../../../protocol/joining.ts';
import { noSuchParticipant } from '../api-error.ts';
import type { ServerContext } from '../context.ts';
import { participantsOf, participantView } from '../participant-view.ts';
import { inFederation, ofParticipant, publicKey } from '../schemas.ts';
import { carryOut } from './federations.ts';
import { type Route, route } from './route.ts';

const list = route({
  method: 'GET',
  path: '/v1/federations/:name/participants',
  id: 'listParticipants',
  access: 'look',
  about: 'Everybody who is enrolled',
  params: inFederation,
  answer: {
    status: 200,
    about: 'By name',
    schema: z.strictObject({ participants: z.array(participantView) }),
  },
  handle: async ({ params }, context) => {
    const federation = context.federation(params.name);
    return { participants: participantsOf(federation, await context.store.enrolments(params.name)) };
  },
});

const forget = route({
  method: 'POST',
  path: '/v1/federations/:name/participants/:id/forget',
  id: 'forgetParticipant',
  access: 'operator',
  about: 'Take the contribution of a participant out of the model',
  details:
    'It may begin anew unless it is revoked, too. Where only sums of answers are seen everybody is asked again; sums of steps with noise ' +
    'cannot be taken apart.',
  params: ofParticipant,
  answer: answerWith('As it is now'),
  errors: ['NO_SUCH_PARTICIPANT', 'REFUSED'],
  handle: async ({ params: { name, id } }, context) => {
    if (!context.federation(name).host.state.members.has(id)) throw noSuchParticipant(id, 'taking part');
    await carryOut(context, name, { forget: id });
    return oneOf(context, name, id);
  },
});

const revoke = route({
  method: 'POST',
  path: '/v1/federations/:name/participants/:id/revoke',
  id: 'revokeParticipant',
  access: 'operator',
  about: 'Let a participant in no longer',
  details: `Its connection is closed (code ${CLOSE.revoked}); what it has contributed stays until it is forgotten.`,
  params: ofParticipant,
  answer: answerWith('As it is now'),
  errors: ['NO_SUCH_PARTICIPANT'],
  handle: async ({ params: { name, id } }, context) => {
    const federation = context.federation(name);
    await context.door.revoke(name, id);
    federation.disconnect(id, CLOSE.revoked, 'revoked by the operator');
    return oneOf(context, name, id);
  },
});

const allow = route({
  method: 'POST',
  path: '/v1/federations/:name/participants/:id/allow',
  id: 'allowParticipant',
  access: 'operator',
  about: 'Enrol a participant by its key: it needs no invitation',
  details: 'Also lets one in again that was revoked, with this key.',
  params: ofParticipant,
  body: z.strictObject({ key: publicKey }),
  answer: answerWith('It is enrolled'),
  errors: ['NAME_TAKEN'],
  handle: async ({ params: { name, id }, body }, context) => {
    context.federation(name);
    await context.door.allow(name, id, body.key);
    return oneOf(context, name, id);
  },
});

function answerWith(about: string) {
  return { status: 200, about, schema: participantView } as const;
}

async function oneOf(context: ServerContext, name: string, id: string) {
  const enrolment = await context.store.enrolment(name, id);
  if (!enrolment) throw noSuchParticipant(id, 'enrolled');
  return participantsOf(context.federation(name), [enrolment])[0];
}

export const PARTICIPANT_ROUTES: readonly Route[] = [list, forget, revoke, allow];
