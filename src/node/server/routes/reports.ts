/** Reports of `kindred reproduce` that the server was started with. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type Reports, verdictRow } from '../reports.ts';
import { timeMs } from '../schemas.ts';
import { type Route, route } from './route.ts';

const list = route({
  on: 'GET /v1/reports',
  id: 'listReports',
  access: 'read',
  about: 'List reports of kindred reproduce',
  details: 'Those in the folder of `kindred serve --reports`; without it there are none.',
  answer: {
    about: 'The newest first',
    schema: z.strictObject({
      reports: z.array(
        z.strictObject({ name: z.string(), writtenMs: timeMs, verdicts: z.array(verdictRow) }),
      ),
    }),
  },
  handle: async (_, { reports }) => ({ reports: await reports.list() }),
});

const open = route({
  on: 'POST /v1/reports/:report/open',
  id: 'openReport',
  access: 'read',
  about: 'Get an address of a report that a browser can open',
  details: 'Valid for an hour, without a token: the path itself is the secret.',
  answer: { about: 'Path of the report', schema: z.strictObject({ path: z.string() }) },
  errors: ['NO_SUCH_REPORT'],
  handle: async ({ params }, { reports }) => ({ path: await reports.open(params.report) }),
});

export const REPORT_ROUTES: readonly Route[] = [list, open];

/** The files themselves. */
export function addReportFiles(app: FastifyInstance, reports: Reports): void {
  app.get<{ Params: { ticket: string; '*': string } }>(
    '/reports/:ticket/*',
    { schema: { hide: true } },
    async ({ params }, reply) => {
      const { type, policy, bytes } = await reports.file(params.ticket, params['*']);
      return reply.headers({ 'content-type': type, 'content-security-policy': policy }).send(bytes);
    },
  );
}
