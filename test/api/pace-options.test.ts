import { afterAll, describe, expect, test } from 'vitest';
import { makeKey } from '../support/factories.js';
import { gid, numberIn } from '../support/ids.js';
import { RestApi } from '../support/rest-api.js';

/** Timeouts, retries, recovery and pace: of a webhook, its tenant and the installation. */

const api = await RestApi.open();
afterAll(() => api[Symbol.asyncDispose]());

const shown = 'delivery { timeoutMs retryDelaysSeconds recovery ratePerSecond concurrencyMax own } version';
const ask = async (query: string, input: object) =>
  (await api.ask('POST //graphql', { json: { query, variables: { input } } })).body;
const update = (id: number, delivery: object) =>
  ask(`mutation ($input: UpdateWebhookInput!) { updateWebhook(input: $input) { webhook { ${shown} } } }`, {
    id: gid.webhook(id),
    delivery,
  });
const changed = async (id: number, delivery: object) =>
  (await update(id, delivery)).data.updateWebhook.webhook.delivery;
const refused = async (id: number, delivery: object) => {
  const { errors } = (await update(id, delivery)).errors[0].extensions;
  return errors.map(({ path, code }: { path: string[]; code: string }) => `${path.slice(2).join('.')} ${code}`);
};

const CONTRACT = { timeoutMs: 15_000, retryDelaysSeconds: [120, 240, 480, 960, 1920], recovery: 'MANUAL' };
/** There is no rate, and the operator's number of requests at a time. */
const PACE = { ratePerSecond: null, concurrencyMax: 64 };

describe('a webhook', () => {
  test('has the values of the installation until it sets its own, and again after a reset', async () => {
    const { id } = await api.webhook();
    const own = { timeoutMs: 30_000, retryDelaysSeconds: [5, 60], recovery: 'AUTOMATIC' };
    const { timeoutMs: timeout_ms, retryDelaysSeconds: retry_delays_seconds, recovery } = CONTRACT;
    const { body } = await api.ask(`GET /webhooks/${id}/options`);
    expect(body.data.delivery).toMatchObject({ timeout_ms, retry_delays_seconds, recovery, own: [] });
    expect(await changed(id, own)).toEqual({
      ...own,
      ...PACE,
      own: ['TIMEOUT_MS', 'RETRY_DELAYS_SECONDS', 'RECOVERY'],
    });
    expect(await changed(id, { retryDelaysSeconds: [] })).toMatchObject({ retryDelaysSeconds: [], timeoutMs: 30_000 });
    expect(await changed(id, { reset: ['RETRY_DELAYS_SECONDS', 'TIMEOUT_MS'] })).toEqual({
      ...CONTRACT,
      ...PACE,
      recovery: 'AUTOMATIC',
      own: ['RECOVERY'],
    });
    const rest = await api.ask(`PATCH /webhooks/${id}/options`, {
      json: { delivery: { timeout_ms: 2_000, retry_delays_seconds: [1], recovery: null } },
    });
    expect(rest.body.data.delivery).toMatchObject({ timeout_ms: 2_000, retry_delays_seconds: [1], recovery: 'MANUAL' });
    const { rows } = await api.owner.query(
      `select before::json, after::json from hookwright.audit_log where target_id = $1 order by id desc limit 1`,
      [String(id)],
    );
    expect(rows[0]).toEqual({
      before: { timeoutMs: null, retryDelaysSeconds: null, recovery: 'AUTOMATIC' },
      after: { timeoutMs: 2_000, retryDelaysSeconds: [1], recovery: null },
    });
  });

  test('sets its pace, and has no rate and the number of the installation after a reset', async () => {
    const { id } = await api.webhook();
    const pace = { ratePerSecond: 0.5, concurrencyMax: 4 };
    const own = ['RATE_PER_SECOND', 'CONCURRENCY_MAX'];
    expect(await changed(id, pace)).toEqual({ ...CONTRACT, ...pace, own });
    const json = { delivery: { rate_per_second: 10, concurrency_max: null } };
    const { body } = await api.ask(`PATCH /webhooks/${id}/options`, { json });
    const after = { rate_per_second: 10, concurrency_max: 64, own: ['rate_per_second'] };
    expect(body.data.delivery).toMatchObject(after);
    expect(await changed(id, { reset: own })).toEqual({ ...CONTRACT, ...PACE, own: [] });
    const { rows } = await api.owner.query(
      `select before::json, after::json from hookwright.audit_log where target_id = $1 order by id`,
      [String(id)],
    );
    expect(rows.slice(-2)).toEqual([
      { before: pace, after: { ratePerSecond: 10, concurrencyMax: null } },
      { before: { ratePerSecond: 10 }, after: { ratePerSecond: null } },
    ]);
  });

  test.each<[object, string[]]>([
    [{ ratePerSecond: 0.01 }, []],
    [{ ratePerSecond: 1_000 }, []],
    [{ ratePerSecond: 0 }, ['ratePerSecond rate_out_of_range']],
    [{ ratePerSecond: 1_000.1 }, ['ratePerSecond rate_out_of_range']],
    [{ ratePerSecond: null }, ['ratePerSecond reset_instead']],
    [{ concurrencyMax: 64 }, []],
    [{ concurrencyMax: 0 }, ['concurrencyMax concurrency_out_of_range']],
    [{ concurrencyMax: 65 }, ['concurrencyMax concurrency_out_of_range']],
    [{ timeoutMs: 1_000 }, []],
    [{ timeoutMs: 999 }, ['timeoutMs timeout_out_of_range']],
    [{ timeoutMs: 30_001 }, ['timeoutMs timeout_out_of_range']],
    [{ timeoutMs: null }, ['timeoutMs reset_instead']],
    [{ retryDelaysSeconds: Array(20).fill(1) }, []],
    [{ retryDelaysSeconds: Array(21).fill(1) }, ['retryDelaysSeconds retry_delays_too_many']],
    [
      { retryDelaysSeconds: [0, 1, 86_400, 86_401] },
      ['retryDelaysSeconds.0 retry_delay_out_of_range', 'retryDelaysSeconds.3 retry_delay_out_of_range'],
    ],
    [{ retryDelaysSeconds: Array(7).fill(86_400) }, []],
    [{ retryDelaysSeconds: [...Array(7).fill(86_400), 1] }, ['retryDelaysSeconds retry_delays_too_long']],
    [{ timeoutMs: 2_000, reset: ['TIMEOUT_MS'] }, ['timeoutMs contradiction']],
  ])('that would have %j: %j', async (delivery, problems) => {
    const { id } = await api.webhook();
    const { errors } = await update(id, delivery);
    expect(errors === undefined ? [] : await refused(id, delivery)).toEqual(problems);
  });
});

test("the limit of the timeout is the operator's", async () => {
  await using strict = await RestApi.open({ ATTEMPT_TIMEOUT_MAX_MS: '2000' });
  const { id } = await strict.webhook();
  const patch = (delivery: object) => strict.ask(`PATCH /webhooks/${id}/options`, { json: { delivery } });
  expect((await patch({ timeout_ms: 2_001 })).body.errors).toMatchObject([{ code: 'timeout_out_of_range' }]);
  for (const [delivery, detail] of [
    [{ recovery: 'SOON' }, 'must be one of MANUAL, AUTOMATIC'],
    [{ timeout_ms: 3e9 }, 'must be a whole number, 1000 to 120000 ms'],
    [{ timeout_ms: 1.5 }, 'must be a whole number, 1000 to 120000 ms'],
    [{ concurrency_max: 1e300 }, 'must be a whole number, 1 to 1000'],
    [{ retry_delays_seconds: [3e9] }, 'must be a whole number of seconds, 1 to 86400'],
  ] as const) {
    expect((await patch(delivery)).body.errors).toMatchObject([{ detail }]);
  }
  expect((await patch({ timeout_ms: 2_000 })).status).toBe(200);
});

describe('a tenant', () => {
  const tenantOf = `tenant { id deliveryDefaults { timeoutMs retryDelaysSeconds recovery own } }`;
  const byPlatform = async (name: string, input: object) => {
    const { key } = await makeKey(api.services, null, ['platform:admin']);
    const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${name}(input: $input) { ${tenantOf} } }`;
    const { body } = await api.ask('POST //graphql', { key, json: { query, variables: { input } } });
    return { ...body, tenant: body.data?.[name]?.tenant };
  };

  test('has defaults that its webhooks inherit, and an audit entry for each change', async () => {
    const deliveryDefaults = { timeoutMs: 2_000, retryDelaysSeconds: [] };
    const made = await byPlatform('createTenant', { name: 'with defaults', deliveryDefaults });
    expect(made.tenant.deliveryDefaults).toEqual({
      ...deliveryDefaults,
      recovery: 'MANUAL',
      own: ['TIMEOUT_MS', 'RETRY_DELAYS_SECONDS'],
    });
    const key = await makeKey(api.services, numberIn(made.tenant.id), ['webhooks:read', 'webhooks:write']);
    const { id } = await api.webhook(undefined, key.key);
    const options = async () => (await api.ask(`GET /webhooks/${id}/options`, { key: key.key })).body.data.delivery;
    expect(await options()).toMatchObject({ timeout_ms: 2_000, retry_delays_seconds: [], recovery: 'MANUAL', own: [] });
    const changed = await byPlatform('updateTenant', {
      id: made.tenant.id,
      deliveryDefaults: { recovery: 'AUTOMATIC', reset: ['TIMEOUT_MS'] },
    });
    expect(changed.tenant.deliveryDefaults).toMatchObject({ timeoutMs: 15_000, recovery: 'AUTOMATIC' });
    expect(await options()).toMatchObject({ timeout_ms: 15_000, retry_delays_seconds: [], recovery: 'AUTOMATIC' });
    const { rows } = await api.owner.query(
      `select action, before::json, after::json from hookwright.audit_log where target_type = 'TENANT' and target_id = $1 order by id`,
      [String(numberIn(made.tenant.id))],
    );
    expect(rows).toEqual([
      { action: 'TENANT_CREATED', before: null, after: { name: 'with defaults', ...deliveryDefaults } },
      {
        action: 'TENANT_UPDATED',
        before: { timeoutMs: 2_000, recovery: null },
        after: { timeoutMs: null, recovery: 'AUTOMATIC' },
      },
    ]);
  });

  test.each([
    [{ timeoutMs: 999 }, 'timeout_out_of_range'],
    [{ retryDelaysSeconds: [0] }, 'retry_delay_out_of_range'],
  ])('that would have %j is refused: %s', async (deliveryDefaults, code) => {
    for (const [name, input] of Object.entries({ createTenant: { name: 'a' }, updateTenant: { id: '1' } })) {
      const { errors } = await byPlatform(name, { ...input, deliveryDefaults });
      expect(errors[0].extensions.errors).toMatchObject([{ code }]);
    }
  });

  test('must be given something to change', async () => {
    const { errors } = await byPlatform('updateTenant', { id: '1' });
    expect(errors[0].extensions.errors).toMatchObject([{ code: 'nothing_to_change' }]);
  });
});
