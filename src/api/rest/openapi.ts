import { z } from 'zod';
import { WILDCARD } from '../../domain/events/event-type.js';
import { type JsonObject, mapSchemas } from '../../domain/schema-rules/subschemas.js';
import type { RegisteredEventType } from '../../operations/event-types/event-type-registry.js';
import { version } from '../../platform/node/version.js';
import type { Config } from '../../platform/settings/config.js';
import { deliveryRequests } from './openapi-deliveries.js';
import { headers, headersNamed, usualHeaders } from './openapi-headers.js';
import { answer, body, erasures, limits, operation, verification } from './openapi-operations.js';
import {
  onChanges,
  onCreation,
  onRoutesWithBody,
  problem,
  problemIssue,
  problemResponses,
  problems,
} from './openapi-problems.js';
import { listQuery, parameters } from './parameters.js';
import { MERGE_PATCH, REST_PREFIX } from './paths.js';
import { components, eventName } from './schemas.js';

type Json = Record<string, unknown>;

const DESCRIPTION = `\
Manages the webhooks of the tenant whose API key is in \`Authorization: Bearer <key>\`. Signed deliveries go to each
webhook whose \`events\` has the name of an event, or \`*\`; the section \`webhooks\` describes them.

- Errors are problems (RFC 9457): \`code\` is for programs, \`detail\` for people.
- Lists have pages: pass \`meta.next_cursor\` as \`cursor\` until it is null.
- Answers with 429 or 503 have \`Retry-After\`; send the request again when that time is over.
- Later versions may add fields to answers and values to \`code\`, \`status\` and the names of events: ignore what you do
  not know.`;

/** The REST interface and the delivery request as OpenAPI 3.1. */
export function openApiDocument(config: Config, eventTypes: readonly RegisteredEventType[]): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Hookwright',
      version,
      summary: 'Webhook subscriptions and signed deliveries.',
      description: DESCRIPTION,
      contact: { name: 'The Hookwright authors' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Many clients know no address that a relative one could begin with.
    servers: [
      { url: `${config.publicUrl ?? ''}${REST_PREFIX}`, description: 'The service that this document comes from.' },
    ],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Webhooks', description: 'Which events are delivered to which URL.' },
      { name: 'Erasure', description: 'How personal data in payloads is deleted.' },
      { name: 'Limits', description: 'What the operator allows the tenant.' },
      {
        name: 'Deliveries',
        description:
          'The requests that a webhook receives: POST, unless `delivery.method` of its options is PUT or PATCH.',
      },
    ],
    paths: paths(),
    webhooks: deliveryRequests(config.delivery, eventTypes),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer hw_…`.' },
      },
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([name, { schema, ...parameter }]) => [
          name,
          { ...parameter, ...parameterOf(z.toJSONSchema(schema)) },
        ]),
      ),
      headers,
      responses: problemResponses(paths()),
      schemas: componentSchemas(eventTypes.map(({ name }) => name)),
    },
  };
}

function paths(): Json {
  const tenant = { $ref: '#/components/parameters/Tenant' };
  const ifMatch = { $ref: '#/components/parameters/IfMatch' };
  const ofOne = [{ $ref: '#/components/parameters/WebhookId' }, tenant];
  return {
    '/webhooks': {
      parameters: [tenant],
      post: operation('createWebhook', 'Create a webhook', 'webhooks:write', {
        parameters: [{ $ref: '#/components/parameters/IdempotencyKey' }],
        requestBody: body('WebhookInput', 'application/json'),
        responses: {
          201: answer('The new webhook with its secret.', 'WebhookWithSecretResult', 'Location', 'ETag'),
          ...problems(...onRoutesWithBody, ...onCreation),
        },
      }),
      get: operation('listWebhooks', "List the tenant's webhooks, newest first", 'webhooks:read', {
        parameters: queryParameters(),
        responses: { 200: answer('A page of webhooks.', 'WebhookPage'), ...problems() },
      }),
    },
    '/webhooks/{id}': {
      parameters: ofOne,
      get: operation('getWebhook', 'Read a webhook', 'webhooks:read', {
        responses: { 200: answer('The webhook.', 'WebhookResult', 'ETag'), ...problems() },
      }),
      patch: operation('updateWebhook', 'Enable, pause or change a webhook', 'webhooks:write', {
        parameters: [ifMatch],
        requestBody: body('WebhookChange', 'application/json', MERGE_PATCH),
        responses: {
          200: answer('The changed webhook.', 'WebhookResult', 'ETag'),
          ...problems(
            ...onRoutesWithBody,
            ...onChanges,
            'secrets_bound_to_origin',
            'external_id_taken',
            'webhook_unverified',
          ),
        },
      }),
      delete: operation('deleteWebhook', 'Delete a webhook', 'webhooks:write', {
        parameters: [ifMatch],
        responses: {
          204: { description: 'The webhook is deleted.', headers: headersNamed(...usualHeaders) },
          ...problems('header_malformed', 'precondition_failed'),
        },
      }),
    },
    '/webhooks/{id}/options': {
      parameters: ofOne,
      get: operation('getWebhookOptions', 'Read the options of a webhook', 'webhooks:read', {
        responses: { 200: answer('The options.', 'WebhookOptionsResult', 'ETag'), ...problems() },
      }),
      patch: operation('updateWebhookOptions', 'Change options of a webhook', 'webhooks:write', {
        parameters: [ifMatch],
        requestBody: body('WebhookOptionsChange', 'application/json', MERGE_PATCH),
        responses: {
          200: answer('The changed options.', 'WebhookOptionsResult', 'ETag'),
          ...problems(...onRoutesWithBody, ...onChanges, 'external_id_taken'),
        },
      }),
    },
    '/webhooks/{id}/test': {
      parameters: ofOne,
      post: operation('testWebhook', 'Send a test event to this webhook', 'webhooks:write', {
        description:
          'Needs the scope `webhooks:write`. Without a body the event is `webhook.test`; a body that is not JSON, or names no `event`, is ignored. A test is retried and counted like any other delivery: ten consecutive failed attempts disable the webhook.',
        requestBody: { ...body('WebhookTest', 'application/json'), required: false },
        responses: {
          202: answer('The delivery on its way.', 'TestDeliveryResult'),
          ...problems('webhook_inactive', 'webhook_unverified', 'payload_too_large'),
        },
      }),
    },
    '/webhooks/{id}/verify': { parameters: ofOne, ...verification() },
    ...erasures(tenant),
    '/limits': { parameters: [tenant], get: limits() },
  };
}

function queryParameters(): Json[] {
  const { ListQuery } = jsonSchemas({ eventName, listQuery }, 'output');
  const { properties } = ListQuery as { properties: Record<string, Json> };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    ...parameterOf(schema),
  }));
}

/** In OpenAPI the description and the example of a parameter are beside its schema. */
function parameterOf({ description, $schema: _, examples, ...schema }: Json): Json {
  const style = schema['type'] === 'object' ? { style: 'deepObject', explode: true } : {};
  return { description, schema, ...style, ...(Array.isArray(examples) ? { example: examples[0] } : {}) };
}

/** `io: input` leaves answers open for fields of later versions. */
function componentSchemas(eventNames: readonly string[]): Json {
  const { EventName, SubscribedEvent, ...others } = jsonSchemas(components, 'input');
  return {
    ...others,
    ...jsonSchemas({ problem, problemIssue }, 'input'),
    // An extension that tools show. A client with an `enum` would refuse answers with types that were registered later,
    // and generators make empty or wrapped types of an `anyOf`.
    EventName: { ...EventName, 'x-extensible-enum': eventNames },
    SubscribedEvent: { ...SubscribedEvent, 'x-extensible-enum': [WILDCARD, ...eventNames] },
  };
}

/** Makes JSON Schemas, named and referred to by their ids. */
function jsonSchemas(all: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const schema of Object.values(all)) {
    registry.add(schema, { id: String(schema.meta()?.id) });
  }
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, id: _, ...schema }]) => [
      id,
      mapSchemas(schema, compactNullable),
    ]),
  );
}

/** Writes `type: [string, null]`, because generators of Go make a union of the `anyOf` that zod writes. */
function compactNullable(schema: JsonObject): JsonObject {
  const { anyOf, ...others } = schema;
  const [value, nothing] = (anyOf ?? []) as JsonObject[];
  if (nothing?.['type'] !== 'null') {
    return schema;
  }
  // A value of any type may be null. An `enum` names all values that there may be.
  const type = value?.['type'] === undefined ? {} : { type: [value['type'], 'null'] };
  const values = Array.isArray(value?.['enum']) ? { enum: [...value['enum'], null] } : {};
  return { ...value, ...others, ...type, ...values };
}
