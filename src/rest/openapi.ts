import { z } from 'zod';
import type { Config } from '../config.js';
import type { TenantScope } from '../domain/api-key.js';
import { errorCatalogue, type Reason } from '../errors.js';
import type { RegisteredEventType } from '../operations/event-types/event-type-registry.js';
import { version } from '../version.js';
import { deliveryRequests } from './openapi-deliveries.js';
import { rateLimitHeaderRefs, rateLimitHeaders } from './openapi-rate-limits.js';
import { REST_PREFIX } from './paths.js';
import { PROBLEM_MEDIA_TYPE, problemType } from './problem.js';
import {
  createdWebhook,
  listQuery,
  newWebhook,
  problem,
  problemExample,
  testDelivery,
  webhook,
  webhookChange,
  webhookPage,
} from './schemas.js';

type Json = Record<string, unknown>;

/** The REST interface and the delivery request as OpenAPI 3.1. */
export function openApiDocument(config: Config, eventTypes: readonly RegisteredEventType[]): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hookwright',
      version,
      summary: 'Webhook subscriptions and signed deliveries.',
      description:
        'Webhooks belong to the tenant of the API key. Every answer carries the id of its request in X-Request-Id.',
    },
    servers: [{ url: REST_PREFIX }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Webhooks', description: 'Who receives which events.' }],
    paths: paths(),
    webhooks: deliveryRequests(config.delivery, eventTypes),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer hw_…`.' },
      },
      parameters: {
        WebhookId: {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of a webhook.',
          schema: { type: 'integer', minimum: 1 },
          example: 42,
        },
        Tenant: {
          name: 'Hookwright-Tenant',
          in: 'header',
          required: false,
          description: 'For platform keys, which need it: the id of the tenant to act for.',
          schema: { type: 'integer', minimum: 1 },
        },
      },
      headers: rateLimitHeaders,
      responses: Object.fromEntries(
        problemReasons.map((reason) => [problemName(reason), problemResponse(reason)]),
      ),
      schemas: componentSchemas(),
    },
  };
}

/** Every error that a route can answer with. */
const problemReasons = [
  'malformed_json',
  'unauthenticated',
  'scope_missing',
  'not_found',
  'webhook_limit_reached',
  'webhook_inactive',
  'payload_too_large',
  'unsupported_media_type',
  'invalid_input',
  'rate_limited',
  'unavailable',
] as const satisfies readonly Reason[];
type ProblemReason = (typeof problemReasons)[number];

/** `not_found` also where no webhook is named: a platform key may name a tenant that does not exist. */
const onEveryRoute: ProblemReason[] = [
  'unauthenticated',
  'scope_missing',
  'not_found',
  'invalid_input',
  'rate_limited',
  'unavailable',
];
const onRoutesWithBody: ProblemReason[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type'];

function paths(): Json {
  const tenant = { $ref: '#/components/parameters/Tenant' };
  const ofOne = [{ $ref: '#/components/parameters/WebhookId' }, tenant];
  const created = {
    ...answer('The new webhook with its secret.', dataOf('CreatedWebhook')),
    headers: {
      Location: { description: 'The path of the new webhook.', schema: { type: 'string' } },
      ...rateLimitHeaderRefs,
    },
  };
  return {
    '/webhooks': {
      parameters: [tenant],
      post: operation('createWebhook', 'Make a webhook', 'webhooks:write', {
        requestBody: body('NewWebhook'),
        responses: { 201: created, ...problems(...onRoutesWithBody, 'webhook_limit_reached') },
      }),
      get: operation('listWebhooks', "List the tenant's webhooks, newest first", 'webhooks:read', {
        parameters: queryParameters(),
        responses: { 200: answer('One page of webhooks.', ref('WebhookPage')), ...problems() },
      }),
    },
    '/webhooks/{id}': {
      parameters: ofOne,
      get: operation('readWebhook', 'Read a webhook', 'webhooks:read', {
        responses: { 200: answer('The webhook.', dataOf('Webhook')), ...problems() },
      }),
      patch: operation('updateWebhook', 'Enable, pause or change a webhook', 'webhooks:write', {
        requestBody: body('WebhookChange'),
        responses: {
          200: answer('The changed webhook.', dataOf('Webhook')),
          ...problems(...onRoutesWithBody),
        },
      }),
      delete: operation('deleteWebhook', 'Delete a webhook', 'webhooks:write', {
        responses: { 204: { description: 'It is deleted.', headers: rateLimitHeaderRefs }, ...problems() },
      }),
    },
    '/webhooks/{id}/test': {
      parameters: ofOne,
      post: operation('testWebhook', 'Send a webhook.test event to this webhook', 'webhooks:write', {
        description:
          'Needs the scope `webhooks:write`. A test is retried and counted like any other delivery: ten failed attempts in a row disable the webhook.',
        responses: {
          202: answer('The delivery on its way.', dataOf('TestDelivery')),
          ...problems('webhook_inactive'),
        },
      }),
    },
  };
}

function operation(operationId: string, summary: string, scope: TenantScope, rest: Json): Json {
  return { operationId, summary, description: `Needs the scope \`${scope}\`.`, tags: ['Webhooks'], ...rest };
}

function ref(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

function dataOf(name: string): Json {
  return { type: 'object', properties: { data: ref(name) }, required: ['data'], additionalProperties: false };
}

function body(name: string): Json {
  return { required: true, content: { 'application/json': { schema: ref(name) } } };
}

function answer(description: string, schema: Json): Json {
  return { description, headers: rateLimitHeaderRefs, content: { 'application/json': { schema } } };
}

function problems(...reasons: ProblemReason[]): Json {
  const all = [...onEveryRoute, ...reasons];
  return Object.fromEntries(
    all.map((reason) => [
      errorCatalogue[reason].status,
      { $ref: `#/components/responses/${problemName(reason)}` },
    ]),
  );
}

/** `not_found` is `NotFound` among the components. */
function problemName(reason: Reason): string {
  return reason.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function problemResponse(reason: ProblemReason): Json {
  const { status, title } = errorCatalogue[reason];
  const other = sameStatus[reason];
  const titles = other ? `${title}, or: ${errorCatalogue[other].title}` : title;
  const examples = other
    ? { examples: { [reason]: { value: exampleOf(reason) }, [other]: { value: exampleOf(other) } } }
    : { example: exampleOf(reason) };
  const isLater = status === 429 || status === 503;
  const headers = {
    ...(status === 401 ? { 'WWW-Authenticate': { schema: { type: 'string', const: 'Bearer' } } } : {}),
    ...(status === 401 ? {} : rateLimitHeaderRefs),
    ...(isLater ? { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } : {}),
  };
  return {
    description: titles,
    headers,
    content: { [PROBLEM_MEDIA_TYPE]: { schema: ref('Problem'), ...examples } },
  };
}

/** Every route that may answer with the one may answer with the other. */
const sameStatus: Partial<Record<ProblemReason, Reason>> = { scope_missing: 'tenant_required' };

function exampleOf(reason: Reason): Json {
  const { status, title } = errorCatalogue[reason];
  return reason === 'invalid_input'
    ? { ...problemExample }
    : { type: problemType(reason), title, status, detail: `${title}.`, code: reason };
}

function queryParameters(): Json[] {
  const { properties = {} } = z.toJSONSchema(listQuery, { io: 'output' }) as {
    properties?: Record<string, Json>;
  };
  return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema: examples === undefined ? schema : { ...schema, examples },
  }));
}

function componentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  const all = { newWebhook, webhookChange, webhook, createdWebhook, webhookPage, testDelivery, problem };
  for (const schema of Object.values(all)) {
    registry.add(schema, { id: String(schema.meta()?.id) });
  }
  const { schemas } = z.toJSONSchema(registry, { io: 'output', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, id: _, ...schema }]) => [id, schema]),
  );
}
