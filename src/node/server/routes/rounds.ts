/** The history of a federation: its rounds in full, page by page, and in short. */
import { z } from 'zod';
import { allRounds, PAGE_ROUNDS } from '../../../host/all-rounds.ts';
import type { HistoryRow } from '../../../host/ports.ts';
import { ApiError } from '../api-error.ts';
import { count, known, orNull, timeMs } from '../schemas.ts';
import { type Route, route } from './route.ts';

const statistics = z.strictObject({
  mean: z.number(),
  spread: z.number().describe('Standard deviation over participants'),
  worst: z.number().nullable().describe('null with secure aggregation'),
});
const testsSchema = z
  .strictObject({
    metric: z.enum(['balancedAccuracy', 'rmse']),
    participants: count.describe('Participants that reported'),
    own: statistics.describe('With their own models'),
    shared: statistics.nullable().describe('With the shared part alone; null if there is none'),
  })
  .nullable();

const roundRow = z.strictObject({
  round: count,
  atMs: z.number().describe('Clock of the server process that closed the round'),
  closedMs: timeMs,
  purpose: z.enum(['train', 'certify']),
  responders: z.array(z.string()),
  outcome: z.enum(['aggregated', 'abandoned', 'certified', 'final']),
  certified: z
    .boolean()
    .describe(
      'Whether the bounds are certified; with steps they are estimates until all participants have answered for the current model',
    ),
  missing: z
    .array(z.string())
    .describe('Participants that have joined but are not covered by the certificate'),
  sigma: known,
  primal: known,
  dual: known,
  relativeGap: known,
  privacy: z.strictObject({ epsilon: z.number(), delta: z.number() }).optional(),
  scores: z
    .array(
      z.strictObject({
        id: z.string(),
        cosine: known.optional(),
        normRatio: known,
        ownShare: known.optional(),
      }),
    )
    .optional(),
  shortened: z.array(z.strictObject({ id: z.string(), factor: z.number() })).optional(),
  woken: z.literal(true).optional().describe('Training woke with this round: a new run begins'),
  tests: testsSchema.describe('Test metrics that participants reported; null: none'),
});
export type RoundView = z.output<typeof roundRow>;

/** A row of the store as it is shown: those of earlier versions say nothing of tests. */
export function roundView(row: HistoryRow): RoundView {
  return { ...row, tests: row.tests ?? null } as RoundView;
}

const list = route({
  on: 'GET /v1/federations/:name/rounds',
  id: 'listRounds',
  access: 'read',
  about: 'List closed rounds, oldest first',
  query: z.strictObject({
    after: z.coerce.number().int().nonnegative().default(0).describe('Start after this round'),
    limit: z.coerce.number().int().min(1).max(PAGE_ROUNDS).default(100),
  }),
  answer: {
    about: 'A page',
    schema: z.strictObject({
      rounds: z.array(roundRow),
      next: count.nullable().describe('`after` of the next page; null on the last page'),
    }),
  },
  handle: async ({ params, query: { after, limit } }, context) => {
    const { name } = context.federation(params.name);
    // One more than is wanted shows whether there is another page.
    const found = await context.store.history(name, after, limit + 1);
    const rounds = found.slice(0, limit).map(roundView);
    return { rounds, next: found.length > limit ? rounds[limit - 1].round : null };
  },
});

const show = route({
  on: 'GET /v1/federations/:name/rounds/:round',
  id: 'getRound',
  access: 'read',
  about: 'One closed round',
  answer: { about: 'The round as stored', schema: roundRow },
  errors: ['NO_SUCH_ROUND'],
  handle: async ({ params: { name, round } }, context) => {
    const [row] = await context.store.history(context.federation(name).name, round - 1, 1);
    if (row?.round !== round) throw new ApiError('NO_SUCH_ROUND', `round ${round}: not closed yet`);
    return roundView(row);
  },
});

const history = route({
  on: 'GET /v1/federations/:name/history',
  id: 'getHistory',
  access: 'read',
  about: 'History of primal, dual and gap',
  details:
    'Field names as in `kindred train --json`. With format=csv as CSV, where unknown values are empty.',
  query: z.strictObject({ format: z.enum(['json', 'csv']).default('json') }),
  answer: {
    about: 'All closed rounds',
    schema: z.array(
      z.strictObject({
        round: count,
        primal: known,
        dual: known,
        relativeGap: known,
        closedMs: timeMs,
        tests: testsSchema,
      }),
    ),
  },
  handle: async ({ params, query }, context, reply) => {
    const all = await allRounds(context.store, context.federation(params.name).name);
    const rows = all.map(({ round, primal, dual, relativeGap, closedMs, tests = null }) => {
      return {
        round,
        primal: orNull(primal),
        dual: orNull(dual),
        relativeGap: orNull(relativeGap),
        closedMs,
        tests,
      };
    });
    if (query.format === 'json') return rows;
    reply.type('text/csv; charset=utf-8');
    const lines = rows.map(({ tests, ...row }) => [...Object.values(row), ...testCells(tests)].join(','));
    return `${[['round,primal,dual,relativeGap,closedMs', ...TEST_COLUMNS].join(','), ...lines].join('\n')}\n`;
  },
});

const MODELS = ['own', 'shared'] as const;
const STATISTICS = ['Mean', 'Spread', 'Worst'] as const;
const TEST_COLUMNS = [
  'testMetric',
  'testParticipants',
  ...MODELS.flatMap((model) => STATISTICS.map((name) => model + name)),
];

/** In the order of the columns. */
function testCells(tests: HistoryRow['tests']): (string | number | null)[] {
  if (!tests) return TEST_COLUMNS.map(() => null);
  const cells = MODELS.flatMap((model) => {
    const { mean = null, spread = null, worst = null } = tests[model] ?? {};
    return [mean, spread, worst];
  });
  return [tests.metric, tests.participants, ...cells];
}

export const ROUND_ROUTES: readonly Route[] = [list, show, history];
