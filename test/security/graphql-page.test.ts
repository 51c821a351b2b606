import { getIntrospectionQuery } from 'graphql';
import { afterAll, describe, expect, test } from 'vitest';
import { buildGraphqlSchema } from '../../src/api/graphql/schema.js';
import { globalId } from '../../src/domain/ids/global-id.js';
import { ERASE, SCOPES } from '../../src/domain/keys/scopes.js';
import { limitSettings } from '../../src/platform/settings/limit-settings.js';
import { settingsIn } from '../../src/platform/settings/setting.js';
import { emitMany, makeKey, makePortalSession, makeTenant, makeWebhook } from '../support/factories.js';
import { graphqlExamples, graphqlPage } from '../support/graphql-examples.js';
import { gid, numberIn } from '../support/ids.js';
import { LiveStream } from '../support/live-api.js';
import { serve } from '../support/loopback.js';
import { platformFields } from '../support/platform-fields.js';
import { RestApi } from '../support/rest-api.js';

const schema = await buildGraphqlSchema();
// The examples of notices need mail settings; no mail is sent, because no daemon runs.
const api = await RestApi.open({
  SMTP_URL: 'smtp://127.0.0.1:2525',
  MAIL_FROM: 'hooks@example.com',
  PUBLIC_URL: 'https://hooks.example.com',
});
const port = await serve(api.server);
const platformKey = (await makeKey(api.services, null, ['platform:admin'])).key;
afterAll(() => api[Symbol.asyncDispose]());

const send = (json: object, key: string | null) => api.ask('POST //graphql', { json, key });

const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

describe('docs/graphql.md and the pages beside it', () => {
  test('have an example of every query and every mutation', () => {
    const shown = new Set(graphqlExamples.flatMap(({ rootFields }) => rootFields));
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const all = roots.flatMap((root) => Object.keys(root?.getFields() ?? {}));
    expect(all.filter((name) => !shown.has(name))).toEqual([]);
  });

  test.each(graphqlExamples.map((example) => [example.rootFields.join(' '), example] as const))(
    'its example of %s runs as it stands',
    async (name, { query, variables }) => {
      const { key, ids } = await seeded();
      // The page's ids are those of its own story; everything else in it is sent as it is.
      const own = variables
        .replaceAll(/"([a-z]+_\d+)"/g, (whole, id) => (ids[id] === undefined ? whole : `"${ids[id]}"`))
        // Statistics by the hour are kept for 90 days.
        .replaceAll(/2026-11-(\d\d)/g, (_, day) => dayBefore(21 - Number(day)));
      if (query.startsWith('subscription')) {
        return expectStream({ query, variables: JSON.parse(own) }, key);
      }
      if (name === 'probeWebhook') {
        const webhook = numberIn(ids['wh_42']!);
        const disabled = `active = false, disabled_at = now(), disabled_reason = 'FAILURES'`;
        await api.owner.query(`update hookwright.webhooks set ${disabled} where id = ${webhook}`);
      }
      if (name === 'unblockKey') {
        const webhook = numberIn(ids['wh_42']!);
        await api.owner.query(`
          with failed as (
            update hookwright.deliveries set status = 'FAILED', finished_at = now(), ordering_key = 'order-7'
            where id = (select id from hookwright.deliveries where webhook_id = ${webhook} order by id limit 1)
            returning webhook_id, tenant_id, id),
          known as (
            insert into hookwright.ordering_keys (webhook_id, key, tenant_id)
            select webhook_id, 'order-7', tenant_id from failed)
          insert into hookwright.ordering_queue (webhook_id, key, position, delivery_id, tenant_id, blocked_at)
          select webhook_id, 'order-7', 1, id, tenant_id, now() from failed`);
      }
      const isForPlatform = platformFields.has(name) || variables.includes('"tenantId"');
      const asking = isForPlatform ? platformKey : key;
      const { status, body } = await send({ query, variables: JSON.parse(own) }, asking);
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
      expect(Object.values(body.data).every((value) => value !== null)).toBe(true);
    },
  );

  test('names every limit of a GraphQL request, with its default', () => {
    for (const { name, schema: setting } of settingsIn(limitSettings)) {
      if (!/^(GRAPHQL|EVENTS|PAYLOAD|REQUEST|PIPELINED|STREAMS)/.test(name)) {
        continue;
      }
      const row = graphqlPage.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${name}\``));
      expect(row, name).toBeDefined();
      const value = setting.parse(undefined) as number;
      const forms = [value.toLocaleString('en'), `${value / 1024 / 1024} MiB`, `${value / 1000} s`];
      expect(
        forms.filter((text) => row?.includes(text)),
        `${name}: ${value}`,
      ).not.toEqual([]);
    }
  });
});

async function expectStream(body: object, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const stream = await (await LiveStream.open(port, body, headers)).begun();
  expect({ status: stream.status, errors: stream.errors }).toEqual({ status: 200, errors: [] });
  expect(stream.updates).toEqual([]);
  stream.cut();
}

/** Finds it by the name on the page, because an earlier example may have left another one. */
async function tenantCalled(name: string): Promise<number> {
  const { id } = await makeTenant(api.services);
  await api.owner.query('update hookwright.tenants set name = id::text where name = $1', [name]);
  await api.owner.query('update hookwright.tenants set name = $2 where id = $1', [id, name]);
  return id;
}

/** A tenant with one of everything, by the ids that the page calls them. */
async function seeded(): Promise<{ key: string; ids: Record<string, string> }> {
  const { services } = api;
  const tenant = await makeTenant(services, [...SCOPES, ERASE]);
  const { id: webhookId } = await makeWebhook(services, tenant.id);
  const [eventId] = await emitMany(services, tenant.id, 1);
  const other = await makeKey(services, tenant.id, SCOPES);
  const leaving = await tenantCalled('Acme GmbH');
  const one = async (sql: string): Promise<number> => (await api.owner.query(sql, [tenant.id])).rows[0].id;
  const failed = await one(
    `update hookwright.deliveries set status = 'FAILED', finished_at = now() where tenant_id = $1 returning id`,
  );
  await emitMany(services, tenant.id, 1);
  const pending = await one(`select id from hookwright.deliveries where tenant_id = $1 and status = 'PENDING'`);
  const operations = await api.owner.query<{ id: number }>(
    `insert into hookwright.bulk_operations
       (tenant_id, kind, status, webhook_id, filter, from_id, to_id, cursor_id, total, actor, finished_at)
     select $1, 'REPLAY_EVENTS', status::hookwright.bulk_status, $2, '{}', 0, 1, 0, 1, 'TENANT_KEY',
            case when status = 'CANCELED' then now() end
     from unnest(array['RUNNING', 'CANCELED']) as wanted(status) returning id`,
    [tenant.id, webhookId],
  );
  const recipient = await one(
    `insert into hookwright.notice_recipients (tenant_id, address, topics, confirmed_at)
     values ($1, 'on-call@example.com', '{DISABLED}', now()) returning id`,
  );
  const scheduled = await one(
    `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
     values ($1, 'coupon.applied', '{}', now() + interval '1 hour', now() + interval '1 hour') returning id`,
  );
  const ids = {
    se_5: globalId('ScheduledEvent', scheduled),
    nr_3: gid.noticeRecipient(recipient),
    tn_1: gid.tenant(tenant.id),
    tn_3: gid.tenant(leaving),
    wh_42: gid.webhook(webhookId),
    ev_140123456789013: gid.event(eventId!),
    dl_140123456789012: gid.delivery(failed),
    dl_140123456789014: gid.delivery(pending),
    key_7: gid.apiKey(other.id),
    ps_7: gid.portalSession(await makePortalSession(services, tenant.id)),
    op_12: gid.bulkOperation(operations.rows[0]!.id),
    op_13: gid.bulkOperation(operations.rows[1]!.id),
  };
  return { key: tenant.key, ids };
}

describe('introspection', () => {
  const flags = [
    ...[
      'descriptions',
      'specifiedByUrl',
      'directiveIsRepeatable',
      'schemaDescription',
      'inputValueDeprecation',
      'oneOf',
    ],
  ];
  const queries = Array.from({ length: 2 ** flags.length }, (_, bits) =>
    getIntrospectionQuery(Object.fromEntries(flags.map((flag, index) => [flag, (bits & (1 << index)) !== 0]))),
  );

  test('getIntrospectionQuery passes the limits with all its options, with and without a key', async () => {
    for (const query of new Set(queries)) {
      const { status, body } = await send({ query }, null);
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    }
    const { body } = await send({ query: queries.at(-1) }, api.tenant.key);
    expect(body.data.__schema.types.length).toBeGreaterThan(50);
  });
});
