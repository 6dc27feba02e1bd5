/** Every route there is. */
import { z } from 'zod';
import { openApi } from '../openapi.ts';
import { DOOR_ROUTES } from './door-routes.ts';
import { FEDERATION_ROUTES } from './federations.ts';
import { INVITATION_ROUTES } from './invitations.ts';
import { MODEL_ROUTES } from './model.ts';
import { PARTICIPANT_ROUTES } from './participants.ts';
import { ROUND_ROUTES } from './rounds.ts';
import { type Route, route } from './route.ts';
import { SERVICE_ROUTES } from './service.ts';

const describe = route({
  method: 'GET',
  path: '/v1/openapi.json',
  id: 'getDescription',
  access: 'look',
  about: 'This description',
  answer: {
    status: 200,
    about: 'OpenAPI 3.1',
    schema: z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
  },
  handle: (_, { version }) => openApi(ROUTES, version),
});

export const ROUTES: readonly Route[] = [
  ...FEDERATION_ROUTES,
  ...PARTICIPANT_ROUTES,
  ...INVITATION_ROUTES,
  ...ROUND_ROUTES,
  ...MODEL_ROUTES,
  ...DOOR_ROUTES,
  describe,
  ...SERVICE_ROUTES,
];
