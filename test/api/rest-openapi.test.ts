import { afterAll, describe, expect, test } from 'vitest';
import { OPERATIONAL_EVENT_TYPES } from '../../src/domain/events/operational-events.js';
import { registerEventType } from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { expectFits, type Json, objectsIn, resolveIn } from '../support/openapi-document.js';
import { complaintsAbout } from '../support/openapi-rules.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
const schema = { type: 'object', properties: { a: { type: 'string' } } };
const registered = ['order.paid_v2', 'order_paid.v2'];
for (const name of registered) {
  await registerEventType(api.services.db, { name, description: 'An order.', schema }, commandLine);
}
const readDocument = async () => (await api.ask('GET /openapi.json', { key: null })).body;
const document = await readDocument();
afterAll(() => api[Symbol.asyncDispose]());

const operations = (): { path: string; method: string; operation: Json }[] =>
  Object.entries(document.paths as Json).flatMap(([path, item]) =>
    Object.entries(item as Json)
      .filter(([method]) => ['get', 'post', 'patch', 'put', 'delete'].includes(method))
      .map(([method, operation]) => ({ path, method, operation: operation as Json })),
  );

const resolve = (reference: string): Json => resolveIn(document, reference);
const fitsSchema = (schema: Json, value: Json) => expectFits(document, schema, value);

describe('the OpenAPI document', () => {
  test('is OpenAPI 3.1 with the members that it must have', () => {
    expect(document).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\.\d+$/),
      info: { title: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      servers: [{ url: '/api/v1' }],
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
    });
  });

  test('has the whole address of the service where PUBLIC_URL says it', async () => {
    await using named = await RestApi.open({ PUBLIC_URL: 'https://hooks.example.com' });
    const { body } = await named.ask('GET /openapi.json', { key: null });
    expect(body.servers).toMatchObject([{ url: 'https://hooks.example.com/api/v1' }]);
  });

  test('has every route of the interface, and no others', () => {
    const found = operations().map(({ path, method }) => `${method.toUpperCase()} ${path}`);
    expect(found.sort()).toEqual([
      'DELETE /webhooks/{id}',
      'GET /limits',
      'GET /webhooks',
      'GET /webhooks/{id}',
      'GET /webhooks/{id}/options',
      'GET /webhooks/{id}/verify',
      'PATCH /webhooks/{id}',
      'PATCH /webhooks/{id}/options',
      'POST /events/erase',
      'POST /events/{id}/erase',
      'POST /webhooks',
      'POST /webhooks/{id}/test',
      'POST /webhooks/{id}/verify',
    ]);
    for (const { path, method } of operations()) {
      const route = { method: method.toUpperCase() as 'GET', url: `/api/v1${path.replace('{id}', ':id')}` };
      expect(api.server.hasRoute(route)).toBe(true);
    }
  });

  test('every $ref leads somewhere', () => {
    const references = [...objectsIn(document)].map(({ $ref }) => $ref).filter((ref) => ref !== undefined);
    expect(references.length).toBeGreaterThan(30);
    expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([]);
  });

  test('and each component is referred to', () => {
    const references = new Set([...objectsIn(document)].map(({ $ref }) => $ref));
    const { securitySchemes, ...components } = document.components;
    const named = Object.entries(components as Json).flatMap(([kind, members]) =>
      Object.keys(members as Json).map((name) => `#/components/${kind}/${name}`),
    );
    expect(named.filter((reference) => !references.has(reference))).toEqual([]);
    expect(Object.keys(securitySchemes)).toEqual(['apiKey']);
  });

  test('403 is a missing scope, or a platform key that names no tenant', () => {
    const { description, content } = document.components.responses.ScopeMissing;
    expect(description).toBe('Scope missing, or: Tenant required');
    const examples: Json[] = Object.values(content['application/problem+json'].examples);
    expect(examples.map(({ value }) => value.code)).toEqual(['scope_missing', 'tenant_required']);
  });

  test('every operation has an id of its own, a success, and every error that it can answer with', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, method, operation } of operations()) {
      const statuses = Object.keys(operation.responses);
      const ofWebhooks = method === 'get' ? 'webhooks:read' : 'webhooks:write';
      expect(operation.description).toContain(path.startsWith('/events') ? 'events:erase' : ofWebhooks);
      expect(statuses.filter((status) => status.startsWith('2'))).toHaveLength(1);
      expect(statuses).toEqual(expect.arrayContaining(['401', '403', '404', '422', '429', '503']));
      const needsBody = operation.requestBody?.required ?? false;
      expect(needsBody).toBe(method === 'patch' || (method === 'post' && !/(test|verify)$/.test(path)));
      expect(['400', '413', '415'].every((status) => statuses.includes(status))).toBe(needsBody);
    }
  });

  test('path parameters are declared and required', () => {
    for (const [path, item] of Object.entries(document.paths as Json)) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = ((item as Json).parameters ?? [])
        .map((parameter: Json) => (parameter.$ref ? resolve(parameter.$ref) : parameter))
        .filter(({ in: place }: Json) => place === 'path');
      expect(declared.map(({ name }: Json) => name)).toEqual(named);
      expect(declared.every(({ required }: Json) => required === true)).toBe(true);
    }
  });

  test('the query parameters of the list are those that it reads, with their limits', () => {
    expect(document.paths['/webhooks'].get.parameters).toEqual([
      expect.objectContaining({
        name: 'limit',
        in: 'query',
        schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 100 },
      }),
      expect.objectContaining({ name: 'cursor', schema: expect.objectContaining({ type: 'string' }) }),
      expect.objectContaining({ name: 'active', schema: { type: 'boolean' } }),
      expect.objectContaining({ name: 'event', schema: { $ref: '#/components/schemas/EventName' } }),
      expect.objectContaining({ name: 'external_id', schema: { type: 'string' } }),
      expect.objectContaining({ name: 'search', schema: { type: 'string' } }),
      expect.objectContaining({ name: 'metadata', style: 'deepObject' }),
    ]);
  });

  test('every schema compiles, and every example fits its schema', () => {
    const components = Object.entries<Json>(document.components.schemas);
    for (const [name, schema] of components) {
      expect(schema, name).not.toHaveProperty('$id');
    }
    const examples = [
      ...components.flatMap(([, schema]) => (schema.examples ?? []).map((example: Json) => ({ schema, example }))),
      ...[...objectsIn(document)].filter(({ schema, example }) => schema !== undefined && example !== undefined),
    ];
    expect(examples.length).toBeGreaterThan(25);
    for (const { schema, example } of examples) {
      fitsSchema(schema, example);
    }
  });

  test('the limits of the request schemas are in it', () => {
    const { WebhookInput } = document.components.schemas;
    expect(WebhookInput).toMatchObject({
      additionalProperties: false,
      required: ['url', 'events'],
      properties: { url: { maxLength: 2048 }, events: { minItems: 1, maxItems: 100, uniqueItems: true } },
    });
  });
});

describe('beside what the service really answers, the document', () => {
  const fits = ({ status, body }: { status: number; body: Json }, expected: number, method: string, path: string) => {
    expect(status, path).toBe(expected);
    const response = document.paths[path][method].responses[status];
    const { content } = response.$ref ? resolve(response.$ref) : response;
    fitsSchema((Object.values(content)[0] as Json).schema, body);
  };

  test('has the form of every success', async () => {
    const created = await api.ask('POST /webhooks', { json: { url: 'https://example.com/', events: ['*'] } });
    fits(created, 201, 'post', '/webhooks');
    const { id } = created.body.data;
    fits(await api.ask('GET /webhooks'), 200, 'get', '/webhooks');
    fits(await api.ask(`GET /webhooks/${id}`), 200, 'get', '/webhooks/{id}');
    const options = '/webhooks/{id}/options';
    fits(await api.ask(`GET /webhooks/${id}/options`), 200, 'get', options);
    fits(await api.ask(`PATCH /webhooks/${id}/options`, { json: { name: 'A' } }), 200, 'patch', options);
    fits(await api.ask(`POST /webhooks/${id}/test`), 202, 'post', '/webhooks/{id}/test');
    fits(await api.ask(`PATCH /webhooks/${id}`, { json: { active: false } }), 200, 'patch', '/webhooks/{id}');
  });

  test('has the form of errors', async () => {
    fits(await api.ask('POST /webhooks', { json: {} }), 422, 'post', '/webhooks');
    fits(await api.ask('GET /webhooks?limit=0'), 422, 'get', '/webhooks');
    fits(await api.ask('GET /webhooks', { key: null }), 401, 'get', '/webhooks');
    fits(await api.ask('GET /webhooks/0'), 404, 'get', '/webhooks/{id}');
  });
});

describe('the delivery request in it', () => {
  test('stands there for every event of the contract, and for the operational ones', () => {
    const contract = ['booking.canceled', 'booking.created', 'coupon.applied', 'voucher.emitted', 'webhook.test'];
    const known = [...contract, ...OPERATIONAL_EVENT_TYPES, ...registered];
    expect(Object.keys(document.webhooks).sort()).toEqual(known.sort());
  });

  const about = ['webhook_id', 'origin', 'name'];
  test.each([
    ['booking.created', ['booking_code', 'local_number', 'brand']],
    ['booking.canceled', ['booking_code', 'canceled_at']],
    ['voucher.emitted', ['booking_code', 'voucher_number']],
    ['coupon.applied', ['code', 'discount_type']],
    ['webhook.test', ['message']],
    ['webhook.failing', [...about, 'consecutive_failures', 'failing_since', 'last_error', 'count']],
    ['webhook.disabled', [...about, 'reason', 'consecutive_failures', 'disabled_at', 'held_until', 'count']],
    ['webhook.recovered', [...about, 'disabled_at', 'recovered_at', 'count']],
    ['delivery.exhausted', [...about, 'delivery_id', 'event_id', 'event_type', 'attempts', 'last_error', 'count']],
    ['webhook.held_expiring', [...about, 'held_count', 'expires_at', 'count']],
    ['webhook.certificate_ending', [...about, 'certificate', 'ends_at', 'count']],
    [
      'webhook.key_blocked',
      [...about, 'key', ...['delivery_id', 'event_id', 'event_type', 'last_error', 'waiting', 'blocked_at', 'count']],
    ],
  ])('%s has the payload fields %j, "all strings"', (name, fields) => {
    const { schema, example } = document.webhooks[name].post.requestBody.content['application/json'];
    expect(schema).toMatchObject({ type: 'object', required: fields, additionalProperties: false });
    expect(schema.properties).toEqual(Object.fromEntries(fields.map((field) => [field, { type: 'string' }])));
    expect(Object.keys(example)).toEqual(fields);
  });

  const headersIn = ({ webhooks }: Json) => webhooks['coupon.applied'].post.parameters.map(({ name }: Json) => name);
  const contractHeaders = ['Event', 'Delivery', 'Signature', 'Timestamp'];

  test('has the four headers of the contract and those of Standard Webhooks', () => {
    expect(document.webhooks['coupon.applied'].post.security).toEqual([]);
    expect(headersIn(document)).toEqual([
      ...contractHeaders.map((name) => `X-Service-${name}`),
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ]);
  });

  test('follows HEADER_PREFIX and STANDARD_WEBHOOKS', async () => {
    await using other = await RestApi.open({ HEADER_PREFIX: 'X-Acme', STANDARD_WEBHOOKS: 'false' });
    const { body } = await other.ask('GET /openapi.json');
    expect(headersIn(body)).toEqual(contractHeaders.map((name) => `X-Acme-${name}`));
  });
});

describe('for generators of clients, the OpenAPI document', () => {
  test('breaks no rule: names, integers, errors, descriptions', () => {
    expect(complaintsAbout(document)).toEqual([]);
  });

  test.each<[string, (copy: Json) => void, string]>([
    [
      'a name with New',
      ({ components: { schemas } }) => Object.assign(schemas, { NewWebhook: schemas.WebhookInput }),
      'NewWebhook is the name of two things',
    ],
    [
      'an id without int64',
      ({ components: { schemas } }) => delete schemas.Webhook.properties.id.format,
      'an integer without the right format',
    ],
    [
      'an operation named like another one',
      ({ paths }) => Object.assign(paths['/webhooks'].get, { operationId: 'create_webhook' }),
      'CreateWebhook is the name of two things',
    ],
    [
      'an error that is not a problem',
      ({ components: { responses } }) => Object.assign(responses.NotFound, { content: {} }),
      'getWebhook: 404 is not a problem',
    ],
    [
      'a field without a description',
      ({ components: { schemas } }) => delete schemas.Webhook.properties.active.description,
      'Webhook.active has no description',
    ],
  ])('and the rules complain of %s', (_name, spoil, complaint) => {
    const copy = structuredClone(document);
    spoil(copy);
    expect(complaintsAbout(copy)).toEqual(expect.arrayContaining([expect.stringContaining(complaint)]));
  });

  test('says whose it is and under which license', () => {
    expect(document.info).toMatchObject({
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The Hookwright authors' },
    });
  });

  test('has ids of 64 bits, which end where JavaScript counts no further', () => {
    const { Webhook, TestDelivery } = document.components.schemas;
    const bounds = { type: 'integer', format: 'int64', maximum: 2 ** 53 - 1 };
    expect(Webhook.properties.id).toMatchObject({ ...bounds, minimum: 1 });
    expect(Webhook.properties.consecutive_failures).toMatchObject({ ...bounds, minimum: 0 });
    expect(TestDelivery.properties.id).toMatchObject({ ...bounds, minimum: 1 });
    expect(document.components.parameters.WebhookId.schema).toMatchObject({ ...bounds, minimum: 1 });
  });

  test('names what may be null by its type, for want of unions in Go', () => {
    expect(document.components.schemas.Webhook.properties.disabled_at).toMatchObject({
      type: ['string', 'null'],
      format: 'date-time',
    });
  });

  test('keeps the operationId of an event, whatever is registered after it', () => {
    const idOf = (name: string) => document.webhooks[name].post.operationId;
    expect(idOf('booking.created')).toBe('receiveBookingCreated');
    expect(registered.map(idOf)).toEqual(['receiveOrderPaidV2', 'receiveOrderPaidV2_2']);
  });
});

describe('the names of events in it', () => {
  const knownIn = (of: Json, name: string) => of.components.schemas[name]['x-extensible-enum'];

  test('are those of the contract, those of the service and those registered', () => {
    const contract = ['booking.created', 'booking.canceled', 'voucher.emitted', 'coupon.applied', 'webhook.test'];
    const known = knownIn(document, 'EventName');
    expect(known).toEqual(expect.arrayContaining([...contract, 'webhook.disabled', 'order.paid_v2']));
    expect(known.toSorted()).toEqual(Object.keys(document.webhooks).sort());
    expect(knownIn(document, 'SubscribedEvent')).toEqual(['*', ...known]);
  });

  test('may be others: a client that was made before a type was registered does not refuse it', async () => {
    const before = document.components.schemas;
    await registerEventType(api.services.db, { name: 'made.later', description: 'A thing.', schema }, commandLine);
    api.services.eventTypes.forget();
    expect(knownIn(await readDocument(), 'EventName')).toContain('made.later');
    const { id } = await api.webhook({ url: 'https://example.com/', events: ['made.later'] });
    const { body } = await api.ask(`GET /webhooks/${id}`);
    expectFits(document, before.WebhookResult, body);
  });

  test('are nothing else', () => {
    const { EventName, SubscribedEvent } = document.components.schemas;
    expect(() => expectFits(document, EventName, 'Booking Created')).toThrow();
    expect(() => expectFits(document, EventName, '*')).toThrow();
    expect(() => expectFits(document, SubscribedEvent, '**')).toThrow();
    expectFits(document, SubscribedEvent, '*');
  });

  test('answers may have fields that a later version adds, and requests have no others', () => {
    const { Webhook, WebhookInput } = document.components.schemas;
    expectFits(document, Webhook, { ...Webhook.examples[0], added_later: 1 });
    expect(() => expectFits(document, WebhookInput, { ...WebhookInput.examples[0], other: 1 })).toThrow();
  });

  test('each option may be null in a change, as requests may have it', async () => {
    const { WebhookOptionsChange, WebhookOptionsResult } = document.components.schemas;
    const { id } = await api.webhook();
    const nulls = ({ properties }: Json): Json =>
      Object.fromEntries(
        Object.entries<Json>(properties)
          .filter(([, { readOnly }]) => readOnly !== true)
          .map(([name, one]) => [name, ['delivery', 'content', 'ordering'].includes(name) ? nulls(one) : null]),
      );
    const json = nulls(WebhookOptionsChange);
    expect(json).toMatchObject({ content: { filter: null, format: null }, ordering: { by: null, key_path: null } });
    expectFits(document, WebhookOptionsChange, json);
    const { status, body } = await api.ask(`PATCH /webhooks/${id}/options`, { json });
    expect(status).toBe(200);
    expectFits(document, WebhookOptionsResult, body);
    const wrong = { content: { filter: { field: { path: 'a' } } } };
    expect(() => expectFits(document, WebhookOptionsChange, wrong)).toThrow();
  });
});
