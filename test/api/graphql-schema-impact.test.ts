import { afterAll, describe, expect, test } from 'vitest';
import { schemaImpact } from '../../src/operations/event-types/schema-impact.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteTenant } from '../../src/operations/tenants/delete-tenant.js';
import { tenantQuery } from '../../src/platform/database/tenant-database.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, dataOf, GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

/** `updateEventType(dryRun: true)`: what another schema would break. */

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const tenant = await makeTenant(api.services);
const other = await makeTenant(api.services);
afterAll(() => api.close());

const total = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] };
const before = { type: 'object', properties: { id: { type: 'string' }, total }, required: ['id', 'total'] };
const after = {
  type: 'object',
  properties: { id: { type: 'string' }, amount: { type: 'number' } },
  required: ['id', 'amount'],
};
const impactFields = `
  breaks complete eventsLookedAt eventsRefused
  refusedEvents { tenant { id } eventId issues { path detail } }
  webhookCount brokenOptionCount brokenOptions { tenant { id } webhookId option path code types message }`;
const register = (name: string, schema: object = before) =>
  api.by(platform).mutate('registerEventType', { name, description: 'An order.', schema }, 'eventType { version }');
const dryRun = (name: string, change: object, asking: { key: string; tenant?: number } = platform) =>
  api
    .by(asking)
    .mutate('updateEventType', { name, dryRun: true, ...change }, `eventType { version } impact { ${impactFields} }`);
const impactOf = async (name: string, schema: object, asking?: { key: string; tenant?: number }) =>
  dataOf(await dryRun(name, { schema }, asking)).updateEventType.impact;
const emit = async (name: string, payload: object, by = tenant): Promise<string> =>
  dataOf(await api.by(by).mutate('emitEvent', { event: name, payload }, 'event { id }')).emitEvent.event.id;
const webhook = async (eventTypes: string[], options: object, by = tenant): Promise<string> => {
  const input = { url: 'https://receiver.example.com/', eventTypes, ...options };
  return dataOf(await api.by(by).mutate('createWebhook', input, 'webhook { id }')).createWebhook.webhook.id;
};
/** Writes events past the API: their bodies by an expression of `n`, 1 to `count`. */
const writeEvents = (type: string, count: number, body: string, day = 0) =>
  api.owner.query(
    `insert into hookwright.events (id, tenant_id, event_type, body)
     select hookwright.next_id() - (hookwright.id_at(now()) - hookwright.id_at(now() - $4 * interval '1 day')),
            $1, $2, ${body}
     from generate_series(1, $3::integer) n`,
    [tenant.id, type, count, day],
  );
/** Makes the partition of today larger than the part of it that is looked at in one go. */
async function fillPages(): Promise<void> {
  const { rows } = await api.owner.query(
    `select 'hookwright.events_' || to_char(now() at time zone 'UTC', 'YYYYMMDD') as part`,
  );
  await api.owner.query(`alter table ${rows[0].part} set (fillfactor = 10)`);
  await writeEvents('other.type', 5_000, `'{"pad":"' || repeat('x', 700) || '"}'`);
  await api.owner.query(`alter table ${rows[0].part} set (fillfactor = 100)`);
}

describe('a dry run', () => {
  test('names the refused events and the broken options of all tenants, and changes nothing', async () => {
    await register('order.paid');
    const [first] = [await emit('order.paid', { id: 'a', total: { amount: 1 } })];
    const second = await emit('order.paid', { id: 'b', total: { amount: 2 } }, other);
    const filter = { field: { path: 'total.amount', op: 'GT', value: 5 } };
    const filtering = await webhook(['order.paid'], { content: { filter }, ordering: { by: 'KEY', keyPath: 'id' } });
    const texting = await webhook(
      ['order.paid', 'coupon.applied'],
      { content: { format: 'SLACK', text: '{{id}}: {{total.amount}}' } },
      other,
    );
    const template = { format: 'TEMPLATE', template: { is: '{{total}}' } };
    const filling = await webhook(['*'], { content: template, ordering: { by: 'KEY', keyPath: 'total.amount' } });
    const shape = 'subscription { event { ... on OrderPaid { id: payload_id total { amount } } } }';
    const shaping = await webhook(['*'], { content: { shape } }, other);
    await webhook(['coupon.applied'], { content: { filter } });
    await webhook(['order.paid'], {});

    const answer = dataOf(await dryRun('order.paid', { schema: after, description: 'Changed.' })).updateEventType;
    expect(answer.eventType).toEqual({ version: 1 });
    const own = { id: gid.tenant(tenant.id) };
    const theirs = { id: gid.tenant(other.id) };
    const issues = [{ path: 'amount', detail: 'is required' }];
    const gone = (path: string) => ({
      ...{ path, code: 'path_not_in_schema', types: null },
      message: `The new schema does not have ${path}.`,
    });
    expect(answer.impact).toEqual({
      ...{ breaks: true, complete: true, eventsLookedAt: 2, eventsRefused: 2 },
      refusedEvents: [
        { tenant: theirs, eventId: second, issues },
        { tenant: own, eventId: first, issues },
      ],
      ...{ webhookCount: 5, brokenOptionCount: 5 },
      brokenOptions: [
        { tenant: own, webhookId: filtering, option: 'FILTER', ...gone('total.amount') },
        { tenant: theirs, webhookId: texting, option: 'TEXT', ...gone('total.amount') },
        { tenant: own, webhookId: filling, option: 'ORDERING_KEY', ...gone('total.amount') },
        { tenant: own, webhookId: filling, option: 'TEMPLATE', ...gone('total') },
        { tenant: theirs, webhookId: shaping, option: 'SHAPE', ...gone('total'), code: 'shape_field_not_in_schema' },
      ],
    });
    const { rows } = await api.owner.query(
      `select description, version, (select count(*)::integer from hookwright.audit_log a
         where a.target_id = t.name and a.action = 'EVENT_TYPE_UPDATED') as entries
       from hookwright.event_types t where name = 'order.paid'`,
    );
    expect(rows).toEqual([{ description: 'An order.', version: 1, entries: 0 }]);
    expect(await emit('order.paid', { id: 'c', total: { amount: 1 } })).toMatch(/^ev_/);
  });

  test('finds nothing broken by a new optional field, nor by a schema that old events never met', async () => {
    await register('order.grown', { type: 'object' });
    await emit('order.grown', { of: 'old form' });
    const update = (schema: object) =>
      api.by(platform).mutate('updateEventType', { name: 'order.grown', schema }, 'eventType { version }');
    expect(dataOf(await update(before)).updateEventType.eventType.version).toBe(2);
    await emit('order.grown', { id: 'a', total: { amount: 1 } });
    const grown = { ...before, properties: { ...before.properties, note: { type: 'string' } } };
    expect(await impactOf('order.grown', grown)).toMatchObject({
      ...{ breaks: false, complete: true, eventsLookedAt: 2, eventsRefused: 0, refusedEvents: [] },
      ...{ brokenOptionCount: 0, brokenOptions: [] },
    });
    // Back to the version before: what fits now fits then.
    expect(await impactOf('order.grown', { type: 'object' })).toMatchObject({ breaks: false });
    expect(await impactOf('order.grown', after)).toMatchObject({ eventsLookedAt: 2, eventsRefused: 1 });
  });

  test('says of a type without events and webhooks that nothing breaks', async () => {
    await register('order.unused');
    await api.owner.query(`update hookwright.webhooks set deleted_at = now() where '*' = any(event_types)`);
    expect(await impactOf('order.unused', after)).toEqual({
      ...{ breaks: false, complete: true, eventsLookedAt: 0, eventsRefused: 0, refusedEvents: [] },
      ...{ webhookCount: 0, brokenOptionCount: 0, brokenOptions: [] },
    });
  });

  test('shows an example of each fault before a second one of the same', async () => {
    await register('order.faulty', { type: 'object' });
    for (const payload of [{ id: 1 }, ...Array(6).fill({ id: 'a' })]) {
      await emit('order.faulty', payload);
    }
    const { refusedEvents, eventsRefused } = await impactOf('order.faulty', {
      ...{ type: 'object', properties: { id: { type: 'string' } }, required: ['amount'] },
    });
    expect(eventsRefused).toBe(7);
    expect(refusedEvents.map(({ issues }: { issues: { path: string }[] }) => issues.map(({ path }) => path))).toEqual([
      ['amount'],
      ['amount', 'id'],
      ...Array(3).fill(['amount']),
    ]);
  });

  test('leaves out tests, deleted webhooks, and what a deleted tenant has', async () => {
    await register('order.left');
    const gone = await makeTenant(api.services);
    const content = { filter: { field: { path: 'total.amount', op: 'EXISTS' } } };
    await webhook(['order.left'], { content }, gone);
    const deleted = await webhook(['order.left'], { content });
    const kept = await webhook(['order.left'], {});
    const body = JSON.stringify({ id: 'a', total: { amount: 1 } });
    const test = { tenantId: tenant.id, eventType: 'order.left', body, idempotencyKey: null };
    await api.services.emitter.emit([{ ...test, onlyWebhookId: numberIn(kept) }]);
    expect(await impactOf('order.left', after)).toMatchObject({ webhookCount: 3, brokenOptionCount: 2 });
    const { rows } = await api.owner.query('select name from hookwright.tenants where id = $1', [gone.id]);
    await deleteTenant(api.services.db, { tenantId: gone.id, name: rows[0].name }, commandLine);
    dataOf(await api.by(tenant).mutate('deleteWebhook', { id: deleted }, 'deletedWebhookId'));
    expect(await impactOf('order.left', after)).toMatchObject({
      ...{ breaks: false, eventsLookedAt: 0, webhookCount: 1, brokenOptionCount: 0 },
    });
  });

  test('has no impact without another schema, and none is told without a dry run', async () => {
    await register('order.same');
    for (const change of [{ description: 'x' }, { schema: before }]) {
      expect(dataOf(await dryRun('order.same', change)).updateEventType).toEqual({
        ...{ eventType: { version: 1 }, impact: null },
      });
    }
    expect(dataOf(await dryRun('order.same', { schema: after, dryRun: false })).updateEventType).toEqual({
      ...{ eventType: { version: 2 }, impact: null },
    });
  });
});

describe('a dry run is refused', () => {
  test('where the change would be, with the same paths', async () => {
    const issues = async (name: string, change: object) =>
      (await dryRun(name, change)).errors[0].extensions.errors[0] as object;
    const wrong = { type: 'object', properties: { a: { type: 'texts' } } };
    expect(await issues('order.paid', { schema: wrong })).toMatchObject({
      path: ['input', 'schema', 'properties', 'a', 'type'],
    });
    expect(await issues('coupon.applied', { schema: after })).toMatchObject({ code: 'event_type_built_in' });
    expect(await issues('webhook.test', { schema: after })).toMatchObject({ code: 'event_type_reserved' });
    expect(await issues('order.paid', {})).toMatchObject({ path: ['input'], code: 'nothing_to_change' });
    expect(codesOf(await dryRun('no.such', { schema: after }))).toEqual(['NOT_FOUND']);
  });

  test('to keys of tenants and to platform keys that may not change event types', async () => {
    for (const asking of [
      tenant,
      await makeKey(api.services, null, ['platform:read']),
      { ...(await makeKey(api.services, null, ['platform:support'])), tenant: tenant.id },
    ]) {
      const answer = await dryRun('order.paid', { schema: after }, asking);
      expect(codesOf(answer)).toEqual(['FORBIDDEN']);
      expect(JSON.stringify(answer)).not.toContain(gid.tenant(other.id));
    }
    const acting = { key: platform.key, tenant: tenant.id };
    expect(await impactOf('order.paid', after, acting)).toMatchObject({ eventsRefused: 3, brokenOptionCount: 2 });
  });

  test('where it would cost too much: each costs 1,000', async () => {
    const one = (n: number) =>
      `a${n}: updateEventType(input: {name: "order.paid", dryRun: true, schema: {type: "object"}}) { impact { breaks } }`;
    const many = `mutation { ${Array.from({ length: 15 }, (_, n) => one(n)).join(' ')} }`;
    expect((await api.by(platform).ask(many)).errors).toMatchObject([
      { extensions: { code: 'GRAPHQL_VALIDATION_FAILED' }, message: expect.stringContaining('cost') },
    ]);
  });
});

describe('the functions of Postgres', () => {
  const statements = {
    newest: `select newest from hookwright.newest_of_type('order.paid', 1000, 16777216, 1000, null, null)`,
    webhooks: `select webhooks, with_paths from hookwright.webhooks_of_type('order.paid')`,
    options: `select * from hookwright.options_with_paths(array(select generate_series(1, 1000)))`,
  };
  const as = (tenantId: number | null, text: string) =>
    tenantQuery<Record<string, unknown>>(api.services.db.pool, tenantId, { text }, []);

  test('answer only in a transaction for the installation', async () => {
    expect(await as(null, statements.newest)).toMatchObject([{ newest: { length: 3 } }]);
    expect(await as(null, statements.webhooks)).toMatchObject([{ webhooks: 3, with_paths: { length: 2 } }]);
    expect((await as(null, statements.options)).length).toBeGreaterThan(0);
    const none = [[{ newest: [] }], [{ webhooks: 0, with_paths: [] }], []];
    for (const tenantId of [tenant.id, other.id]) {
      expect(await Promise.all(Object.values(statements).map((text) => as(tenantId, text)))).toEqual(none);
    }
    const unnamed = Object.values(statements).map(async (text) => (await api.services.db.pool.query(text)).rows);
    expect(await Promise.all(unnamed)).toEqual(none);
  });

  test('have no payload, and no secret of a webhook', async () => {
    expect(JSON.stringify(await as(null, statements.newest))).not.toMatch(/amount|"a"/);
    const [columns] = await as(null, statements.options);
    expect(Object.keys(columns!).sort()).toEqual(
      ['filter', 'format', 'key_path', 'release', 'shape', 'template', 'tenant_id', 'text', 'webhook_id'].sort(),
    );
  });

  test('go on with the search for events where the last statement has stopped', async () => {
    await register('order.slow', { type: 'object' });
    await writeEvents('order.slow', 1, `'{}'`, 1);
    await writeEvents('order.slow', 1, `'{}'`);
    await fillPages();
    await emit('order.slow', {});
    let [part, pages]: [unknown, unknown] = [null, null];
    const found: number[] = [];
    do {
      const text = `select newest, part, pages from hookwright.newest_of_type('order.slow', 1000, 1000, 0, $1, $2)`;
      const [row] = await tenantQuery<{ newest: unknown[]; part: string | null; pages: number | null }>(
        ...[api.services.db.pool, null, { text }, [part, pages]],
      );
      found.push(row!.newest.length);
      ({ part, pages } = row!);
    } while (part !== null);
    expect(found.length).toBeGreaterThan(3);
    expect(found.reduce((sum, count) => sum + count, 0)).toBe(3);
    expect(found[0]).toBe(1);
  });
});

describe('a dry run looks at', () => {
  test('the newest 1,000 events alone', async () => {
    await register('order.many');
    await writeEvents('order.many', 200, `'{"id":"old","total":{"amount":1}}'`, 1);
    await writeEvents('order.many', 950, `'{"id":"a","total":{"amount":' || n || '}}'`);
    const found = await impactOf('order.many', after);
    expect(found).toMatchObject({ complete: true, eventsLookedAt: 1_000, eventsRefused: 1_000 });
    const first = numberIn(found.refusedEvents[0].eventId);
    const { rows } = await api.owner.query(
      `select max(id) as newest from hookwright.events where event_type = 'order.many'`,
    );
    expect(first).toBe(Number(rows[0].newest));
  });

  test('at most 16 MiB of them', async () => {
    await register('order.large', { type: 'object' });
    await writeEvents('order.large', 100, `'{"id":"' || repeat('x', 262144 - 9) || '"}'`);
    expect(await impactOf('order.large', after)).toMatchObject({
      ...{ complete: true, eventsLookedAt: 64, eventsRefused: 64 },
    });
  });

  test('those that lie far apart in the table too', async () => {
    await register('order.rare');
    const body = `'{"id":"rare","total":{"amount":1}}'`;
    await writeEvents('order.rare', 1, body, 1);
    await writeEvents('order.rare', 1, body);
    await fillPages();
    await emit('order.rare', { id: 'newest', total: { amount: 1 } });
    expect(await impactOf('order.rare', after)).toMatchObject({ eventsLookedAt: 3, eventsRefused: 3 });
  });

  test('what its time is enough for, and says that there may be more', async () => {
    const type = (await api.services.eventTypes.all()).find(({ name }) => name === 'order.many')!;
    const judged = { schema: after, converts: false };
    for (let count = 0; count < 3; count += 1) {
      await makeWebhook(api.services, tenant.id, { eventTypes: ['order.many'] });
    }
    expect(await schemaImpact(api.services, type, judged, 0)).toMatchObject({
      ...{ complete: false, breaks: false, eventsLookedAt: 0, webhookCount: 3 },
    });
    expect(await schemaImpact(api.services, type, judged)).toMatchObject({ complete: true, breaks: true });
  });
});
