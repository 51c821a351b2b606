import { afterAll, describe, expect, test } from 'vitest';
import { rollUpStats } from '../../src/operations/stats/roll-up-stats.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { statementsOf } from '../support/statements.js';

const api = await GraphqlApi.open();
const platform = await makeKey(api.services, null, ['platform:admin']);
const busy = await makeTenant(api.services);
const calm = await makeTenant(api.services);
const { ask, mutate, read } = api.by(platform);
const installation = async (selection: string) => (await read(`{ installation { ${selection} } }`)).installation;

/** Outcomes of one minute, two hours ago, as they are written. @param bucket of the histogram, 1 to 24 */
const outcomes = (tenantId: number, webhookId: number, successes: number, failures: number, bucket: number) =>
  api.owner.query(
    `insert into hookwright.delivery_stats
       (tenant_id, webhook_id, event_type, resolution, bucket, successes, failures, latency_histogram)
     select $1, $2, 'coupon.applied', 'MINUTE', date_trunc('minute', now()) - interval '2 hours', $3::integer,
            $4::integer, array(select case when n = $5 then $3 + $4 else 0 end from generate_series(1, 24) n)`,
    [tenantId, webhookId, successes, failures, bucket],
  );
const deliveries = (tenantId: number, webhookId: number, count: number, status: string, due: string, code?: string) =>
  api.owner.query(
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at, last_error_code)
     select hookwright.next_id(), $1, 1, $2, 'coupon.applied', $3::text::hookwright.delivery_status,
            now() + $4::interval, $5
     from generate_series(1, $6::integer)`,
    [tenantId, webhookId, status, due, code ?? null, count],
  );

const failing = (await makeWebhook(api.services, busy.id)).id;
const slow = (await makeWebhook(api.services, busy.id)).id;
const quiet = (await makeWebhook(api.services, calm.id)).id;
await api.owner.query(
  `update hookwright.stats_progress set minutes_until = day, hours_until = day, days_until = day,
     minutes_from = day, hours_from = day from (select date_trunc('day', now()) - interval '1 day' as day) d`,
);
await outcomes(busy.id, failing, 10, 90, 5);
await outcomes(busy.id, slow, 300, 1, 20);
await outcomes(calm.id, quiet, 5, 0, 3);
await rollUpStats(api.owner);
await deliveries(busy.id, failing, 3, 'PENDING', '-1 minute', 'HTTP_503');
await deliveries(busy.id, failing, 2, 'PENDING', '1 hour', 'TIMEOUT');
await deliveries(calm.id, quiet, 1, 'PENDING', '-2 minutes');
await deliveries(calm.id, quiet, 4, 'HELD', '0');
afterAll(() => api.close());

const since = () => new Date(Date.now() - 5 * 3_600_000).toISOString();

describe('what fails now', () => {
  const state = async (id: number, sql: string) =>
    api.owner.query(`update hookwright.webhooks set ${sql} where id = $1`, [id]);
  const off = (reason: string, ago: string) =>
    `active = false, disabled_reason = '${reason}', disabled_at = date_trunc('second', now()) - interval '${ago}'`;

  test('says why, however much is held since then', async () => {
    const [gone, disabled, known] = await Promise.all(
      [1, 2, 3].map(async () => (await makeWebhook(api.services, busy.id)).id),
    );
    await state(gone!, off('GONE', '1 hour'));
    await state(disabled!, off('FAILURES', '1 hour'));
    await deliveries(busy.id, gone!, 1, 'FAILED', '0', 'HTTP_410');
    await deliveries(busy.id, disabled!, 1, 'HELD', '0', 'TLS_CERTIFICATE_EXPIRED');
    await deliveries(busy.id, known!, 1, 'HELD', '0', 'DNS_NO_ADDRESS');
    await state(known!, `${off('FAILURES', '1 hour')}, last_failure_at = now()`);
    await deliveries(busy.id, known!, 152, 'HELD', '0');
    await deliveries(busy.id, gone!, 150, 'HELD', '0');
    await deliveries(busy.id, disabled!, 151, 'HELD', '0');
    const { failing: now } = await installation('failing { webhooks { lastErrorCode } }');
    const codes = now.webhooks.map(({ lastErrorCode }: { lastErrorCode: string }) => lastErrorCode);
    expect(codes).toEqual(['DNS_NO_ADDRESS', 'TLS_CERTIFICATE_EXPIRED', 'HTTP_410']);
    await api.owner.query(`delete from hookwright.deliveries where webhook_id = any($1)`, [[gone, disabled, known]]);
    await api.owner.query(`delete from hookwright.webhooks where id = any($1)`, [[gone, disabled, known]]);
  });

  test('is listed worst first with tenant, since when and why; pauses are not failures', async () => {
    const [gone, disabled, tired, closed, paused, hiccup] = await Promise.all(
      [busy, busy, calm, calm, calm, calm].map(async ({ id }) => (await makeWebhook(api.services, id)).id),
    );
    await state(gone!, off('GONE', '1 hour'));
    await state(disabled!, off('FAILURES', '2 hours'));
    await state(tired!, `consecutive_failures = 3, streak_began_at = '2026-01-01T00:00:00Z'`);
    await state(closed!, `consecutive_failures = 4, closed_until = now() + interval '5 seconds'`);
    await state(paused!, off('PAUSED', '1 hour'));
    await state(hiccup!, 'consecutive_failures = 2');
    await deliveries(busy.id, disabled!, 2, 'HELD', '0', 'HTTP_500');
    await deliveries(busy.id, gone!, 1, 'HELD', '0');
    await deliveries(calm.id, tired!, 1, 'FAILED', '0', 'TIMEOUT');
    await api.owner.query(
      `insert into hookwright.webhook_options (webhook_id, tenant_id, name) values ($1, $2, 'Bookings')`,
      [disabled, busy.id],
    );
    const { failing: now } = await installation(
      `failing { gone disabled failing
         webhooks { webhookId name state since lastErrorCode held consecutiveFailures tenant { databaseId } }
         tenants(first: 5) { gone disabled failing held tenant { databaseId } } }`,
    );
    expect(now).toMatchObject({ gone: 1, disabled: 1, failing: 1 });
    expect(now.webhooks).toMatchObject([
      { webhookId: gid.webhook(disabled!), name: 'Bookings', state: 'DISABLED', held: 2, lastErrorCode: 'HTTP_500' },
      {
        webhookId: gid.webhook(gone!),
        name: null,
        state: 'GONE',
        held: 1,
        lastErrorCode: null,
        tenant: { databaseId: busy.id },
      },
      {
        webhookId: gid.webhook(tired!),
        state: 'FAILING',
        held: 0,
        lastErrorCode: 'TIMEOUT',
        since: '2026-01-01T00:00:00+00:00',
        consecutiveFailures: 3,
        tenant: { databaseId: calm.id },
      },
    ]);
    expect(now.tenants).toEqual([
      { gone: 1, disabled: 1, failing: 0, held: 3, tenant: { databaseId: busy.id } },
      { gone: 0, disabled: 0, failing: 1, held: 0, tenant: { databaseId: calm.id } },
    ]);
    const few = await ask('{ installation { failing { webhooks(first: 51) { url } } } }');
    expect(codesOf(few)).toEqual(['BAD_USER_INPUT']);
    await api.owner.query(`delete from hookwright.deliveries where webhook_id = any($1)`, [[gone, disabled, tired]]);
    await api.owner.query(`delete from hookwright.webhooks where id = any($1)`, [
      [gone, disabled, tired, closed, paused, hiccup],
    ]);
  });
});

describe('the installation', () => {
  test('has the attempts of all tenants together', async () => {
    const { stats } = await installation(
      `stats(since: "${since()}") { total { attempts successes failures p50Ms p99Ms } buckets { attempts } }`,
    );
    expect(stats.total).toMatchObject({ attempts: 406, successes: 315, failures: 91 });
    expect(stats.total.p99Ms).toBeGreaterThan(stats.total.p50Ms - 1);
    expect(stats.buckets.filter(({ attempts }: { attempts: number }) => attempts > 0)).toEqual([{ attempts: 406 }]);
    const typed = await installation(`stats(since: "${since()}", eventType: "booking.created") { total { attempts } }`);
    expect(typed.stats).toEqual({ total: { attempts: 0 } });
  });

  test('tells deliveries that wait for a pause from the others', async () => {
    const selection = 'closed { due webhooks until oldestOtherDueAt }';
    const { closed: none } = await installation(selection);
    expect(none).toMatchObject({ due: 0, webhooks: 0, until: null });
    const until = '2999-01-01T03:20:00+00:00';
    const close = (id: number, at: string | null) =>
      api.owner.query('update hookwright.webhooks set closed_until = $2 where id = $1', [id, at]);
    await close(quiet, until);
    const { closed } = await installation(selection);
    expect(closed).toMatchObject({ due: 1, webhooks: 1, until });
    expect(Date.now() - Date.parse(closed.oldestOtherDueAt)).toBeLessThan(119_000);
    await close(failing, '2998-01-01T00:00:00Z');
    const { closed: all } = await installation(selection);
    expect(all).toEqual({ due: 4, webhooks: 2, until, oldestOtherDueAt: null });
    await close(quiet, null);
    await close(failing, null);
  });

  test('has what all tenants together still have to be sent, and why deliveries failed last', async () => {
    const { backlog, failures } = await installation(
      'backlog { due scheduled held countMax oldestDueAt } failures { errorCode deliveries }',
    );
    expect(backlog).toMatchObject({ due: 4, scheduled: 2, held: 4, countMax: 50_000 });
    expect(Date.now() - Date.parse(backlog.oldestDueAt)).toBeGreaterThan(100_000);
    expect(failures).toEqual([
      { errorCode: 'HTTP_503', deliveries: 3 },
      { errorCode: 'TIMEOUT', deliveries: 2 },
    ]);
  });

  test('shows its partitions, retention and encryption keys', async () => {
    const { partitions, retention, encryptionKeys } = await installation(
      'partitions { table since until rowsEstimate bytes } retention { deliveryDays eventDays holdHours } encryptionKeys { kid tenants }',
    );
    expect(partitions.length).toBeGreaterThanOrEqual(3 * 3);
    const tables = new Set<string>();
    for (const { table, since, until, bytes } of partitions) {
      tables.add(table);
      expect(Date.parse(until) - Date.parse(since)).toBe(86_400_000);
      expect(bytes).toBeGreaterThan(0);
    }
    expect([...tables].sort()).toEqual(['attempts', 'deliveries', 'events']);
    expect(retention).toEqual({ deliveryDays: 30, eventDays: 32, holdHours: 168 });
    expect(encryptionKeys).toMatchObject([{ tenants: 2 }]);
  });

  test('says so when no daemon has reported', async () => {
    const facts = await installation(
      'examinedAt findings { name level } housekeeping { nextAt } daemons { workerId } jobsPutAside { jobKey }',
    );
    expect(facts).toEqual({
      findings: [{ name: 'reports', level: 'FAIL' }],
      housekeeping: null,
      examinedAt: null,
      daemons: [],
      jobsPutAside: [],
    });
  });

  test.each([
    ['FAILURES', [failing, slow]],
    ['ATTEMPTS', [slow, failing, quiet]],
    ['LATENCY', [slow, failing, quiet]],
    ['BACKLOG', [failing, quiet]],
    ['WAIT', [quiet, failing]],
  ])('ranks the webhooks of all tenants by %s', async (by, expected) => {
    const { topWebhooks } = await installation(
      `topWebhooks(by: ${by}) { webhookId url active due tenant { name } figures { attempts failures p95Ms } }`,
    );
    const rows = topWebhooks as { webhookId: string; tenant: { name: string } }[];
    expect(rows.map(({ webhookId }) => webhookId)).toEqual(expected.map(gid.webhook));
    const worst = rows.find(({ webhookId }) => webhookId === gid.webhook(failing));
    expect(worst).toMatchObject({ active: true, due: 3, figures: { attempts: 100, failures: 90 } });
    expect(new Set(rows.map(({ tenant }) => tenant.name)).size).toBe(by === 'FAILURES' ? 1 : 2);
    const one = await installation(`topWebhooks(by: ${by}, first: 1) { webhookId }`);
    expect(one.topWebhooks).toHaveLength(1);
  });

  test('shows the state and the last day of ranked webhooks of any tenant', async () => {
    await api.owner.query(`update hookwright.webhooks set consecutive_failures = 4 where id = $1`, [failing]);
    const { topWebhooks } = await installation(
      'topWebhooks(by: WAIT) { disabledReason closedUntil consecutiveFailures oldestDueAt lastDay { attempts failures } }',
    );
    const [ofQuiet, ofFailing] = topWebhooks;
    expect(ofFailing).toMatchObject({ disabledReason: null, closedUntil: null, consecutiveFailures: 4 });
    expect(Date.parse(ofQuiet.oldestDueAt)).toBeLessThan(Date.parse(ofFailing.oldestDueAt));
    const busiest = (row: { lastDay: object[] }) => row.lastDay.filter((hour) => 'attempts' in hour && hour.attempts);
    expect([ofQuiet.lastDay.length, busiest(ofQuiet)]).toEqual([24, [{ attempts: 5, failures: 0 }]]);
    expect(busiest(ofFailing)).toEqual([{ attempts: 100, failures: 90 }]);
  });

  test.each([
    ['FAILURES', [busy]],
    ['ATTEMPTS', [busy, calm]],
    ['BACKLOG', [busy, calm]],
    ['WAIT', [calm, busy]],
  ])('ranks tenants by %s', async (by, expected) => {
    const { topTenants } = await installation(
      `topTenants(by: ${by}) { id lastDay { attempts } backlog { oldestDueAt } }`,
    );
    expect(topTenants.map(({ id }: { id: string }) => id)).toEqual(expected.map(({ id }) => gid.tenant(id)));
    expect((await installation(`topTenants(by: ${by}, first: 1) { id }`)).topTenants).toHaveLength(1);
  });

  test('ranks with a few statements, however many webhooks and tenants there are', async () => {
    const query =
      '{ installation { topWebhooks(by: FAILURES) { lastDay { attempts } } topTenants(by: WAIT) { lastDay { attempts } } } }';
    expect((await statementsOf(() => read(query))).length).toBeLessThanOrEqual(6);
  });

  test.each(['first: 0', 'first: 51', 'since: "2020-01-01T00:00:00Z"'])(
    'refuses a ranking with %s',
    async (argument) => {
      const query = `{ installation { topWebhooks(by: FAILURES, ${argument}) { url } } }`;
      expect(codesOf(await ask(query))).toEqual(['BAD_USER_INPUT']);
    },
  );

  test("is for platform keys, and the views behind it are empty in a tenant's transaction", async () => {
    expect(codesOf(await api.by(busy).ask('{ installation { backlog { due } } }'))).toEqual(['FORBIDDEN']);
    const client = await api.services.db.pool.connect();
    try {
      for (const tenant of [String(busy.id), '']) {
        await client.query('begin');
        await client.query(`select set_config('app.tenant', $1, true)`, [tenant]);
        for (const view of ['all_webhooks', 'all_deliveries', 'all_stats', 'daemons', 'installation_report']) {
          const { rows } = await client.query(`select count(*)::integer as count from hookwright.${view}`);
          expect(rows, view).toEqual([{ count: 0 }]);
        }
        await client.query('commit');
      }
    } finally {
      client.release();
    }
  });
});

describe('tenants in a list', () => {
  const usage = `id webhookCount backlog { due scheduled held } stats(since: "${since()}") { total { attempts failures } }`;

  test('each have their webhooks, backlog and attempts', async () => {
    const { tenants } = await read(`{ tenants { edges { node { ${usage} } } } }`);
    expect(nodesOf(tenants)).toEqual([
      {
        id: gid.tenant(calm.id),
        webhookCount: 1,
        backlog: { due: 1, scheduled: 0, held: 4 },
        stats: { total: { attempts: 5, failures: 0 } },
      },
      {
        id: gid.tenant(busy.id),
        webhookCount: 2,
        backlog: { due: 3, scheduled: 2, held: 0 },
        stats: { total: { attempts: 401, failures: 91 } },
      },
    ]);
  });

  test('are read by a few statements, however many they are', async () => {
    const list = () => read(`{ tenants(first: 50) { edges { node { ${usage} } } } }`);
    await list();
    expect(await statementsOf(list)).toHaveLength(4);
  });

  test('are found by a part of the name, in which % and _ are letters', async () => {
    for (const name of ['Acme 100% GmbH', 'acme under_score', 'Other']) {
      await mutate('createTenant', { name }, 'tenant { id }');
    }
    const query = 'query ($search: String) { tenants(filter: {search: $search}) { edges { node { name } } } }';
    const found = async (search: string) => nodesOf((await read(query, { search })).tenants).map(({ name }) => name);
    expect(await found('ACME')).toEqual(['acme under_score', 'Acme 100% GmbH']);
    expect(await found('0%')).toEqual(['Acme 100% GmbH']);
    expect(await found('r_s')).toEqual(['acme under_score']);
    expect(await found('\\')).toEqual([]);
  });

  test('are found page by page behind very many others', async () => {
    await api.owner.query(`
      insert into hookwright.tenants (name, data_key, data_key_kid)
      select case when n % 1000 = 7 then 'Größe ' else 'Many ' end || n, '', 'x' from generate_series(1, 4500) n`);
    const query = `query ($search: String, $first: Int, $after: String, $last: Int, $before: String) {
      tenants(filter: {search: $search}, first: $first, after: $after, last: $last, before: $before) {
        edges { node { name } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`;
    const page = async (search: string, args: object) => (await read(query, { search, ...args })).tenants;
    const names = (connection: Parameters<typeof nodesOf>[0]) => nodesOf(connection).map(({ name }) => name);
    const first = await page('größe', { first: 3 });
    expect(names(first)).toEqual(['Größe 4007', 'Größe 3007', 'Größe 2007']);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = await page('größe', { first: 3, after: first.pageInfo.endCursor });
    expect(names(second)).toEqual(['Größe 1007', 'Größe 7']);
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const back = await page('größe', { last: 2, before: second.pageInfo.startCursor });
    expect(names(back)).toEqual(['Größe 3007', 'Größe 2007']);
    expect(names(await page('ny', { first: 1 }))).toEqual(['Many 4500']);
    expect(names(await page('ny 1', { last: 1 }))).toEqual(['Many 1']);
    expect(names(await page('ß', { first: 1 }))).toEqual(['Größe 4007']);
    await api.owner.query(`delete from hookwright.tenants where data_key_kid = 'x'`);
  });

  test("show a tenant's key its own, with the scopes for it", async () => {
    const own = `{ viewer { tenant { ${usage} } } }`;
    const { viewer } = await api.by(busy).read(own);
    expect(viewer.tenant).toMatchObject({ webhookCount: 2, backlog: { due: 3 } });
    const answer = await api.by(await makeKey(api.services, busy.id, ['events:emit'])).ask(own);
    expect(codesOf(answer)).toEqual(['FORBIDDEN', 'FORBIDDEN', 'FORBIDDEN']);
    expect(answer.data.viewer.tenant).toMatchObject({ webhookCount: null, backlog: null, stats: null });
  });
});

test('a platform key without a tenant reads the log of the installation and the platform keys', async () => {
  const { auditLog, apiKeys } = await read(
    '{ auditLog(first: 5) { edges { node { action targetType } } } apiKeys(first: 5) { edges { node { scopes } } } }',
  );
  expect(auditLog.edges.length).toBeGreaterThan(0);
  expect(nodesOf(apiKeys)[0]).toEqual({ scopes: ['platform:admin'] });
});
