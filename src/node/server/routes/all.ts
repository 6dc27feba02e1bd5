/** Every route there is. */
import { ADMISSION_ROUTES } from './admission.ts';
import { FEDERATION_ROUTES } from './federations.ts';
import { LIVE_ROUTES } from './live.ts';
import { MODEL_ROUTES } from './model.ts';
import { PARTICIPANT_ROUTES } from './participants.ts';
import { REPORT_ROUTES } from './reports.ts';
import { ROUND_ROUTES } from './rounds.ts';
import type { Route } from './route.ts';
import { ROW_ROUTES } from './rows.ts';
import { SERVICE_ROUTES } from './service.ts';
import { TOKEN_ROUTES } from './tokens.ts';

export const ROUTES: readonly Route[] = [
  ...FEDERATION_ROUTES,
  ...PARTICIPANT_ROUTES,
  ...ROUND_ROUTES,
  ...LIVE_ROUTES,
  ...MODEL_ROUTES,
  ...ROW_ROUTES,
  ...ADMISSION_ROUTES,
  ...REPORT_ROUTES,
  ...TOKEN_ROUTES,
  ...SERVICE_ROUTES,
];
