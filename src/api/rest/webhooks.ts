import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { z } from 'zod';
import { parseId } from '../../domain/ids/id.js';
import { ApiError, notFound } from '../../errors.js';
import { callerOf, type Services } from '../context/context.js';
import { idempotencyKey } from '../graphql/fields/input.js';
import { readWebhook } from '../graphql/webhooks/webhook.js';
import { contextOf, expectAsker, freeWhenSent, whoAsks } from '../http/asking.js';
import { readBody, readJson } from '../http/json-body.js';
import { headerOf, slashTooMany } from '../http/requests.js';
import { etagOf, readIfMatch, versionFor } from './if-match.js';
import { graphqlName } from './names.js';
import { type Operations, prepareOperations, type WebhookNode } from './operations.js';
import { MERGE_PATCH, REST_PREFIX } from './paths.js';
import { readPart } from './read-part.js';
import { listQuery, noQuery, webhookChange, webhookInput } from './schemas.js';

type WithId = { Params: { id: string } };

/**
 * The routes of docs/interface.md, "Managing webhooks". A route maps names and status codes; the resolvers of its
 * GraphQL document do everything else.
 */
export async function webhookRoutes(
  app: FastifyInstance,
  { schema, services }: { schema: GraphQLSchema; services: Services },
): Promise<void> {
  const operations = prepareOperations(schema);
  expectAsker(app);
  // 401 comes before all other errors.
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    request.asking = await whoAsks(services, request, request.headers.authorization);
    const by = callerOf(request.asking);
    const { refusal, headers } = services.rateLimits.charge({ by, operations: 1, events: null });
    reply.headers(headers);
    if (refusal !== null) {
      throw refusal;
    }
    if ((request.params as Partial<WithId['Params']>).id === '') {
      throw slashTooMany(); // the router accepts an empty id
    }
  });
  app.addHook('onSend', reserveAnswer);
  await app.register(async (scope) => creation(scope, operations));
  await app.register(async (scope) => change(scope, operations));
  await app.register(async (scope) => routesWithoutBody(scope, operations));
}

/** Reserves the memory of a list until it is sent. @throws ApiError rate_limited */
async function reserveAnswer(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<unknown> {
  const { asking, method } = request;
  if (asking !== null && method === 'GET' && typeof answer === 'string') {
    const refusal = asking.budget.reserveWhole(answer);
    if (refusal !== null) {
      throw refusal;
    }
    freeWhenSent(reply, asking);
  }
  return answer;
}

function creation(app: FastifyInstance, operations: Operations): void {
  readJson(app);

  const onCreate = [operations.create.authorise, hasNoParameters, canReadKey];
  app.post('/webhooks', { onRequest: onCreate }, async (request, reply) => {
    const input = { ...inGraphqlTerms(bodyOf(request, webhookInput)), idempotencyKey: keyOf(request) };
    const { createWebhook } = await operations.create(request, { input });
    const data = { ...restWebhook(createWebhook.webhook, reply), secret: createWebhook.secret };
    return reply.code(201).header('location', `${REST_PREFIX}/webhooks/${data.id}`).send({ data });
  });
}

/** A change is a merge patch (RFC 7396), under either name. Other patches, such as RFC 6902's, mean something else. */
function change(app: FastifyInstance, operations: Operations): void {
  readJson(app, [MERGE_PATCH]);
  app.addHook('onRequest', async (_request, reply) => {
    reply.header('accept-patch', `application/json, ${MERGE_PATCH}`); // RFC 5789 §3.1
  });

  const onChange = [operations.update.authorise, hasNoParameters, canReadIfMatch, isThere];
  app.patch<WithId>('/webhooks/:id', { onRequest: onChange }, async (request, reply) => {
    const change = inGraphqlTerms(bodyOf(request, webhookChange));
    const input = { id: webhookIn(request), ...change, ...(await ifVersion(request)) };
    const { updateWebhook } = await operations.update(request, { input });
    return { data: restWebhook(updateWebhook.webhook, reply) };
  });
}

function routesWithoutBody(app: FastifyInstance, operations: Operations): void {
  ignoreBody(app);

  app.get('/webhooks', { onRequest: operations.list.authorise }, async (request) => {
    const { limit, cursor, active, event } = readPart(listQuery, request.query, 'query');
    const filter = { active: active ?? null, eventType: event ?? null };
    const { webhooks } = await operations.list(request, { first: limit, after: cursor ?? null, filter });
    const { hasNextPage, endCursor } = webhooks.pageInfo;
    return {
      data: webhooks.edges.map(({ node }) => restWebhook(node, null)),
      meta: { next_cursor: hasNextPage ? endCursor : null },
    };
  });

  const onRead = [operations.read.authorise, hasNoParameters];
  app.get<WithId>('/webhooks/:id', { onRequest: onRead }, async (request, reply) => {
    const { webhook } = await operations.read(request, { id: webhookIn(request) });
    return { data: restWebhook(webhook, reply) };
  });

  const onDelete = [operations.delete.authorise, hasNoParameters];
  app.delete<WithId>('/webhooks/:id', { onRequest: onDelete }, async (request, reply) => {
    const input = { id: webhookIn(request), ...(await ifVersion(request)) };
    await operations.delete(request, { input });
    return reply.code(204).send();
  });

  const onTest = [operations.test.authorise, hasNoParameters];
  app.post<WithId>('/webhooks/:id/test', { onRequest: onTest }, async (request, reply) => {
    const id = webhookIn(request);
    const { testWebhook } = await operations.test(request, { input: { id } });
    const { id: deliveryId, event, status, created_at } = testWebhook.delivery;
    const data = { id: deliveryId, event, webhook_id: Number(id), status, created_at };
    return reply.code(202).send({ data });
  });
}

async function isThere(request: FastifyRequest): Promise<void> {
  await readWebhook(contextOf(request), webhookIn(request), ['id']);
}

/** The id in the path, which is a number here. @throws ApiError not_found for another text, such as a global id */
function webhookIn({ params }: FastifyRequest): string {
  const { id } = params as WithId['Params'];
  if (parseId(id) === null) {
    throw notFound('webhook', 'with such an id');
  }
  return id;
}

async function canReadKey(request: FastifyRequest): Promise<void> {
  keyOf(request);
}

/** @throws ApiError header_malformed */
function keyOf(request: FastifyRequest): string | null {
  const header = headerOf(request, 'idempotency-key') ?? null;
  if (header !== null && !idempotencyKey.safeParse(header).success) {
    throw new ApiError('header_malformed', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
  }
  return header;
}

async function canReadIfMatch({ headers }: FastifyRequest): Promise<void> {
  readIfMatch(headers['if-match']);
}

/** The version that If-Match asks for: a webhook with another version is not changed. */
async function ifVersion(request: FastifyRequest): Promise<{ ifVersion?: number | undefined }> {
  const header = request.headers['if-match'];
  if (readIfMatch(header) === null) {
    return {};
  }
  const { version } = await readWebhook(contextOf(request), webhookIn(request), ['id']);
  return { ifVersion: versionFor(header, version) };
}

/** @param reply an answer with this webhook alone, which gets its ETag; null: there is none */
function restWebhook({ version, ...fields }: WebhookNode, reply: FastifyReply | null) {
  reply?.header('etag', etagOf(version));
  return fields;
}

/** Gives the fields of a body their names in GraphQL. */
function inGraphqlTerms(body: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [graphqlName(name), value]));
}

/** Discards the body of a request to a route without one, whatever its type and length. */
function ignoreBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume();
    done(null);
  });
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']; // a malformed one would be refused before any parser is asked
  });
}

function bodyOf<Schema extends z.ZodObject>(request: FastifyRequest, schema: Schema): z.output<Schema> {
  return readPart(schema, readBody(request), 'body');
}

async function hasNoParameters({ query }: FastifyRequest): Promise<void> {
  readPart(noQuery, query, 'query');
}
