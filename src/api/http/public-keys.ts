import type { FastifyInstance, FastifyRequest } from 'fastify';
import { notFound } from '../../errors.js';
import { JWKS_MAX_AGE_SECONDS, JWKS_PATH, readJwks } from '../../operations/signing-keys/read-signing-keys.js';
import type { HasPool } from '../../platform/database/database.js';

type Request = FastifyRequest<{ Params: { file: string } }>;

const FILE = /^([A-Za-z0-9_-]{22})\.json$/;

/** The public keys of a tenant as JWKS (RFC 7517 §5), for receivers, who have no key of the API. */
export async function publicKeys(app: FastifyInstance, { db }: { db: HasPool }): Promise<void> {
  app.get(`${JWKS_PATH}:file`, async (request, reply) => {
    const jwksId = FILE.exec((request as Request).params.file)?.[1];
    const keys = jwksId === undefined ? [] : await readJwks(db, jwksId);
    if (keys.length === 0) {
      throw notFound('set of keys', 'with such an address');
    }
    return reply
      .headers({ 'cache-control': `public, max-age=${JWKS_MAX_AGE_SECONDS}` })
      .type('application/jwk-set+json')
      .send(JSON.stringify({ keys }));
  });
}
