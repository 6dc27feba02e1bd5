/** The model as it is now, as far as the coordinator knows it: a file for `kindred personalise`, `predict` and `evaluate`. */
import { z } from 'zod';
import { optionsToJson } from '../../../coordinator/options.ts';
import type { CoordinatorState } from '../../../coordinator/state.ts';
import { modelOf } from '../../../coordinator/training.ts';
import { mappingOf } from '../../../data/agreed-classes.ts';
import { declaredCodes } from '../../../data/declared-levels.ts';
import { featureNames, namedEncoding } from '../../../data/encoding.ts';
import type { Store } from '../../../host/ports.ts';
import { modelToJson } from '../../../methods/model.ts';
import type { Agreement } from '../../../protocol/agreement.ts';
import { withoutMark } from '../../../protocol/joining.ts';
import { seededMap } from '../../../settings/feature-map.ts';
import type { Certificate } from '../../../solver/certificate.ts';
import type { Model } from '../../../solver/model.ts';
import { ApiError } from '../api-error.ts';
import type { Federation } from '../federation.ts';
import { type Route, route } from './route.ts';

const show = route({
  on: 'GET /v1/federations/:name/model',
  id: 'getModel',
  access: 'read',
  about: 'The current model, as a file for kindred personalise, predict and evaluate',
  details:
    'Features are named x1, x2, ... if no participant has sent their names. Personal parts stay with the participants and are not included; only MOCHA, ' +
    'which has no shared part, computes them at the server.',
  answer: { about: 'A kindred model file', schema: z.looseObject({ format: z.literal('kindred-model') }) },
  errors: ['NO_MODEL'],
  handle: async ({ params }, context, reply) => {
    const federation = context.federation(params.name);
    const model = await modelFileOf(federation, context.store);
    reply.header('content-disposition', `attachment; filename="${federation.name}.model.json"`);
    reply.type('application/json; charset=utf-8');
    return modelToJson(model);
  },
});

export const MODEL_ROUTES: readonly Route[] = [show];

/** Of a federation that began with an earlier version: the names of classes stayed with the participants. */
const UNNAMED = { positive: '1', negative: '-1' };

/** Names of features, and how columns become them. `titles`: of the columns, where a participant has sent them. */
function encodingOf(
  { options: { levels }, features, scaling }: CoordinatorState,
  agreement: Agreement | undefined,
  titles: readonly string[] | undefined,
): Pick<Model, 'features' | 'encoding'> {
  const numbered = (count: number) => Array.from({ length: count }, (_, j) => `x${j + 1}`);
  const isKnown = titles?.length === features;
  const agreed = agreement?.encoding;
  if (agreed && agreement.columns) {
    const encoding = { ...namedEncoding(agreement.columns, agreed), absent: 'missing' as const };
    return { features: featureNames(encoding), encoding };
  }
  if (!isKnown && !agreed) return { features: numbered(scaling!.shift.length) };
  const known = isKnown ? titles : numbered(features);
  const isText = (title: string, j: number) =>
    agreed ? agreed[j].kind === 'category' : Object.hasOwn(levels ?? {}, withoutMark(title));
  const names = known.map((title, j) => (isText(title, j) ? withoutMark(title) : title));
  const codes = levels ? declaredCodes(names, levels) : agreed;
  if (!codes) return { features: names };
  const encoding = namedEncoding(names, codes);
  return { features: featureNames(encoding), encoding };
}

/** Refuses a federation before its first round. */
export async function modelFileOf({ name, host }: Federation, store: Store): Promise<Model> {
  const found = modelOf(host.state);
  if (!found) throw new ApiError('NO_MODEL', `federation "${name}": no round has started yet`);
  const { options } = host.state;
  const classes = found.agreement?.classes;
  const { objective, features: map, bias, scale, seed, method } = options;
  const encoding = encodingOf(host.state, found.agreement, (await store.schema(name))?.features);
  return {
    method,
    objective,
    features: encoding.features,
    ...(encoding.encoding && { encoding: encoding.encoding }),
    bias,
    scaling: { mode: scale, ...found.scaling },
    map: seededMap(map, seed),
    target: found.agreement?.target,
    classes: objective === 'classification' ? (classes ? mappingOf(classes) : UNNAMED) : undefined,
    w: found.w,
    // Personal parts are the participants' own; only MOCHA, which has no shared part, makes them here.
    personal: found.v,
    servesNewcomers: method !== 'mocha',
    options: { ...optionsToJson(options), federation: name, round: found.round },
    seed,
    certificate: await certificateOf(host, found, store),
  };
}

/** What is known of this very model: that of the last round, where it was about the model in use. */
async function certificateOf(
  { record, state }: Federation['host'],
  { round, certified }: { readonly round: number; readonly certified: boolean },
  store: Store,
): Promise<Certificate | undefined> {
  // Rows of the history may be about another w: before somebody was forgotten, or had other rows.
  if (!Number.isFinite(state.certificate.primal)) return undefined;
  const rows = await store.history(record.name, Math.max(0, state.round - 2), 2);
  const row = rows.at(-1);
  if (!row?.certified || !Number.isFinite(row.relativeGap)) return undefined;
  // The best model so far, or the latest where nothing has moved it since.
  const isIt = certified ? row.primal === state.best?.primal : row.outcome === 'final' && row.round === round;
  if (!isIt) return undefined;
  const { primal, dual, relativeGap } = row;
  return { primal, dual, relativeGap };
}
