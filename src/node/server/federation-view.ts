/** A federation as the API tells it. */
import { z } from 'zod';
import { optionsToJson } from '../../coordinator/options-schema.ts';
import type { ServerContext } from './context.ts';
import type { Federation } from './federation.ts';
import { count, federationName, finishReason, known, phase, rejections, timeMs } from './schemas.ts';

const brief = {
  name: federationName,
  id: z.string().describe('Unique for ever, whatever the name'),
  createdMs: timeMs,
  phase,
  paused: z.boolean(),
  round: count.describe('The round that is open, from 1; 0 before the first'),
  relativeGap: known.describe('Relative duality gap of the model in use, as last known'),
  finish: finishReason.nullable().describe('Why training has ended'),
};

export const federationBrief = z.strictObject({ ...brief, connected: count });

export const federationState = z.strictObject({
  ...brief,
  purpose: z.enum(['train', 'certify']).describe('What the open round is for'),
  participants: z.strictObject({
    enrolled: count.describe('May take part'),
    joined: count.describe('Have ever taken part, and were not forgotten'),
    here: count,
    left: count,
    connected: count.describe('At this moment'),
  }),
  certificate: z
    .strictObject({ primal: known, dual: known, relativeGap: known })
    .describe('Bounds on the optimum, of the model in use; null where nothing is known'),
  missing: z
    .array(z.string())
    .describe(
      'Who has joined and is not covered by the certificate: does not answer, or has not answered yet',
    ),
  bestGap: known,
  aggregated: count.describe('Rounds in which something was aggregated'),
  features: count.describe('Without the bias; 0 before anybody has joined'),
  rejections: rejections.describe('What participants were refused since the server was started, by code'),
  conservation: z
    .strictObject({ relativeError: known })
    .describe('|U - sum of all contributions| / |U|; null where single ones are not known'),
  privacy: z
    .strictObject({ epsilon: z.number(), delta: z.number() })
    .optional()
    .describe('Spent so far, under differential privacy'),
  options: z.record(z.string(), z.unknown()),
  storeWorks: z.boolean(),
  uptimeMs: z.number().describe('Of the server'),
});

/** NaN and Infinity are not in JSON, and null says better that something is not known. */
export function orNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

function briefly(federation: Federation) {
  const { record, host } = federation;
  const { name, id, createdMs } = record;
  const { phase, paused, round, finish } = host.state;
  return {
    ...{ name, id, createdMs, phase, paused, round },
    relativeGap: orNull(federation.relativeGap),
    finish: finish ?? null,
  };
}

export function briefOf(federation: Federation): z.input<typeof federationBrief> {
  return { ...briefly(federation), connected: federation.connections.size };
}

export async function stateOf(
  { store, wallClock, startedMs }: ServerContext,
  federation: Federation,
): Promise<z.input<typeof federationState>> {
  const { state } = federation.host;
  const { purpose, bestGap, aggregated, features, budget, options } = state;
  const members = [...state.members.values()];
  const enrolments = await store.enrolments(federation.name);
  const here = members.filter(({ presence }) => presence === 'here').length;
  return {
    ...briefly(federation),
    purpose,
    participants: {
      enrolled: enrolments.filter(({ revokedMs }) => revokedMs === undefined).length,
      joined: members.length,
      here,
      left: members.length - here,
      connected: federation.connections.size,
    },
    certificate: {
      primal: orNull(federation.certificate?.primal),
      dual: orNull(federation.certificate?.dual),
      relativeGap: orNull(federation.certificate?.relativeGap),
    },
    missing: [...state.missing],
    bestGap: orNull(bestGap),
    aggregated,
    features,
    rejections: Object.fromEntries(federation.rejections()),
    conservation: { relativeError: orNull(federation.conservationError()) },
    ...(budget && { privacy: { epsilon: budget.spent.epsilon, delta: budget.spent.delta } }),
    options: optionsToJson(options),
    storeWorks: federation.trouble === undefined,
    uptimeMs: wallClock() - startedMs,
  };
}
