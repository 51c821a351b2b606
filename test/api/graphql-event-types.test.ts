import { afterAll, describe, expect, test } from 'vitest';
import { query } from '../../src/platform/database/database.js';
import { API_ROLE, tenantTransaction } from '../../src/platform/database/tenant-database.js';
import { makeKey, makeTenant, openTestServices, TestClock } from '../support/factories.js';
import { type Answer, codesOf, dataOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
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
const mutate = (mutation: string, input: object, asking: { key: string } = platform) =>
  api.by(asking).mutate(mutation, input, `eventType { ${fields} }`);
const register = (name: string, schema: object = orderSchema) =>
  mutate('registerEventType', { name, description: 'An order.', schema });
const update = (name: string, change: object) => mutate('updateEventType', { name, ...change });
const deprecate = (name: string, deprecated?: boolean) => mutate('deprecateEventType', { name, deprecated });
/** The event type after a mutation without errors. */
const changed = async (answer: Promise<Answer>) =>
  (Object.values(dataOf(await answer))[0] as { eventType: Record<string, unknown> }).eventType;
const emit = (event: string, payload: unknown) =>
  api.by(tenant).mutate('emitEvent', { event, payload }, 'event { id }');
const issues = async (answer: Promise<Answer>) => (await answer).errors[0]?.extensions.errors;

describe('the schema for shapes', () => {
  const printed = async (types: string[], asking = tenant) =>
    await api.by(asking).ask('query($types: [String!]!) { eventSchema(types: $types) }', { types });

  test('has the wanted event types, or with * those that are listed', async () => {
    await register('shaped.order');
    await register('shaped.hidden');
    await mutate('hideEventType', { name: 'shaped.hidden' });
    const { eventSchema } = dataOf(await printed(['shaped.order']));
    expect(eventSchema).toContain('type ShapedOrder implements Event {');
    expect(eventSchema).toContain('lines: [ShapedOrderLines]');
    expect(eventSchema).not.toContain('BookingCreated');
    expect(dataOf(await printed(['shaped.hidden']))).toMatchObject({
      eventSchema: expect.stringMatching(/ShapedHidden/),
    });
    const all = String(dataOf(await printed(['*']))['eventSchema']);
    expect(['ShapedOrder', 'ShapedHidden', 'WebhookDisabled'].map((name) => all.includes(`type ${name} `))).toEqual([
      ...[true, false, true],
    ]);
    expect(await issues(printed(['no.such']))).toMatchObject([{ path: ['types', 0], code: 'event_type_unknown' }]);
    expect(await issues(printed([]))).toMatchObject([{ path: ['types'] }]);
  });
});

describe('an event type', () => {
  test('is registered with a schema, has a sample that it accepts, and is enforced at once', async () => {
    const { samplePayload, versions, ...eventType } = await changed(register('order.placed'));
    expect(eventType).toMatchObject({ name: 'order.placed', schema: orderSchema, version: 1, deprecatedAt: null });
    expect(samplePayload).toEqual({ lines: [{ sku: 'text' }], total: 1 });
    expect(versions).toMatchObject([{ version: 1, schema: orderSchema }]);
    expect(codesOf(await emit('order.placed', samplePayload))).toEqual([]);
    expect(await issues(emit('order.placed', { lines: [{ sku: 'a' }, { sku: 5 }], total: 0 }))).toMatchObject([
      { path: ['input', 'payload', 'lines', 1, 'sku'], code: 'schema_type', detail: 'must be a string, not a number' },
      { path: ['input', 'payload', 'total'], code: 'schema_minimum', detail: 'must be >= 1' },
    ]);
    const note = { anyOf: [{ type: 'string' }, { $ref: '#/$defs/none' }] };
    await register('order.noted', {
      type: 'object',
      properties: { note, count: { type: 'integer' } },
      $defs: { none: { type: 'null' } },
    });
    expect(await issues(emit('order.noted', { note: ['x'], count: 1.5 }))).toMatchObject([
      { path: ['input', 'payload', 'note'], code: 'schema_type', detail: 'must be a string or null, not a list' },
      { path: ['input', 'payload', 'count'], code: 'schema_type', detail: 'must be a whole number' },
    ]);
  });

  test('gets a new version with each other schema, and keeps the old ones', async () => {
    await register('order.paid');
    const schema = { ...orderSchema, required: ['total', 'lines'] };
    expect(await changed(update('order.paid', { schema }))).toMatchObject({
      version: 2,
      description: 'An order.',
      schema,
      versions: [
        { version: 2, schema },
        { version: 1, schema: orderSchema },
      ],
    });
    expect(await issues(emit('order.paid', { total: 1 }))).toMatchObject([{ path: ['input', 'payload', 'lines'] }]);
    expect(await changed(update('order.paid', { schema }))).toMatchObject({ version: 2 });
    expect(await issues(update('order.paid', { schema: null }))).toEqual([
      { path: ['input'], code: 'nothing_to_change', detail: 'must have description or schema' },
    ]);
    const described = await changed(update('order.paid', { description: 'Paid.' }));
    expect(described).toMatchObject({ version: 2, description: 'Paid.' });
  });

  test('changed by 10 callers at once has 10 versions more', async () => {
    await register('order.raced');
    const schemas = Array.from({ length: 10 }, (_, n) => ({ type: 'object', minProperties: n + 1 }));
    const answers = await Promise.all(schemas.map((schema) => update('order.raced', { schema })));
    expect(answers.flatMap(({ errors }) => errors)).toEqual([]);
    const { eventType } = await api.by(tenant).read('{ eventType(name: "order.raced") { versions { version } } }');
    expect(eventType.versions).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1].map((version) => ({ version })));
  });

  test('deprecated is refused at every emit, and accepted again when that is taken back', async () => {
    await register('order.old');
    expect((await changed(deprecate('order.old')))['deprecatedAt']).toMatch(/\+00:00$/);
    expect((await emit('order.old', { total: 1 })).errors[0].extensions).toMatchObject({
      code: 'BAD_USER_INPUT',
      errors: [{ path: ['input', 'event'], code: 'event_type_deprecated' }],
    });
    // Past the registry of this process too, which may be some seconds behind.
    const item = { tenantId: tenant.id, eventType: 'order.old', body: '{"total":1}' };
    const results = await api.services.emitter.emit([{ ...item, idempotencyKey: null, onlyWebhookId: null }]);
    expect(results).toEqual([{ refused: 'EVENT_TYPE_DEPRECATED' }]);
    await deprecate('order.old', false);
    expect(codesOf(await emit('order.old', { total: 1 }))).toEqual([]);
  });

  test('hidden leaves the list of tenants that do not name it and the OpenAPI document, and works as before', async () => {
    const hide = async (name: string, hidden?: boolean) =>
      (await changed(api.by(platform).mutate('hideEventType', { name, hidden }, 'eventType { name hiddenAt }')))[
        'hiddenAt'
      ];
    const stranger = await makeTenant(api.services);
    const names = async (asking: { key: string; tenant?: number }) =>
      (await api.by(asking).read('{ eventTypes { name } }')).eventTypes.map(({ name }: { name: string }) => name);
    const webhook = { url: 'https://a.example.com/', eventTypes: ['voucher.emitted', 'order.hidden'] };
    await register('order.hidden');
    for (const name of ['voucher.emitted', 'order.hidden']) {
      expect(await hide(name)).toMatch(/\+00:00$/);
    }
    expect(await names(tenant)).not.toEqual(expect.arrayContaining(['order.hidden']));
    const made = await api.by(tenant).mutate('createWebhook', webhook, 'webhook { id eventTypes }');
    expect(dataOf(made)).toMatchObject({ createWebhook: { webhook: { eventTypes: webhook.eventTypes } } });
    expect(codesOf(await emit('order.hidden', { total: 1 }))).toEqual([]);
    for (const asking of [tenant, platform, { key: platform.key, tenant: tenant.id }]) {
      expect(await names(asking)).toEqual(expect.arrayContaining(webhook.eventTypes));
    }
    for (const asking of [stranger, { key: platform.key, tenant: stranger.id }]) {
      expect((await names(asking)).filter((name: string) => webhook.eventTypes.includes(name))).toEqual([]);
    }
    const wrong = await api.by(stranger).mutate('createWebhook', { ...webhook, eventTypes: ['order.hiden'] }, 'secret');
    expect(JSON.stringify(wrong)).toMatch(/known types: [^"]*coupon\.applied/);
    expect(JSON.stringify(wrong)).not.toMatch(/order\.hidden|voucher\.emitted/);
    const one = await api.by(stranger).read('{ eventType(name: "order.hidden") { name } }');
    expect(one.eventType).toEqual({ name: 'order.hidden' });
    expect(await hide('order.hidden', false)).toBeNull();
    expect(await hide('order.hidden', false)).toBeNull();
    expect(await names(stranger)).toContain('order.hidden');
    const entries = '{ auditLog(filter: { action: EVENT_TYPE_HIDDEN }) { edges { node { targetId before after } } } }';
    const { auditLog } = await api.by(platform).read(entries);
    const targetId = 'et_order.hidden';
    expect(nodesOf(auditLog).filter((entry: { targetId: string }) => entry.targetId === targetId)).toEqual([
      { targetId, before: { hidden: true }, after: { hidden: false } },
      { targetId, before: { hidden: false }, after: { hidden: true } },
    ]);
    await hide('voucher.emitted', false);
  });

  test('and its new versions are known to every process within 5 s', async () => {
    const clock = new TestClock();
    const other = await openTestServices(api.databaseUrl, { now: clock.monotonic, role: API_ROLE });
    try {
      await register('order.seen', { type: 'object' });
      expect(await other.eventTypes.check('order.seen', {})).toEqual({ issues: [], version: null });
      await update('order.seen', { schema: orderSchema });
      clock.advance(5_000);
      expect(await other.eventTypes.check('order.seen', {})).toMatchObject({ issues: [{ code: 'schema_required' }] });
      await deprecate('order.seen');
      clock.advance(5_000);
      expect(await other.eventTypes.check('order.seen', {})).toMatchObject({
        issues: [{ code: 'event_type_deprecated' }],
      });
    } finally {
      await other.db.close();
    }
  });

  test('is in the audit log with what it was and is, under its name', async () => {
    await register('order.audited', { type: 'object' });
    await update('order.audited', { schema: orderSchema });
    await update('order.audited', { schema: orderSchema });
    await deprecate('order.audited');
    const { auditLog } = await api.by(platform).read(
      `{ auditLog(filter: {targetType: EVENT_TYPE, targetId: "order.audited"}) {
           edges { node { action targetId apiKeyId before after } } } }`,
    );
    const entry = { targetId: gid.eventType('order.audited'), apiKeyId: gid.apiKey(platform.id) };
    expect(nodesOf(auditLog)).toEqual([
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
    const properties = { a: { type: 'string' } };
    const flat = { type: 'object', properties, required: ['a'], additionalProperties: false };
    await register('flat.type', flat);
    const door = async (body: string) => {
      const text = `select error_code from hookwright.emit_events($1, array['flat.type'], $2)`;
      return (await api.owner.query(text, [[tenant.id], [body]])).rows[0].error_code;
    };
    expect(await door('{"a":"x"}')).toBeNull();
    expect(await door('{"a":1}')).toBe('PAYLOAD_BREAKS_SCHEMA');
    expect(await door('{}')).toBe('PAYLOAD_BREAKS_SCHEMA');
    await update('flat.type', { schema: orderSchema });
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
      expect(await issues(register(name))).toMatchObject([{ path: ['input', 'name'] }]);
    },
  );

  test.each(['webhook.mine', 'delivery.done.twice'])(
    'the name %s, which is of a family of the service',
    async (name) => {
      expect(await issues(register(name))).toMatchObject([{ path: ['input', 'name'], code: 'event_type_reserved' }]);
      expect(codesOf(await update(name, { description: 'x' }))).toEqual(['NOT_FOUND']);
    },
  );

  test('a name that is taken, and one that nobody has', async () => {
    expect(codesOf(await register('coupon.applied'))).toEqual(['CONFLICT']);
    expect(codesOf(await register('webhook.test'))).toEqual(['CONFLICT']);
    expect(codesOf(await update('no.such', { description: 'x' }))).toEqual(['NOT_FOUND']);
    expect(codesOf(await deprecate('no.such'))).toEqual(['NOT_FOUND']);
  });

  test('another schema for what the contract defines, and any change of the service’s own type', async () => {
    const schema = await issues(update('coupon.applied', { schema: orderSchema }));
    expect(schema).toMatchObject([{ path: ['input', 'schema'], code: 'event_type_built_in' }]);
    const reserved = await issues(deprecate('webhook.test'));
    expect(reserved).toMatchObject([{ path: ['input', 'name'], code: 'event_type_reserved' }]);
  });

  test('a schema that breaks a rule, with its path', async () => {
    const wrong = (schema: object) => issues(register('wrong.type', { type: 'object', ...schema }));
    expect(await wrong({ properties: { a: { type: 'texts' } } })).toContainEqual(
      expect.objectContaining({ path: ['input', 'schema', 'properties', 'a', 'type'], code: 'schema_invalid' }),
    );
    const big = await wrong({ description: 'x'.repeat(65_536) });
    expect(big).toMatchObject([{ path: ['input', 'schema'], code: 'too_big' }]);
    let deep: object = {};
    for (let level = 0; level < 100; level++) {
      deep = { not: deep };
    }
    expect(await wrong(deep)).toMatchObject([{ code: 'too_deep' }]);
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
