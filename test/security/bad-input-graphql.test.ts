import { type GraphQLArgument, type GraphQLField, getNamedType, isCompositeType } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { badBodies, badTexts } from '../support/bad-bodies.js';
import { type BadValue, badValues, spoil } from '../support/bad-values.js';
import { couponPayload, emitMany, makeKey, makeWebhook } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { platformFields } from '../support/platform-fields.js';
import { isFuzz } from '../support/properties.js';
import { RestApi } from '../support/rest-api.js';
import { fingerprint, innards, longTexts } from '../support/untouched.js';

// biome-ignore lint/suspicious/noExplicitAny: a JSON answer
type Json = any;

const schema = await buildGraphqlSchema();
const codes = [
  ...['BAD_USER_INPUT', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'PAYLOAD_TOO_LARGE', 'BAD_REQUEST'],
  ...['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE'],
];
let refused = 0;
const api = await RestApi.open();
const webhook = String((await makeWebhook(api.services, api.tenant.id)).id);
const event = String((await emitMany(api.services, api.tenant.id, 1))[0]);
const { rows } = await api.owner.query('select id from hookwright.deliveries');
const delivery = String(rows[0].id);
const platformKey = (await makeKey(api.services, null, ['platform:admin'])).key;
const untouched = await fingerprint(api.owner);
afterAll(() => api[Symbol.asyncDispose]());

const send = (payload: string | Buffer, key = api.tenant.key) =>
  api.ask('POST //graphql', { headers: { 'content-type': 'application/json' }, payload, key });

const keyFor = (field: string) => (platformFields.has(field) ? platformKey : api.tenant.key);

/** Errors of the answer, those of refused items of emitEvents among them. */
function errorsOf(body: Json): { code: string; message: string }[] {
  const items = (body.data?.emitEvents?.results ?? []).flatMap(({ error }: Json) => (error ? [error] : []));
  return [
    ...(body.errors ?? []).map(({ message, extensions }: Json) => ({ code: extensions?.code, message })),
    ...items.map(({ code, detail }: Json) => ({ code, message: detail })),
  ];
}

function expectRefused({ status, text, body }: { status: number; text: string; body: Json }, sent: unknown): void {
  expect([200, 400, 413, 415]).toContain(status);
  const errors = errorsOf(body);
  expect(errors.length, text.slice(0, 300)).toBeGreaterThan(0);
  for (const { code, message } of errors) {
    expect(codes, text.slice(0, 300)).toContain(code);
    expect(message).not.toBe('');
  }
  expect(text).not.toMatch(innards);
  expect(text.length).toBeLessThan(20_000);
  for (const long of longTexts(sent)) {
    expect(text).not.toContain(long);
  }
  refused += 1;
}

const emit = { event: 'coupon.applied', payload: couponPayload };
const past = { since: '2026-11-20T00:00:00Z' };
/** Variables that every operation would be happy with. */
const goodVariables: Record<string, Json> = {
  delivery: { id: delivery },
  event: { id: event },
  webhook: { id: webhook },
  node: { id: gid.webhook(webhook) },
  nodes: { ids: [gid.webhook(webhook), gid.event(event)] },
  createApiKey: { input: { name: 'k', scopes: ['webhooks:read'] } },
  createTenant: { input: { name: 't' } },
  deleteTenant: { input: { id: String(api.tenant.id), name: 'not its name' } },
  tenant: { id: '0' },
  updateTenant: { input: { id: '0', name: 't' } },
  createWebhook: { input: { url: 'https://a.example.com/', eventTypes: ['*'] } },
  deleteWebhook: { input: { id: webhook } },
  emitEvent: { input: emit },
  emitEvents: { input: { events: [emit], allOrNothing: true } },
  scheduleEvent: { input: { ...emit, delaySeconds: 60 } },
  cancelScheduledEvent: { input: { id: '1' } },
  bulkOperation: { id: '1' },
  scheduledEvent: { id: '1' },
  eventType: { name: 'coupon.applied' },
  stats: { since: '2026-11-20T00:00:00Z', until: '2026-11-21T00:00:00Z' },
  attemptNow: { input: { filter: {}, dryRun: true } },
  cancelBulkOperation: { input: { id: '1' } },
  cancelDeliveries: { input: { filter: { webhookId: webhook }, dryRun: true } },
  cancelDelivery: { input: { id: '1' } },
  checkWebhook: { input: { webhookId: webhook } },
  probeWebhook: { input: { webhookId: webhook } },
  verifyWebhook: { input: { id: webhook } },
  previewContent: { input: {} },
  deliveryCounts: { filter: {} },
  deprecateEventType: { input: { name: 'coupon.applied' } },
  recoverDeliveries: { input: { filter: past, dryRun: true } },
  recoverWebhook: { input: { id: webhook, filter: past, dryRun: true } },
  registerEventType: { input: { name: 'a.b', description: 'd', schema: { type: 'object' } } },
  replayEvents: { input: { webhookId: webhook, filter: past, dryRun: true } },
  resumeBulkOperation: { input: { id: '1' } },
  rotateWebhookSecret: { input: { id: '0' } },
  addConverter: {
    input: { name: 'coupon.applied', version: 2, converter: [{ op: 'REMOVE', path: 'a' }], dryRun: true },
  },
  converterProof: { eventType: 'coupon.applied', version: 1 },
  createRelease: { input: { name: '2026-11' } },
  release: { name: '2026-11' },
  updateEventType: { input: { name: 'coupon.applied', description: 'd' } },
  redeliver: { input: { deliveryId: delivery } }, // pending, so it is refused in any case
  releaseHeld: { input: { webhookId: webhook } },
  revokeApiKey: { input: { id: String(api.tenant.keyId) } },
  testWebhook: { input: { id: webhook } },
  unblockKey: { input: { webhookId: webhook, key: 'k', action: 'SKIP' } },
  updateWebhook: { input: { id: webhook, active: true } },
};
const filteredLists = [
  ...['deliveries', 'events', 'webhooks', 'apiKeys', 'tenants', 'auditLog', 'bulkOperations', 'scheduledEvents'],
];
for (const list of filteredLists) {
  goodVariables[list] = { filter: {} };
}

function selectionOf({ name, type }: GraphQLField<unknown, unknown>): string {
  const leaf = isCompositeType(getNamedType(type)) ? '{ __typename }' : '';
  return name === 'emitEvents' ? '{ results { error { code detail } } }' : leaf;
}

function operationOf(kind: string, field: GraphQLField<unknown, unknown>): string {
  const each = (write: (arg: (typeof field.args)[number]) => string) => `(${field.args.map(write).join(', ')})`;
  const call = `${field.name}${each(({ name }) => `${name}: $${name}`)}`;
  return `${kind} ${each(({ name, type }) => `$${name}: ${type}`)} { ${call} ${selectionOf(field)} }`;
}

/** A value as a document has it. Enums look like texts here, which is wrong too. */
function literal(value: Json): string {
  if (Array.isArray(value)) {
    return `[${value.map(literal).join(', ')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value)
      .map(([name, inner]) => `${name}: ${literal(inner)}`)
      .join(', ')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

const fields = (['query', 'mutation'] as const).flatMap((kind) => {
  const root = kind === 'query' ? schema.getQueryType() : schema.getMutationType();
  return Object.values(root?.getFields() ?? {})
    .filter(({ args }) => args.length > 0)
    .map((field) => ({ kind, field, name: field.name }));
});

/** To ask where something is that is nowhere is not wrong, nor to try any payload, or 101 events. */
const isGood = (name: string, field: unknown, value: unknown) =>
  (name === 'whereIs' && value === '999999') ||
  (name === 'previewContent' &&
    ((field === 'payload' && value !== null && !Array.isArray(value) && typeof value === 'object') ||
      (field === 'last' && value === 101)));
const badValuesOf = (name: string, arg: GraphQLArgument) =>
  [...badValues(arg.type, arg.name, [arg.name])].filter(({ path, value }) => !isGood(name, path.at(-1), value));

/** Literals are judged by the type of their input alone: what one field refuses, another with this input does, too. */
const spoiltBy = new Map<string, string>();
function isNew(name: string, { within, why }: BadValue): boolean {
  const literal = `${within}: ${why}`;
  const first = spoiltBy.get(literal) ?? name;
  spoiltBy.set(literal, first);
  return isFuzz || within === undefined || first === name;
}

describe.each(fields)('$kind $name', ({ kind, field, name }) => {
  test('refuses every way of spoiling its arguments, as variables', async () => {
    const query = operationOf(kind, field);
    for (const arg of field.args) {
      for (const bad of badValuesOf(name, arg)) {
        const variables = spoil(goodVariables[name], bad);
        const answer = await send(JSON.stringify({ query, variables }), keyFor(name));
        const where = `${bad.path.join('.')}: ${bad.why}`;
        expect(errorsOf(answer.body).length, where).toBeGreaterThan(0);
        expectRefused(answer, variables);
      }
    }
    expect(await fingerprint(api.owner)).toBe(untouched);
  });

  test('refuses every way of spoiling its arguments, as literals', async () => {
    for (const arg of field.args) {
      for (const bad of badValuesOf(name, arg).filter((each) => isNew(name, each))) {
        const args = Object.entries(spoil(goodVariables[name], bad) as object);
        const list = args.map(([argument, value]) => `${argument}: ${literal(value)}`).join(', ');
        const query = `${kind} { ${name}${list === '' ? '' : `(${list})`} ${selectionOf(field)} }`;
        expectRefused(await send(JSON.stringify({ query }), keyFor(name)), bad.value);
      }
    }
    expect(await fingerprint(api.owner)).toBe(untouched);
  });
});

describe('bodies that are not a GraphQL request', () => {
  test.each(badBodies.map((body) => [JSON.stringify(body).slice(0, 100), body]))('%s', async (_name, body) => {
    expectRefused(await send(JSON.stringify(body)), body);
  });

  test.each(badTexts)('the text %j', async (text) => {
    expectRefused(await send(text), text);
  });

  test.each([[0xff], [0x7b, 0xff, 0x7d], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0x00]])(
    'the bytes %j …',
    async (...bytes) => {
      expectRefused(await send(Buffer.from(bytes)), '');
    },
  );

  afterAll(async () => {
    expect(await fingerprint(api.owner)).toBe(untouched);
  });
});

test('these were at least 1,000 bad requests', () => {
  expect(refused).toBeGreaterThan(1000);
});
