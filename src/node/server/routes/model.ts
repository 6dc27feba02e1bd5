/** The model as it is now, as a file. */
import { z } from 'zod';
import { modelToJson } from '../../../methods/model.ts';
import { ApiError } from '../api-error.ts';
import { modelFileOf } from '../model-file.ts';
import { inFederation } from '../schemas.ts';
import { type Route, route } from './route.ts';

const show = route({
  method: 'GET',
  path: '/v1/federations/:name/model',
  id: 'getModel',
  access: 'look',
  about: 'The model as it is now, as a file for kindred personalise, predict and evaluate',
  details:
    'Features are x1, x2, ... where no participant has told their names. The coordinator does not know what the classes are ' +
    'called: the positive one is "1", the negative one "-1". Personal parts are with the participants, and not in it; only MOCHA, ' +
    'which has no shared part, makes them here.',
  params: inFederation,
  answer: {
    status: 200,
    about: 'A kindred model file',
    schema: z.looseObject({ format: z.literal('kindred-model') }),
  },
  errors: ['NO_MODEL'],
  handle: async ({ params }, context, reply) => {
    const federation = context.federation(params.name);
    const model = await modelFileOf(federation, context.store);
    if (!model) throw new ApiError('NO_MODEL', `federation "${params.name}": no round has been opened yet`);
    reply.header('content-disposition', `attachment; filename="${federation.name}.model.json"`);
    reply.type('application/json; charset=utf-8');
    return modelToJson(model);
  },
});

export const MODEL_ROUTES: readonly Route[] = [show];
