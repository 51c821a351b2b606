import { afterAll, expect, test } from 'vitest';
import { makeKey, makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { dataOf, GraphqlApi } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { issueCertificate } from '../support/issue-certificate.js';
import { RestApi } from '../support/rest-api.js';

/** Webhooks whose endpoints must prove that they want deliveries, as their owners see them. */

const api = await GraphqlApi.open({ ENDPOINT_CHALLENGE: 'required' });
const rest = await RestApi.open({ ENDPOINT_CHALLENGE: 'required' });
afterAll(() => Promise.all([api.close(), rest.close()]));

const STATE =
  'id active disabledReason holdUntil verification { status checkedAt detail optionsCode challengeCode method nextAt }';
const url = 'https://example.com/hooks';
const create = async (tenant: TestTenant, more: object = {}) =>
  dataOf(await api.by(tenant).mutate('createWebhook', { url, eventTypes: ['*'], ...more }, `webhook { ${STATE} }`))
    .createWebhook.webhook;
const change = (tenant: TestTenant, id: string, input: object) =>
  api.by(tenant).mutate('updateWebhook', { id, ...input }, `webhook { ${STATE} }`);
const verify = (tenant: { key: string }, id: string) =>
  api.by(tenant).mutate('verifyWebhook', { id }, `webhook { ${STATE} }`);
const reasonsOf = ({ errors }: { errors: { extensions: { reason: string } }[] }) =>
  errors.map(({ extensions }) => extensions.reason);
/** As a daemon records it. */
const prove = (id: string) =>
  api.owner.query(
    `update hookwright.verifications set status = 'VERIFIED', method = 'CHALLENGE', next_at = null where webhook_id = $1`,
    [numberIn(id)],
  );
/** A change, after two asks of which the next one comes in an hour. */
const waitsAfter = async (id: string, changed: () => Promise<unknown>) => {
  const values = [numberIn(id)];
  await api.owner.query(
    `update hookwright.verifications set asks = 2, next_at = now() + interval '1 hour' where webhook_id = $1`,
    values,
  );
  dataOf((await changed()) as never);
  return await api.owner.query(
    'select asks, next_at > now() as waits from hookwright.verifications where webhook_id = $1',
    values,
  );
};

test('a new webhook is inactive, holds its events, and is asked at once', async () => {
  const tenant = await makeTenant(api.services);
  expect(await create(tenant)).toMatchObject({
    active: false,
    disabledReason: 'UNVERIFIED',
    holdUntil: expect.any(String),
    verification: {
      status: 'PENDING',
      checkedAt: null,
      detail: null,
      optionsCode: null,
      challengeCode: null,
      method: null,
      nextAt: expect.any(String),
    },
  });
  expect(await create(tenant, { active: false })).toMatchObject({
    active: false,
    disabledReason: 'PAUSED',
    verification: { status: 'PENDING' },
  });
});

test('nobody enables it before the proof, not even one that was paused; afterwards it is as any', async () => {
  const tenant = await makeTenant(api.services);
  const [unverified, paused] = [await create(tenant), await create(tenant, { active: false })];
  for (const { id } of [unverified, paused]) {
    expect(reasonsOf(await change(tenant, id, { active: true }))).toEqual(['webhook_unverified']);
    for (const [name, input] of [
      ['checkWebhook', { webhookId: id }],
      ['testWebhook', { id }],
    ] as const) {
      expect(reasonsOf(await api.by(tenant).mutate(name, input, 'delivery { id }'))).toEqual(['webhook_unverified']);
    }
  }
  await prove(paused.id);
  expect(dataOf(await change(tenant, paused.id, { active: true })).updateWebhook.webhook).toMatchObject({
    active: true,
    verification: { status: 'VERIFIED', method: 'CHALLENGE' },
  });
});

test('another origin or path makes a webhook unverified; another query, another name and the same url do not', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await makeWebhook(api.services, tenant.id, { url });
  const to = async (input: object) => dataOf(await change(tenant, gid.webhook(id), input)).updateWebhook.webhook;
  for (const input of [{ url }, { url: `${url}?key=2` }, { name: 'Bookings' }]) {
    expect(await to(input)).toMatchObject({ active: true, verification: null });
  }
  expect(await to({ url: `${url}/2`, active: true })).toMatchObject({ active: false, disabledReason: 'UNVERIFIED' });
  await prove(gid.webhook(id));
  await api.owner.query(`update hookwright.webhooks set active = true, disabled_reason = null where id = ${id}`);
  expect(await to({ url: 'https://example.org/hooks/2', active: false })).toMatchObject({
    disabledReason: 'PAUSED',
    verification: { status: 'PENDING', method: null },
  });
  const moved = await change(tenant, gid.webhook(id), { url: 'https://example.net/', active: true, held: 'DISCARD' });
  expect(reasonsOf(moved)).toEqual(['webhook_unverified']);
  expect(await to({ url: 'https://example.net/', active: true })).toMatchObject({ disabledReason: 'UNVERIFIED' });
});

test('verifyWebhook asks an unverified endpoint from the beginning, and no other', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await create(tenant);
  await api.owner.query(
    `update hookwright.verifications set status = 'FAILED', asks = 6, next_at = null,
    detail = 'OPTIONS: HTTP_404; webhook.challenge: HTTP_401', options_code = 'HTTP_404', challenge_code = 'HTTP_401'
    where webhook_id = $1`,
    [numberIn(id)],
  );
  expect(dataOf(await verify(tenant, id)).verifyWebhook.webhook.verification).toMatchObject({
    status: 'PENDING',
    detail: 'OPTIONS: HTTP_404; webhook.challenge: HTTP_401',
    optionsCode: 'HTTP_404',
    challengeCode: 'HTTP_401',
    nextAt: expect.any(String),
  });
  await prove(id);
  expect(dataOf(await verify(tenant, id)).verifyWebhook.webhook.verification).toMatchObject({
    status: 'VERIFIED',
    nextAt: null,
  });
  const { id: old } = await makeWebhook(api.services, tenant.id);
  expect(dataOf(await verify(tenant, gid.webhook(old))).verifyWebhook.webhook).toMatchObject({
    active: true,
    verification: null,
  });
  const stranger = await makeTenant(api.services);
  expect(reasonsOf(await verify(stranger, id))).toEqual(['not_found']);
  const { key } = await makeKey(api.services, tenant.id, ['webhooks:read']);
  expect(reasonsOf(await verify({ key }, id))).toEqual(['scope_missing']);
});

const caPem = issueCertificate({ subject: 'Acme CA', isAuthority: true }).certificate;
test.each([
  ['headers', { delivery: { setHeaders: [{ name: 'X-Env', value: 'prod' }] } }],
  ['authentication', { delivery: { auth: { bearer: 's3cr3t-of-the-receiver' } } }],
  ['TLS', { delivery: { tls: { caPem } } }],
  ['signing', { delivery: { signing: 'SECRET_AND_KEY' } }],
  ['method', { delivery: { method: 'PUT' } }],
  ['query', { url: `${url}?key=2` }],
])('an unverified endpoint that gets another %s is asked at once, from the beginning', async (_, input) => {
  const tenant = await makeTenant(api.services);
  const { id } = await create(tenant);
  const { rows } = await waitsAfter(id, () => change(tenant, id, input));
  expect(rows).toEqual([{ asks: 0, waits: false }]);
});

test('other changes, and the same again, leave the time of the next ask as it is', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await create(tenant, { delivery: { method: 'PUT' } });
  for (const input of [
    { name: 'Bookings', delivery: { timeoutMs: 9_000 } },
    { url, delivery: { method: 'PUT' } },
  ]) {
    const { rows } = await waitsAfter(id, () => change(tenant, id, input));
    expect(rows).toEqual([{ asks: 2, waits: true }]);
  }
});

test('it asks six times a minute at most, together with checks', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await create(tenant);
  for (let asked = 0; asked < 6; asked += 1) {
    dataOf(await verify(tenant, id));
  }
  const refused = await verify(tenant, id);
  expect(reasonsOf(refused)).toEqual(['rate_limited']);
  expect(refused.errors[0].message).toMatch(/^A webhook can be asked 6 times a minute\./);
});

test('beside a daemon that cannot ask, no webhook becomes unverified', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await makeWebhook(api.services, tenant.id, { url });
  await api.owner.query(`
    insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at, last_seen_at, knows)
    values ('00000000-0000-0000-0000-000000000001', 'host-7', 1, '0.1.0', 1, 0, now(), now(), null)`);
  const created = await api.by(tenant).mutate('createWebhook', { url, eventTypes: ['*'] }, 'webhook { id }');
  expect(reasonsOf(created)).toEqual(['older_daemons']);
  expect(reasonsOf(await change(tenant, gid.webhook(id), { url: 'https://example.org/' }))).toEqual(['older_daemons']);
  expect((await change(tenant, gid.webhook(id), { url: `${url}?key=1`, name: 'Bookings' })).errors).toEqual([]);
  await api.owner.query('delete from hookwright.daemons');
});

test('the setting off asks nobody, and lets unverified webhooks be enabled', async () => {
  const tenant = await makeTenant(api.services);
  expect((await api.by(tenant).read('{ viewer { endpointChallenge } }')).viewer.endpointChallenge).toBe(true);
  await using off = await GraphqlApi.open();
  const free = await makeTenant(off.services);
  expect((await off.by(free).read('{ viewer { endpointChallenge } }')).viewer.endpointChallenge).toBe(false);
  const made = await off.by(free).mutate('createWebhook', { url, eventTypes: ['*'] }, `webhook { ${STATE} }`);
  const { webhook } = dataOf(made).createWebhook;
  expect(webhook).toMatchObject({ active: true, verification: null });
  await off.owner.query(`update hookwright.webhooks set active = false, disabled_reason = 'UNVERIFIED'`);
  await off.owner.query(
    `insert into hookwright.verifications (webhook_id, tenant_id, host, status)
    values ($1, $2, 'https://example.com', 'PENDING')`,
    [numberIn(webhook.id), free.id],
  );
  const enabled = await off.by(free).mutate('updateWebhook', { id: webhook.id, active: true }, `webhook { ${STATE} }`);
  expect(dataOf(enabled).updateWebhook.webhook).toMatchObject({ active: true });
});

test('a request with the same idempotency key gets the webhook that was made, verified or not', async () => {
  const tenant = await makeTenant(api.services);
  const first = await create(tenant, { idempotencyKey: 'one' });
  expect(await create(tenant, { idempotencyKey: 'one' })).toEqual(first);
});

test('REST shows the state, asks, and refuses as GraphQL does', async () => {
  const made = await rest.ask('POST /webhooks', { json: { url, events: ['*'] } });
  expect([made.status, made.body.data.active]).toEqual([201, false]);
  const { id } = made.body.data;
  const unasked = { method: null, checked_at: null, detail: null, options_code: null, challenge_code: null };
  const pending = { status: 'PENDING', ...unasked, next_at: expect.any(String) };
  const asked = await rest.ask(`POST /webhooks/${id}/verify`);
  expect([asked.status, asked.body]).toEqual([202, { data: pending }]);
  const read = await rest.ask(`GET /webhooks/${id}/verify`);
  expect([read.status, read.body]).toEqual([200, { data: pending }]);
  const refused = await rest.ask(`PATCH /webhooks/${id}`, { json: { active: true } });
  for (const { status, body } of [refused, await rest.ask(`POST /webhooks/${id}/test`)]) {
    expect([status, body.code]).toEqual([409, 'webhook_unverified']);
    expect(body.detail).toContain(`POST /api/v1/webhooks/{id}/verify`);
    expect(body.detail).not.toContain('verifyWebhook');
  }
  const old = await makeWebhook(rest.services, rest.tenant.id);
  expect((await rest.ask(`GET /webhooks/${old.id}/verify`)).body).toEqual({
    data: { status: 'VERIFIED', ...unasked, next_at: null },
  });
  expect((await rest.ask('POST /webhooks/999999/verify')).status).toBe(404);
});

test('a pause of an unverified or disabled webhook is one, in the audit log too, and a second one changes nothing', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await create(tenant);
  const pause = async () => dataOf(await change(tenant, id, { active: false })).updateWebhook.webhook;
  const paused = await pause();
  expect(paused).toMatchObject({ active: false, disabledReason: 'PAUSED', holdUntil: expect.any(String) });
  const entries = async () =>
    (
      await api.owner.query(
        `select action, before, after from hookwright.audit_log where target_id = $1 order by id desc`,
        [numberIn(id)],
      )
    ).rows;
  const [entry] = await entries();
  expect(entry).toEqual({
    action: 'WEBHOOK_UPDATED',
    before: JSON.stringify({ reason: 'UNVERIFIED' }),
    after: JSON.stringify({ reason: 'PAUSED' }),
  });
  expect(await pause()).toEqual(paused);
  expect(await entries()).toHaveLength(2);
  const failing = await makeWebhook(api.services, tenant.id, { url });
  await api.owner.query(
    `update hookwright.webhooks set active = false, disabled_reason = 'FAILURES', disabled_at = now() where id = $1`,
    [failing.id],
  );
  const stopped = dataOf(await change(tenant, gid.webhook(failing.id), { active: false })).updateWebhook.webhook;
  expect(stopped).toMatchObject({ active: false, disabledReason: 'PAUSED' });
  const probe = await api.by(tenant).mutate('probeWebhook', { webhookId: gid.webhook(failing.id) }, 'delivery { id }');
  expect(reasonsOf(probe)).toEqual(['webhook_not_failing']);
});

test('what needs an active webhook says that the endpoint must prove itself first', async () => {
  const tenant = await makeTenant(api.services);
  const { id } = await create(tenant);
  const by = api.by(tenant);
  const told = async (mutation: string, input: object, selected: string) =>
    reasonsOf(await by.mutate(mutation, input, selected));
  expect(await told('releaseHeld', { webhookId: id }, 'webhook { id }')).toEqual(['webhook_unverified']);
  expect(await told('probeWebhook', { webhookId: id }, 'delivery { id }')).toEqual(['webhook_unverified']);
  const replay = { webhookId: id, filter: { since: new Date(Date.now() - 60_000).toISOString() } };
  expect(await told('replayEvents', replay, 'total')).toEqual(['webhook_unverified']);
  const event = await by.mutate(
    'emitEvent',
    { event: 'coupon.applied', payload: { code: 'X', discount_type: 'fixed' } },
    'event { id deliveries { edges { node { id } } } }',
  );
  const [{ node }] = dataOf(event).emitEvent.event.deliveries.edges;
  await api.owner.query(`update hookwright.deliveries set status = 'FAILED', finished_at = now() where id = $1`, [
    numberIn(node.id),
  ]);
  expect(await told('redeliver', { deliveryId: node.id }, 'delivery { id }')).toEqual(['webhook_unverified']);
});

test('with the setting off a move says nothing of the new endpoint, and enabling waives the proof', async () => {
  await using off = await GraphqlApi.open();
  const tenant = await makeTenant(off.services);
  const to = async (id: string, input: object) =>
    dataOf(await off.by(tenant).mutate('updateWebhook', { id, ...input }, `webhook { ${STATE} }`)).updateWebhook
      .webhook;
  const withRow = async (status: string) => {
    const { id } = await makeWebhook(off.services, tenant.id, { url });
    await off.owner.query(
      `insert into hookwright.verifications (webhook_id, tenant_id, host, status, method, asks, next_at)
       values ($1, $2, 'example.com', $3, case when $3 = 'VERIFIED' then 'OPTIONS' end, 6, null)`,
      [id, tenant.id, status],
    );
    return { id, gid: gid.webhook(id) };
  };
  const proved = await withRow('VERIFIED');
  expect(await to(proved.gid, { url: `${url}?key=1` })).toMatchObject({ verification: { status: 'VERIFIED' } });
  expect(await to(proved.gid, { url: 'https://example.org/' })).toMatchObject({ active: true, verification: null });

  const awaited = await withRow('FAILED');
  await off.owner.query(`update hookwright.webhooks set active = false, disabled_reason = 'UNVERIFIED' where id = $1`, [
    awaited.id,
  ]);
  expect(await to(awaited.gid, { url: 'https://example.org/' })).toMatchObject({
    active: false,
    verification: { status: 'PENDING', nextAt: expect.any(String) },
  });
  const { rows } = await off.owner.query('select host from hookwright.verifications where webhook_id = $1', [
    awaited.id,
  ]);
  expect(rows).toEqual([{ host: 'example.org' }]);
  expect(await to(awaited.gid, { active: true })).toMatchObject({ active: true, verification: null });
});
