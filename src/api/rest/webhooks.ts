import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import { webhookFields } from '../../domain/fields/webhook-fields.js';
import { ApiError } from '../../errors.js';
import { callerOf, type Services } from '../context/context.js';
import { idempotencyKey } from '../graphql/fields/input.js';
import { readJson } from '../http/json-body.js';
import { contextOf, decorateWithContext, freeWhenSent, requestContext } from '../http/request-context.js';
import { headerOf, slashTooMany } from '../http/requests.js';
import { erasureRoutes } from './erase-events.js';
import { changedOptions, inGraphqlTerms, mergedMaps } from './field-forms.js';
import { etagOf } from './if-match.js';
import { type Operations, prepareOperations, type WebhookNode } from './operations.js';
import { listQuery } from './parameters.js';
import { MERGE_PATCH, REST_PREFIX } from './paths.js';
import { limitsRoute } from './read-limits.js';
import { readPart } from './read-part.js';
import { webhookChange, webhookInput, writableIn } from './schemas.js';
import { testRoute } from './test-webhook.js';
import { verificationRoutes } from './verify-webhook.js';
import { optionRoutes, shownOptions, updateMerged } from './webhook-options.js';
import {
  bodyOf,
  canReadIfMatch,
  hasNoParameters,
  ifVersion,
  ignoreBody,
  isThere,
  type WithId,
  webhookIn,
} from './webhook-requests.js';

/**
 * The routes of docs/interface.md, "Managing webhooks". A route maps names and status codes; the resolvers of its
 * GraphQL document do everything else.
 */
export async function webhookRoutes(
  app: FastifyInstance,
  { schema, services }: { schema: GraphQLSchema; services: Services },
): Promise<void> {
  const operations = prepareOperations(schema);
  decorateWithContext(app);
  // 401 comes before all other errors.
  app.addHook('onRequest', async (request, reply) => {
    reply.header('cache-control', 'no-store');
    request.context = await requestContext(services, request, request.headers.authorization);
    const by = callerOf(request.context);
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
  await app.register(async (scope) => creation(scope, operations, services.config.basePath));
  await app.register(async (scope) => change(scope, operations));
  await app.register(async (scope) => routesWithoutBody(scope, operations));
  await app.register(async (scope) => optionRoutes(scope, operations));
  await app.register(async (scope) => testRoute(scope, operations));
  await app.register(async (scope) => limitsRoute(scope, operations));
  await app.register(async (scope) => verificationRoutes(scope, operations));
  await app.register(async (scope) => erasureRoutes(scope, operations));
}

/** Reserves the memory of a list until it is sent. @throws ApiError rate_limited */
async function reserveAnswer(request: FastifyRequest, reply: FastifyReply, answer: unknown): Promise<unknown> {
  const { context, method } = request;
  if (context !== null && method === 'GET' && typeof answer === 'string') {
    const refusal = context.budget.reserveWhole(answer);
    if (refusal !== null) {
      throw refusal;
    }
    freeWhenSent(reply, context);
  }
  return answer;
}

function creation(app: FastifyInstance, operations: Operations, basePath: string): void {
  readJson(app);

  const onCreate = [operations.create.authorise, hasNoParameters, canReadKey];
  app.post('/webhooks', { onRequest: onCreate }, async (request, reply) => {
    const { options: sent, external_id, ...fields } = bodyOf(request, webhookInput);
    const options = { ...sent, ...(external_id == null ? {} : { external_id }) };
    const shown = sent === undefined ? {} : await shownOptions(null, contextOf(request));
    const given = changedOptions(webhookFields, options, shown, ['body', 'options']);
    const settings = inGraphqlTerms(webhookFields, { ...fields, ...given });
    const input = { ...mergedMaps(webhookFields, null, settings), idempotencyKey: keyOf(request) };
    const { createWebhook } = await operations.create(request, { input });
    const data = { ...restWebhook(createWebhook.webhook, reply), secret: createWebhook.secret };
    return reply.code(201).header('location', `${basePath}${REST_PREFIX}/webhooks/${data.id}`).send({ data });
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
    const { options, ...sent } = bodyOf(request, webhookChange);
    const fields = writableIn(sent);
    const { updateWebhook } = options
      ? await updateMerged(request, { fields, options, path: ['body', 'options'] }, operations.update)
      : await operations.update(request, {
          input: { id: webhookIn(request), ...inGraphqlTerms(webhookFields, fields), ...(await ifVersion(request)) },
        });
    return { data: restWebhook(updateWebhook.webhook, reply) };
  });
}

function routesWithoutBody(app: FastifyInstance, operations: Operations): void {
  ignoreBody(app);

  app.get('/webhooks', { onRequest: operations.list.authorise }, async (request) => {
    const query = readPart(listQuery, withMaps(request.query as Record<string, string>), 'query');
    const { limit, cursor, active, event, external_id, search } = query;
    const [metadata] = Object.entries(query.metadata ?? {}).map(([key, value]) => ({ key, value }));
    const filter = {
      active: active ?? null,
      eventType: event ?? null,
      externalId: external_id ?? null,
      search: search ?? null,
      metadata: metadata ?? null,
    };
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
}

/** `metadata[team]=payments` as an object (deepObject in OpenAPI). */
function withMaps(query: Readonly<Record<string, string>>): Record<string, unknown> {
  // Without a prototype: `__proto__` is a name like others, which the list does not know.
  const made: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(query)) {
    const [, map, key] = /^(metadata)\[([^\]]*)\]$/.exec(name) ?? [];
    if (map === undefined || key === undefined) {
      made[name] = value;
    } else {
      made[map] = { ...(made[map] as object), [key]: value };
    }
  }
  return made;
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

/** @param reply an answer with this webhook alone, which gets its ETag; null: there is none */
function restWebhook({ version, ...fields }: WebhookNode, reply: FastifyReply | null) {
  reply?.header('etag', etagOf(version));
  return fields;
}
