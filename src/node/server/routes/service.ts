/** The server itself: its API described, its health for probes, its counts for Prometheus. */
import { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { type AppContext, type Route, route, type ServerContext } from './route.ts';

/** Probes may send any query. */
const anything = z.looseObject({});

const describe = route({
  on: 'GET /v1/openapi.json',
  id: 'getDescription',
  access: 'read',
  about: 'This description',
  answer: {
    about: 'OpenAPI 3.1',
    schema: z.looseObject({ openapi: z.string(), info: z.looseObject({}), paths: z.looseObject({}) }),
  },
  handle: (_, __, reply) => reply.server.swagger(),
});

const health = route({
  on: 'GET /healthz',
  id: 'getHealth',
  access: 'anybody',
  about: 'Liveness: whether the process responds',
  query: anything,
  answer: { about: 'It responds', schema: z.strictObject({ ok: z.literal(true) }) },
  handle: (_, __: AppContext) => ({ ok: true }),
});

const ready = route({
  on: 'GET /readyz',
  id: 'getReadiness',
  access: 'anybody',
  about: 'Readiness: whether the server can work',
  query: anything,
  answer: { about: 'Ready', schema: z.strictObject({ ready: z.literal(true) }) },
  errors: ['NOT_READY'],
  handle: (_, { whyNotReady }: AppContext) => {
    const why = whyNotReady();
    if (why !== undefined) throw new ApiError('NOT_READY', why);
    return { ready: true };
  },
});

export function whyNotReady({ stopping, federations }: Pick<ServerContext, 'stopping' | 'federations'>) {
  if (stopping()) return 'the server is shutting down';
  const stuck = [...federations.values()].find(({ storeFailure }) => storeFailure);
  return stuck && `federation "${stuck.name}": the store is failing`;
}

const metrics = route({
  on: 'GET /metrics',
  id: 'getMetrics',
  access: 'read',
  about: 'Metrics for Prometheus',
  query: anything,
  answer: { about: 'Prometheus text format', type: 'text/plain; version=0.0.4; charset=utf-8' },
  handle: (_, { meters }: AppContext) => meters.registry.metrics(),
});

/** Of every server, a gateway's too. */
export const PROBE_ROUTES: readonly Route<AppContext>[] = [health, ready, metrics];

export const SERVICE_ROUTES: readonly Route[] = [describe, ...PROBE_ROUTES];
