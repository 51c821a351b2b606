import { afterAll, describe, expect, test } from 'vitest';
import { query } from '../../src/database/database.js';
import { API_ROLE, tenantTransaction } from '../../src/database/tenant-database.js';
import { makeKey, makeTenant, openTestServices, TestClock } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const orderSchema = {
  type: 'object',
  properties: {
    lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
    total: { type: 'integer', minimum: 1 },
  },
  required: ['total'],
};
const fields =
  'name description schema version deprecatedAt reserved samplePayload versions { version schema createdAt }';
const mutate = (mutation: string, input: object, asking: { key: string } = platform) => {
  const type = `${mutation[0]!.toUpperCase()}${mutation.slice(1)}Input!`;
  const text = `mutation ($input: ${type}) { ${mutation}(input: $input) { eventType { ${fields} } } }`;
  return api.ask(text, { input }, asking);
};
const register = (name: string, schema: object = orderSchema) =>
  mutate('registerEventType', { name, description: 'An order.', schema });
const emit = (event: string, payload: object, asking: { key: string } = tenant) =>
  api.ask(
    'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } } }',
    { input: { event, payload } },
    asking,
  );
const issues = (answer: Awaited<ReturnType<typeof emit>>) => answer.errors[0]?.extensions.errors;

describe('an event type', () => {
  test('is registered with a schema, has a sample that it accepts, and is enforced at once', async () => {
    const { data, errors } = await register('order.placed');
    expect(errors).toEqual([]);
    const { eventType } = data.registerEventType;
    expect(eventType).toMatchObject({ name: 'order.placed', schema: orderSchema, version: 1, deprecatedAt: null });
    expect(eventType.samplePayload).toEqual({ lines: [{ sku: 'text' }], total: 1 });
    expect(eventType.versions).toMatchObject([{ version: 1, schema: orderSchema }]);
    expect((await emit('order.placed', eventType.samplePayload)).errors).toEqual([]);
    const wrong = await emit('order.placed', { lines: [{ sku: 'a' }, { sku: 5 }], total: 0 });
    expect(issues(wrong)).toMatchObject([
      { path: ['input', 'payload', 'lines', 1, 'sku'], code: 'schema_type', detail: 'must be string' },
      { path: ['input', 'payload', 'total'], code: 'schema_minimum', detail: 'must be >= 1' },
    ]);
  });

  test('gets a new version with each other schema, and keeps the old ones', async () => {
    await register('order.paid');
    const other = { ...orderSchema, required: ['total', 'lines'] };
    const { data } = await mutate('updateEventType', { name: 'order.paid', schema: other });
    expect(data.updateEventType.eventType).toMatchObject({
      version: 2,
      description: 'An order.',
      schema: other,
      versions: [
        { version: 2, schema: other },
        { version: 1, schema: orderSchema },
      ],
    });
    expect(issues(await emit('order.paid', { total: 1 }))).toMatchObject([{ path: ['input', 'payload', 'lines'] }]);
    const same = await mutate('updateEventType', { name: 'order.paid', schema: other });
    expect(same.data.updateEventType.eventType.version).toBe(2);
    const nothing = await mutate('updateEventType', { name: 'order.paid', schema: null });
    expect(nothing.errors[0].extensions.errors).toEqual([
      { path: ['input'], code: 'nothing_to_change', detail: 'must have description or schema' },
    ]);
    const told = await mutate('updateEventType', { name: 'order.paid', description: 'Paid.' });
    expect(told.data.updateEventType.eventType).toMatchObject({ version: 2, description: 'Paid.' });
  });

  test('changed by 10 callers at once has 10 versions more', async () => {
    await register('order.raced');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        mutate('updateEventType', { name: 'order.raced', schema: { type: 'object', minProperties: n + 1 } }),
      ),
    );
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    const { data } = await api.ask('{ eventType(name: "order.raced") { versions { version } } }', {}, tenant);
    expect(data.eventType.versions.map(({ version }: { version: number }) => version)).toEqual([
      11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1,
    ]);
  });

  test('deprecated is refused at every emit, and accepted again when that is taken back', async () => {
    await register('order.old');
    const { data } = await mutate('deprecateEventType', { name: 'order.old' });
    expect(data.deprecateEventType.eventType.deprecatedAt).toMatch(/\+00:00$/);
    const refused = await emit('order.old', { total: 1 });
    expect(codesOf(refused)).toEqual(['BAD_USER_INPUT']);
    expect(issues(refused)).toMatchObject([{ path: ['input', 'event'], code: 'event_type_deprecated' }]);
    // Past the registry of this process too, which may be some seconds behind.
    const item = { tenantId: tenant.id, eventType: 'order.old', body: '{"total":1}' };
    const results = await api.services.emitter.emit([{ ...item, idempotencyKey: null, onlyWebhookId: null }]);
    expect(results).toEqual([{ refused: 'EVENT_TYPE_DEPRECATED' }]);
    await mutate('deprecateEventType', { name: 'order.old', deprecated: false });
    expect((await emit('order.old', { total: 1 })).errors).toEqual([]);
  });

  test('and its new versions are known to every process within 5 s', async () => {
    const clock = new TestClock();
    const other = await openTestServices(api.databaseUrl, { now: clock.monotonic, role: API_ROLE });
    try {
      await register('order.seen', { type: 'object' });
      expect(await other.eventTypes.check('order.seen', {})).toEqual([]);
      await mutate('updateEventType', { name: 'order.seen', schema: orderSchema });
      clock.advance(5_000);
      expect(await other.eventTypes.check('order.seen', {})).toMatchObject([{ code: 'schema_required' }]);
      await mutate('deprecateEventType', { name: 'order.seen' });
      clock.advance(5_000);
      expect(await other.eventTypes.check('order.seen', {})).toMatchObject([{ code: 'event_type_deprecated' }]);
    } finally {
      await other.db.close();
    }
  });

  test('stands in the audit log with what it was and is, under its name', async () => {
    await register('order.audited', { type: 'object' });
    await mutate('updateEventType', { name: 'order.audited', schema: orderSchema });
    await mutate('updateEventType', { name: 'order.audited', schema: orderSchema });
    await mutate('deprecateEventType', { name: 'order.audited' });
    const { data } = await api.ask(
      `{ auditLog(filter: {targetType: EVENT_TYPE, targetId: "order.audited"}) {
           edges { node { action targetId apiKeyId before after } } } }`,
      {},
      platform,
    );
    const entry = { targetId: gid.eventType('order.audited'), apiKeyId: gid.apiKey(platform.id) };
    expect(data.auditLog.edges.map(({ node }: { node: object }) => node)).toEqual([
      { action: 'EVENT_TYPE_DEPRECATED', ...entry, before: { deprecated: false }, after: { deprecated: true } },
      {
        action: 'EVENT_TYPE_UPDATED',
        ...entry,
        before: { version: 1, schema: { type: 'object' } },
        after: { version: 2, schema: orderSchema },
      },
      {
        action: 'EVENT_TYPE_REGISTERED',
        ...entry,
        before: null,
        after: { description: 'An order.', schema: { type: 'object' }, version: 1 },
      },
    ]);
  });

  test('of strings alone is judged by the outbox door too, any other on the application’s word', async () => {
    const flat = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    await register('flat.type', flat);
    const door = async (body: string) =>
      (
        await api.owner.query(`select error_code from hookwright.emit_events($1, array['flat.type'], $2)`, [
          [tenant.id],
          [body],
        ])
      ).rows[0].error_code;
    expect([await door('{"a":"x"}'), await door('{"a":1}'), await door('{}')]).toEqual([
      null,
      'PAYLOAD_BREAKS_SCHEMA',
      'PAYLOAD_BREAKS_SCHEMA',
    ]);
    await mutate('updateEventType', { name: 'flat.type', schema: orderSchema });
    expect(await door('{"a":"x"}')).toBe('SCHEMA_NOT_CHECKED');
  });
});

describe('what is refused', () => {
  test('a tenant’s key, whatever its scopes', async () => {
    for (const [mutation, input] of [
      ['registerEventType', { name: 'a.b', description: 'x', schema: { type: 'object' } }],
      ['updateEventType', { name: 'coupon.applied', description: 'x' }],
      ['deprecateEventType', { name: 'coupon.applied' }],
    ] as const) {
      expect(codesOf(await mutate(mutation, input, tenant))).toEqual(['FORBIDDEN']);
    }
  });

  test.each(['*', 'booking', 'Booking.created', 'booking.*', 'a..b', `a.${'b'.repeat(127)}`, "a.b'; --", ''])(
    'the name %s',
    async (name) => {
      expect(issues(await register(name))).toMatchObject([{ path: ['input', 'name'] }]);
    },
  );

  test.each(['webhook.mine', 'delivery.done.twice'])(
    'the name %s, which is of a family of the service',
    async (name) => {
      expect(issues(await register(name))).toMatchObject([{ path: ['input', 'name'], code: 'event_type_reserved' }]);
      expect(codesOf(await mutate('updateEventType', { name, description: 'x' }))).toEqual(['NOT_FOUND']);
    },
  );

  test('a name that is taken, and one that nobody has', async () => {
    expect(codesOf(await register('coupon.applied'))).toEqual(['CONFLICT']);
    expect(codesOf(await register('webhook.test'))).toEqual(['CONFLICT']);
    expect(codesOf(await mutate('updateEventType', { name: 'no.such', description: 'x' }))).toEqual(['NOT_FOUND']);
    expect(codesOf(await mutate('deprecateEventType', { name: 'no.such' }))).toEqual(['NOT_FOUND']);
  });

  test('another schema for what the contract defines, and any change of the service’s own type', async () => {
    const schema = await mutate('updateEventType', { name: 'coupon.applied', schema: orderSchema });
    expect(issues(schema)).toMatchObject([{ path: ['input', 'schema'], code: 'event_type_built_in' }]);
    const reserved = await mutate('deprecateEventType', { name: 'webhook.test' });
    expect(issues(reserved)).toMatchObject([{ path: ['input', 'name'], code: 'event_type_reserved' }]);
  });

  test('a schema that breaks a rule, with its path', async () => {
    const wrong = await register('wrong.type', { type: 'object', properties: { a: { type: 'texts' } } });
    expect(issues(wrong)).toContainEqual(
      expect.objectContaining({ path: ['input', 'schema', 'properties', 'a', 'type'], code: 'schema_invalid' }),
    );
    const big = await register('wrong.type', { type: 'object', description: 'x'.repeat(65_536) });
    expect(issues(big)).toMatchObject([{ path: ['input', 'schema'], code: 'too_big' }]);
    let deep: object = {};
    for (let level = 0; level < 100; level++) {
      deep = { not: deep };
    }
    expect(issues(await register('wrong.type', { type: 'object', ...deep }))).toMatchObject([{ code: 'too_deep' }]);
  });

  test('a change within a tenant’s transaction, by SQL of the API’s own role', async () => {
    const { pool } = api.services.db;
    const statements = [
      `insert into hookwright.event_types (name, description, schema) values ('sql.type', '', '{}')`,
      `update hookwright.event_types set version = 7`,
      `insert into hookwright.event_type_versions (event_type, version, schema) values ('coupon.applied', 9, '{}')`,
      'delete from hookwright.event_types',
    ];
    for (const text of statements) {
      const outcome = tenantTransaction(pool, tenant.id, (client) => query(client, { text }, []));
      await expect(outcome, text).rejects.toThrow(/permission denied|row-level security/);
    }
    const update = { text: `update hookwright.event_types set schema = '{}' returning name` };
    expect(await tenantTransaction(pool, tenant.id, (client) => query(client, update, []))).toEqual([]);
  });
});
