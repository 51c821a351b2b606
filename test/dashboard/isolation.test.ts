import type pg from 'pg';
import { afterAll, describe, expect, test } from 'vitest';
import { PortalCapability } from '../../src/api/graphql/keys/portal-session-types.js';
import { globalId } from '../../src/domain/ids/global-id.js';
import { SCOPES } from '../../src/domain/keys/scopes.js';
import { seed } from '../seed/seed.js';
import { type DashboardDocument, dashboardDocuments } from '../support/dashboard-documents.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeKey, makePortalSession } from '../support/factories.js';
import { gid, numberIn } from '../support/ids.js';
import { LiveStream } from '../support/live-api.js';
import { type Known, variablesFor } from '../support/variables-of-another.js';

/** Documents that no portal session may send. */
const platformOnly = [
  'CancelScheduledEvent',
  'ChangeDeliveryDefaults',
  'ChangeTenantLimits',
  'ConverterProof',
  'CreateRelease',
  'CreateTenant',
  'DeleteTenant',
  'DeliveryDefaults',
  'DeprecateEventType',
  'EraseEvent',
  'EraseEvents',
  'FailingNow',
  'FindTenants',
  'FirstTenants',
  'HideEventType',
  'InstallationAttempts',
  'InstallationKept',
  'InstallationNow',
  'InstallationOverTime',
  'RegisterEventType',
  'RenameTenant',
  'SearchedTenants',
  'SetTenantExternalId',
  'SetTenantRetention',
  'TenantLimits',
  'TenantOfExternalId',
  'Tenants',
  'TopTenants',
  'TryEventType',
  'TypeUsage',
  'UpdateEventType',
  'WhereIs',
  'WorstEndpoints',
];
/**
 * Documents with the same answer for all tenants, and `DeliveryCounts`, which has numbers alone:
 * test/security/tenant-isolation.test.ts counts them.
 */
const namesNobody = [
  'DeliveryCounts',
  'EndpointTestSample',
  'EventSchema',
  'EventType',
  'EventTypes',
  'FindTypes',
  'OfferedEventTypes',
  'OverTime',
  'Releases',
  'TypeSchemas',
  'TypeVersions',
];

const sent = dashboardDocuments.filter(({ operation }) => operation !== 'subscription');
const subscriptions = dashboardDocuments.filter(({ operation }) => operation === 'subscription');
const OTHERS_NAME = /bluewater[- ]travel/i;
/** The ids of the other tenant in its answers. */
let othersIds: Set<string>;

let tenants: { id: number; name: string }[] = [];
const site = await DashboardSite.open({
  fill: async (services) => {
    ({ tenants } = await seed(services));
  },
});
const [big, small] = tenants;
const capabilities = Object.keys(PortalCapability);
const opened = async ({ id }: { id: number }) =>
  site.openSession((await makeKey(site.services, id, SCOPES)).key, { capabilities });
const session = await opened(small!);
const othersSession = await opened(big!);
const own = await knownOf(small!, session);
const other = await knownOf(big!, othersSession);
othersIds = await idsOf(other.tenantId);
afterAll(() => site[Symbol.asyncDispose]());

/** One thing of each kind. */
async function knownOf({ id: tenantId, name }: { id: number; name: string }, key: string): Promise<Known> {
  const first = async (sql: string): Promise<Record<string, number>> =>
    (await site.owner.query(sql, [tenantId])).rows[0] ?? {};
  const row = await first(
    `select d.id::bigint as delivery, d.event_id as event, d.webhook_id as webhook from hookwright.deliveries d
     join hookwright.attempts a on a.delivery_id = d.id where d.tenant_id = $1 order by d.id desc limit 1`,
  );
  const { id: apiKey } = await first('select id from hookwright.api_keys where tenant_id = $1 limit 1');
  const { id: operation } = await first('select max(id) as id from hookwright.bulk_operations where tenant_id = $1');
  const { id: recipient } = await first(
    `insert into hookwright.notice_recipients (tenant_id, address, topics, confirmed_at)
     values ($1, 'ops@example.com', '{DISABLED}', now()) returning id`,
  );
  const { id: scheduled } = await first(
    `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at)
     values ($1, 'coupon.applied', '{}', now() + interval '1 day', now() + interval '1 day') returning id`,
  );
  const externalId = `crm-${tenantId}`;
  await site.owner.query('update hookwright.tenants set external_id = $1 where id = $2', [externalId, tenantId]);
  await site.owner.query(
    `insert into hookwright.webhook_options (webhook_id, tenant_id, external_id) values ($1, $2, $3)
     on conflict (webhook_id) do update set external_id = excluded.external_id`,
    [row['webhook'], tenantId, externalId],
  );
  const lists = ['webhooks', 'events', 'deliveries', 'apiKeys', 'auditLog', 'bulkOperations', 'scheduledEvents'];
  const { data } = await site.ask(
    `{ ${lists.map((list) => `${list}(first: 1) { pageInfo { endCursor } }`).join(' ')} }`,
    {},
    key,
  );
  return {
    tenantId,
    name,
    externalId,
    webhook: gid.webhook(row['webhook']!),
    event: gid.event(row['event']!),
    delivery: gid.delivery(row['delivery']!),
    attempt: `at_${row['delivery']}_1`,
    apiKey: gid.apiKey(apiKey!),
    bulkOperation: gid.bulkOperation(operation ?? 0),
    noticeRecipient: globalId('NoticeRecipient', recipient!),
    scheduledEvent: globalId('ScheduledEvent', scheduled!),
    portalSession: gid.portalSession(await makePortalSession(site.services, tenantId)),
    cursors: lists.flatMap((list) => data[list].pageInfo.endCursor ?? []),
  };
}

async function idsOf(tenantId: number): Promise<Set<string>> {
  const tables = {
    wh: 'webhooks',
    ev: 'events',
    dl: 'deliveries',
    key: 'api_keys',
    ps: 'api_keys',
    op: 'bulk_operations',
    au: 'audit_log',
    nr: 'notice_recipients',
    se: 'scheduled_events',
  };
  const { rows } = await site.owner.query<{ id: string }>(
    Object.entries(tables)
      .map(([prefix, table]) => `select '${prefix}_' || id as id from hookwright.${table} where tenant_id = $1`)
      .join(' union all '),
    [tenantId],
  );
  return new Set([gid.tenant(tenantId), ...rows.map(({ id }) => id)]);
}

const idsIn = (answer: unknown): string[] =>
  [...JSON.stringify(answer ?? null).matchAll(/\b[a-z]{2,3}_\d+/g)].map(([id]) => id);

/** The parts of an answer that belong to the other tenant. */
function ofTheOther(answer: unknown): string[] {
  const named = OTHERS_NAME.exec(JSON.stringify(answer ?? null)) ?? [];
  return [...idsIn(answer).filter((id) => othersIds.has(id)), ...named];
}

/** Every row that belongs to the tenant, by table. */
async function rowsOf(pool: pg.Pool, tenantId: number): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string; tenant: string }>(
    `select relname as name, attname as tenant from pg_attribute a join pg_class c on c.oid = attrelid
     where relnamespace = 'hookwright'::regnamespace and relkind in ('r', 'p') and not relispartition
     and (attname = 'tenant_id' or (relname = 'tenants' and attname = 'id')) and not attisdropped`,
  );
  const hashes = await Promise.all(
    tables.map(async ({ name, tenant }) => {
      const { rows } = await pool.query<{ hash: string }>(
        `select count(*) || ' ' || md5(string_agg(row, '' order by row)) as hash
         from (select (to_jsonb(t) - 'last_used_at')::text as row from hookwright.${name} t where ${tenant} = $1) rows`,
        [tenantId],
      );
      return [name, rows[0]!.hash] as const;
    }),
  );
  return Object.fromEntries(hashes);
}

const ask = (document: DashboardDocument, variables: Record<string, unknown>, key: string, tenant?: number) =>
  site.ask(document.text, variables, key, tenant);
const codesOf = (errors: { extensions: { code: string } }[]) => errors.map(({ extensions }) => extensions.code);

describe('a portal session with all capabilities', () => {
  test('gets, with all ids of another tenant in all documents of the dashboard, nothing of it, and changes nothing', async () => {
    const before = await rowsOf(site.owner, other.tenantId);
    expect(Object.keys(before).length).toBeGreaterThan(10);
    const refused: string[] = [];
    for (const document of sent) {
      const codes: string[] = [];
      for (const variables of variablesFor(document, own, other)) {
        const { data, errors } = await ask(document, variables, session);
        const asked = `${document.name} with ${JSON.stringify(variables)}`;
        expect(ofTheOther(data), asked).toEqual([]);
        expect(JSON.stringify(errors), asked).not.toMatch(OTHERS_NAME);
        expect(
          errors.map(({ message }) => message).filter((m) => /[Vv]ariable|[Ss]yntax|Cannot query/.test(m)),
          asked,
        ).toEqual([]);
        codes.push(...new Set(errors.length === 0 ? ['answered'] : codesOf(errors)));
      }
      if (codes.every((code) => code === 'FORBIDDEN')) {
        refused.push(document.name);
      }
    }
    expect(refused).toEqual(platformOnly);
    expect(await rowsOf(site.owner, other.tenantId)).toEqual(before);
  });

  test('gets nothing in the name of the other tenant, either', async () => {
    const before = await rowsOf(site.owner, other.tenantId);
    for (const document of sent) {
      for (const variables of variablesFor(document, own, other)) {
        const answer = await ask(document, variables, session, other.tenantId);
        expect(answer.data ?? null, document.name).toBeNull();
        expect(codesOf(answer.errors), document.name).toEqual(['FORBIDDEN']);
      }
    }
    expect(await rowsOf(site.owner, other.tenantId)).toEqual(before);
  });

  test('would get it with a session of that tenant: what is asked for is there', async () => {
    const blind: string[] = [];
    for (const document of sent.filter(
      ({ name, operation }) => operation === 'query' && !platformOnly.includes(name),
    )) {
      const answers = await Promise.all(
        variablesFor(document, other, other).map((variables) => ask(document, variables, othersSession)),
      );
      if (ofTheOther(answers.map(({ data }) => data)).length === 0) {
        blind.push(document.name);
      }
    }
    expect(blind).toEqual(namesNobody);
  });
});

test('the subscriptions of the dashboard tell a session nothing of another tenant', async () => {
  const port = Number(new URL(site.origin).port);
  await using streams = new AsyncDisposableStack();
  const open = async ({ text }: DashboardDocument, variables: object, key: string) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const stream = await LiveStream.open(port, { query: text, variables }, headers);
    streams.defer(() => stream.cut());
    return await stream.begun();
  };
  const change = async ({ tenantId, webhook }: Known, key: string) => {
    await emitMany(site.services, tenantId, 1, numberIn(webhook));
    const mutation = `mutation ($id: ID!) {
      updateWebhook(input: { id: $id, eventTypes: ["coupon.applied"] }) { webhook { id } } }`;
    expect((await site.ask(mutation, { id: webhook }, key)).errors).toEqual([]);
  };
  const told = (stream: LiveStream) => stream.updates.length > 0;

  const nosy: LiveStream[] = [];
  for (const document of subscriptions) {
    for (const variables of variablesFor(document, own, other)) {
      nosy.push(await open(document, variables, session));
    }
  }
  const unfiltered = subscriptions.filter(({ variables }) =>
    variables.every(({ type }) => type.kind !== 'NonNullType'),
  );
  const openAll = (key: string) => Promise.all(unfiltered.map((document) => open(document, {}, key)));
  const watching = await openAll(othersSession);
  const watchingOwn = await openAll(session);
  expect(unfiltered.length).toBeGreaterThan(1);
  await change(other, othersSession);
  for (const stream of watching) {
    await eventually(() => told(stream), 20_000);
  }
  expect([...nosy, ...watchingOwn].filter(told)).toEqual([]);
  await change(own, session);
  othersIds = await idsOf(other.tenantId);
  for (const stream of watchingOwn) {
    await eventually(() => told(stream), 20_000);
  }
  for (const stream of [...nosy, ...watchingOwn]) {
    expect(ofTheOther(stream.updates)).toEqual([]);
  }
});
