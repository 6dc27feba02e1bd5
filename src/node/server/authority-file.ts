/** The certificate that a phone has to trust, as a file that it offers to install. Nothing in it is secret. */
import type { FastifyInstance } from 'fastify';
import { ApiError } from './api-error.ts';
import type { AppContext } from './routes/route.ts';

export const AUTHORITY_PATH = '/authority.crt';

export function addAuthorityFile(app: FastifyInstance, context: Pick<AppContext, 'authority'>): void {
  app.get(AUTHORITY_PATH, { schema: { hide: true } }, (_, reply) => {
    const authority = context.authority();
    if (!authority) throw new ApiError('NOT_FOUND', `${AUTHORITY_PATH}: unknown path`);
    // By this type iOS and Android recognise what it is.
    return reply.type('application/x-x509-ca-cert').send(authority.raw);
  });
}
