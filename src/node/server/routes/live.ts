/** Events for pages that show federations live, as server-sent events (live.ts). */
import { z } from 'zod';
import { type Route, route } from './route.ts';

const events = {
  type: 'text/event-stream',
  about: 'A stream of server-sent events, which goes on until one of the two sides ends it',
} as const;

const ofFederation = route({
  on: 'GET /v1/federations/:name/events',
  id: 'watchFederation',
  access: 'read',
  about: 'Watch a federation',
  details:
    'Events: `state` (as of getFederation), `open` (the open round), `participants` (a list: first all, then those that have changed), `removed` (names of ' +
    'participants that are gone), `round` (a closed round as of listRounds; its number is the id of the event) and, as the last one, `deleted`. A listener that reads ' +
    'slowly gets the newest state instead of all of them, but every round.',
  query: z.strictObject({
    after: z.coerce
      .number()
      .int()
      .nonnegative()
      .optional()
      .describe('Last round that is known (default: the header Last-Event-ID, or 0)'),
  }),
  answer: events,
  streams: true,
  errors: ['TOO_MANY'],
  handle: ({ params, query }, { federation, live }, reply) => {
    const watched = federation(params.name);
    const { raw, headers } = reply.request;
    // Sent by EventSource when it connects again.
    const last = Number(headers['last-event-id'] ?? 0);
    const after = query.after ?? (Number.isSafeInteger(last) && last > 0 ? last : 0);
    reply.headers(STREAM_HEADERS);
    return live.federation(watched, raw, after);
  },
});

const ofServer = route({
  on: 'GET /v1/events',
  id: 'watchServer',
  access: 'read',
  about: 'Watch the list of federations',
  details:
    'One event: `federations` (as of listFederations), first at once, then when something has changed.',
  answer: events,
  streams: true,
  errors: ['TOO_MANY'],
  handle: (_, { live }, reply) => {
    reply.headers(STREAM_HEADERS);
    return live.federations(reply.request.raw);
  },
});

/** The connection has been trusted for this: it is not used again. Proxies are to pass on what comes at once. */
const STREAM_HEADERS = { connection: 'close', 'x-accel-buffering': 'no' };

export const LIVE_ROUTES: readonly Route[] = [ofFederation, ofServer];
