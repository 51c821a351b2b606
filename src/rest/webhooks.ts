import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { z } from 'zod';
import { callerOf, type Services } from '../context/context.js';
import { parseId } from '../domain/ids/id.js';
import { ApiError, type InputIssue, notFound, type Reason } from '../errors.js';
import { readWebhook } from '../graphql/webhooks/webhook.js';
import { contextOf, expectAsker, freeWhenSent, whoAsks } from '../http/asking.js';
import { readBody, readJson } from '../http/json-body.js';
import { slashTooMany } from '../http/requests.js';
import { etagOf, readIfMatch, versionFor } from './if-match.js';
import { graphqlName, restName } from './names.js';
import { type Operations, prepareOperations, type WebhookNode } from './operations.js';
import { REST_PREFIX } from './paths.js';
import { readPart } from './read-part.js';
import type { Operation } from './run-operation.js';
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
  await app.register(async (scope) => routesWithBody(scope, operations));
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

function routesWithBody(app: FastifyInstance, operations: Operations): void {
  readJson(app);

  const onCreate = [mayRun(operations.create), hasNoParameters];
  app.post('/webhooks', { onRequest: onCreate }, async (request, reply) => {
    const input = inGraphqlTerms(bodyOf(request, webhookInput));
    const { createWebhook } = await inRestTerms(operations.create(contextOf(request), { input }));
    const data = { ...restWebhook(createWebhook.webhook, reply), secret: createWebhook.secret };
    return reply.code(201).header('location', `${REST_PREFIX}/webhooks/${data.id}`).send({ data });
  });

  const onChange = [mayRun(operations.update), hasNoParameters, canReadIfMatch, isThere];
  app.patch<WithId>('/webhooks/:id', { onRequest: onChange }, async (request, reply) => {
    const change = inGraphqlTerms(bodyOf(request, webhookChange));
    const input = { id: webhookIn(request), ...change, ...(await ifVersion(request)) };
    const { updateWebhook } = await inRestTerms(operations.update(contextOf(request), { input }));
    return { data: restWebhook(updateWebhook.webhook, reply) };
  });
}

function routesWithoutBody(app: FastifyInstance, operations: Operations): void {
  ignoreBody(app);

  app.get('/webhooks', { onRequest: mayRun(operations.list) }, async (request) => {
    const { limit, cursor, active, event } = readPart(listQuery, request.query, 'query');
    const { webhooks } = await inRestTerms(
      operations.list(contextOf(request), {
        first: limit,
        after: cursor ?? null,
        filter: { active: active ?? null, eventType: event ?? null },
      }),
    );
    const { hasNextPage, endCursor } = webhooks.pageInfo;
    return {
      data: webhooks.edges.map(({ node }) => restWebhook(node, null)),
      meta: { next_cursor: hasNextPage ? endCursor : null },
    };
  });

  app.get<WithId>('/webhooks/:id', { onRequest: mayRun(operations.read) }, async (request, reply) => {
    noParameters(request);
    const { webhook } = await inRestTerms(operations.read(contextOf(request), { id: webhookIn(request) }));
    return { data: restWebhook(webhook, reply) };
  });

  app.delete<WithId>('/webhooks/:id', { onRequest: mayRun(operations.delete) }, async (request, reply) => {
    noParameters(request);
    const input = { id: webhookIn(request), ...(await ifVersion(request)) };
    await inRestTerms(operations.delete(contextOf(request), { input }));
    return reply.code(204).send();
  });

  app.post<WithId>('/webhooks/:id/test', { onRequest: mayRun(operations.test) }, async (request, reply) => {
    noParameters(request);
    const id = webhookIn(request);
    const { testWebhook } = await inRestTerms(operations.test(contextOf(request), { input: { id } }));
    const { id: deliveryId, event, status, created_at } = testWebhook.delivery;
    const data = { id: deliveryId, event, webhook_id: Number(id), status, created_at };
    return reply.code(202).send({ data });
  });
}

/** Makes a hook that comes before the body is read: a caller without the right learns nothing about the body. */
function mayRun({ authorise }: Pick<Operation<never, unknown>, 'authorise'>) {
  return async (request: FastifyRequest): Promise<void> => authorise(contextOf(request));
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

function noParameters(request: FastifyRequest): void {
  readPart(noQuery, request.query, 'query');
}

/** A hook that comes before the body is read. */
async function hasNoParameters(request: FastifyRequest): Promise<void> {
  noParameters(request);
}

const TEST_OF_INACTIVE =
  'An inactive webhook cannot be tested. To test it before its held deliveries are sent, use GraphQL at /graphql: ' +
  'enable it with updateWebhook(input: {active: true, held: KEEP}), send the test, and then send the held deliveries ' +
  'with releaseHeld.';

const NOT_MATCHED =
  'The ETag of the webhook is not in If-Match. Read it again and decide again. A weak tag (W/"…") never matches.';

const detailsInRest: Partial<Record<Reason, string>> = {
  webhook_inactive: TEST_OF_INACTIVE,
  precondition_failed: NOT_MATCHED,
};

/** Gives the fields in an error of the resolvers their names in REST. */
async function inRestTerms<Data>(running: Promise<Data>): Promise<Data> {
  try {
    return await running;
  } catch (error) {
    if (!(error instanceof ApiError)) {
      throw error;
    }
    const { issues } = error.extra;
    throw new ApiError(error.reason, detailsInRest[error.reason] ?? error.detail, {
      ...error.extra,
      ...(issues === undefined ? {} : { issues: issues.map(restIssue) }),
    });
  }
}

function restIssue({ path: [argument, ...rest], ...issue }: InputIssue): InputIssue {
  const part = argument === 'input' ? 'body' : 'query';
  const steps = argument === 'input' || argument === 'filter' ? rest : [argument!];
  return { ...issue, path: [part, ...steps.map((step) => (typeof step === 'string' ? restName(step) : step))] };
}
