/** Every route there is. */
import { DOOR_ROUTES } from './door-routes.ts';
import { FEDERATION_ROUTES } from './federations.ts';
import { INVITATION_ROUTES } from './invitations.ts';
import { MODEL_ROUTES } from './model.ts';
import { PARTICIPANT_ROUTES } from './participants.ts';
import { ROUND_ROUTES } from './rounds.ts';
import type { Route } from './route.ts';
import { SERVICE_ROUTES } from './service.ts';

export const ROUTES: readonly Route[] = [
  ...FEDERATION_ROUTES,
  ...PARTICIPANT_ROUTES,
  ...INVITATION_ROUTES,
  ...ROUND_ROUTES,
  ...MODEL_ROUTES,
  ...DOOR_ROUTES,
  ...SERVICE_ROUTES,
];
