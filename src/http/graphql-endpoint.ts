import { fastifyApolloHandler } from '@as-integrations/fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { type Context, createContext, type Services } from '../context.js';
import { createApolloServer } from '../graphql/apollo.js';
import { extensionsOf } from '../graphql/errors.js';
import { apiErrorOf, problemHeaders } from '../rest/problem.js';
import { readJson } from './json-body.js';
import { headerOf, logError } from './requests.js';

/** Mounts Apollo. Errors outside Apollo, as of a body that is no JSON, have the form of GraphQL's. */
export async function graphqlEndpoint(
  app: FastifyInstance,
  { schema, services }: { schema: GraphQLSchema; services: Services },
): Promise<void> {
  const apollo = createApolloServer(schema, services);
  await apollo.start();
  app.addHook('onClose', () => apollo.stop());
  readJson(app);
  app.setErrorHandler((error, request, reply) => {
    const known = apiErrorOf(error);
    logError(request, known, error);
    return reply
      .code(known.status)
      .headers(problemHeaders(known))
      .type('application/json; charset=utf-8')
      .send({ errors: [{ message: known.detail, extensions: extensionsOf(known) }] });
  });
  const context = (request: FastifyRequest): Promise<Context> =>
    createContext(services, {
      authorization: keyOf(request),
      tenantHeader: headerOf(request, 'hookwright-tenant'),
      requestId: request.id,
    });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    bodyLimit: services.config.limits.graphql.bodyBytesMax,
    handler: fastifyApolloHandler(apollo, { context }),
  });
}

/** The header as GraphiQL sends it before a key was filled in, so that it can ask for the schema all the same. */
const EMPTY_BEARER = /^\s*(Bearer)?\s*$/i;

function keyOf({ headers: { authorization } }: FastifyRequest): string | undefined {
  return authorization === undefined || EMPTY_BEARER.test(authorization) ? undefined : authorization;
}
