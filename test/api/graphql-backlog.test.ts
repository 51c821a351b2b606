import pg from 'pg';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { HELD_SHOWN_MAX } from '../../src/domain/deliveries/health-limits.js';
import { TENANT_COUNT_MAX, WEBHOOK_COUNT_MAX } from '../../src/operations/explorer/read-backlog.js';
import { makeTenant, makeWebhook, type TestTenant } from '../support/factories.js';
import { GraphqlApi, nodesOf } from '../support/graphql-api.js';

let tenant: TestTenant;
let webhookId: number;
const api = await GraphqlApi.open();
afterAll(() => api.close());
beforeEach(async () => {
  tenant = await makeTenant(api.services);
  webhookId = (await makeWebhook(api.services, tenant.id)).id;
});

/** Deliveries in a state, due so many seconds from now. */
async function make(count: number, status: string, dueIn: number, of = webhookId): Promise<void> {
  await api.owner.query(
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at)
     select hookwright.next_id(), $1, 1, $2, 'coupon.applied', $3::hookwright.delivery_status,
            now() + $4 * interval '1 second'
     from generate_series(1, $5::integer)`,
    [tenant.id, of, status, dueIn, count],
  );
}

const backlog = 'backlog { due oldestDueAt scheduled held countMax }';
const ofTenant = async (as = tenant) => (await api.by(as).read(`{ ${backlog} }`)).backlog;
const ofWebhook = async (id = webhookId, as = tenant) =>
  (await api.ask(`{ webhook(id: "${id}") { heldCount ${backlog} } }`, {}, as)).data.webhook;
const secondsAgo = (time: string) => (Date.now() - Date.parse(time)) / 1000;

test('what a webhook holds is counted once, however often it is asked for', async () => {
  await make(3, 'HELD', -60);
  const statements = vi.spyOn(pg.Client.prototype, 'query');
  const query = '{ deliveries(first: 3) { edges { node { webhook { heldCount again: heldCount } } } } }';
  const { deliveries } = await api.by(tenant).read(query);
  const counts = statements.mock.calls
    .map(([statement]) => statement as unknown as { name?: string; values: unknown[] })
    .filter(({ name }) => name === 'count_held');
  statements.mockRestore();
  const node = { webhook: { heldCount: 3, again: 3 } };
  expect(nodesOf(deliveries)).toEqual([node, node, node]);
  expect(counts.map(({ values }) => values[1])).toEqual([[webhookId]]);
});

describe('the backlog', () => {
  test('of nothing is nothing', async () => {
    const nothing = { due: 0, oldestDueAt: null, scheduled: 0, held: 0 };
    expect(await ofTenant()).toEqual({ ...nothing, countMax: TENANT_COUNT_MAX });
    expect((await ofWebhook()).backlog).toEqual({ ...nothing, countMax: WEBHOOK_COUNT_MAX });
  });

  test('tells what waits for pauses, and since when the rest is due: not what waits for a rate or a probe', async () => {
    const ask = async (as = tenant) =>
      (await api.by(as).read('{ closedBacklog { due webhooks until oldestOtherDueAt } }')).closedBacklog;
    const [closed, rated, probed, paused] = (
      await Promise.all(Array.from({ length: 4 }, () => makeWebhook(api.services, tenant.id)))
    ).map(({ id }) => id) as [number, number, number, number];
    expect(await ask()).toEqual({ due: 0, webhooks: 0, until: null, oldestOtherDueAt: null });
    for (const [index, id] of [closed, rated, probed, paused].entries()) {
      await make(2, 'PENDING', -3_600 + index, id);
    }
    await make(1, 'PENDING', 600, closed);
    await make(1, 'PENDING', -60);
    await api.owner.query(
      `update hookwright.webhooks set closed_until = now() + interval '1 hour', active = id = $1
       where id = any($2::bigint[])`,
      [closed, [closed, paused]],
    );
    await api.owner.query(`insert into hookwright.endpoint_rates values ($1, now() + interval '1 minute')`, [rated]);
    await api.owner.query(`update hookwright.webhooks set next_probe_at = now() + interval '1 minute' where id = $1`, [
      probed,
    ]);
    const found = await ask();
    expect(found).toMatchObject({ due: 2, webhooks: 1 });
    expect(Date.parse(found.until)).toBeGreaterThan(Date.now() + 3_000_000);
    // Those of the inactive webhook are still to be held.
    expect(secondsAgo(found.oldestOtherDueAt)).toBeGreaterThan(3_000);
    await api.owner.query(`delete from hookwright.deliveries where webhook_id = $1`, [paused]);
    expect(secondsAgo((await ask()).oldestOtherDueAt)).toBeLessThan(1_200);
    const stranger = await makeTenant(api.services);
    expect(await ask(stranger)).toEqual({ due: 0, webhooks: 0, until: null, oldestOtherDueAt: null });
  });

  test('tells what is due, and since when, from what is scheduled and held; what is finished does not count', async () => {
    await make(2, 'PENDING', -600);
    await make(1, 'PENDING', -60);
    await make(4, 'PENDING', 600);
    await make(5, 'HELD', -6000);
    for (const status of ['SUCCEEDED', 'FAILED', 'CANCELED']) {
      await make(1, status, -6000);
    }
    for (const found of [await ofTenant(), (await ofWebhook()).backlog]) {
      expect(found).toMatchObject({ due: 3, scheduled: 4, held: 5 });
      expect(secondsAgo(found.oldestDueAt)).toBeGreaterThanOrEqual(600);
      expect(secondsAgo(found.oldestDueAt)).toBeLessThan(1200);
    }
    expect((await ofWebhook()).heldCount).toBe(5);
  });

  test('of the tenant is that of all its webhooks, and of no other tenant', async () => {
    const { id: second } = await makeWebhook(api.services, tenant.id);
    await make(2, 'PENDING', -60);
    await make(3, 'PENDING', -600, second);
    const stranger = await makeTenant(api.services);
    const found = await ofTenant();
    expect(found.due).toBe(5);
    expect(secondsAgo(found.oldestDueAt)).toBeGreaterThanOrEqual(600);
    expect(await ofTenant(stranger)).toMatchObject({ due: 0, oldestDueAt: null });
    expect(await ofWebhook(webhookId, stranger)).toBeNull();
  });

  test('of a deleted webhook is on its way out, and does not count', async () => {
    await make(2, 'PENDING', -60);
    await api.owner.query('update hookwright.webhooks set deleted_at = now() where id = $1', [webhookId]);
    expect((await ofTenant()).due).toBe(0);
  });

  test('is counted exactly below its limits, and ends there', async () => {
    await make(WEBHOOK_COUNT_MAX - 1, 'PENDING', -60);
    await make(WEBHOOK_COUNT_MAX - 1, 'HELD', -60);
    expect(await ofWebhook()).toMatchObject({
      heldCount: WEBHOOK_COUNT_MAX - 1,
      backlog: { due: WEBHOOK_COUNT_MAX - 1, held: WEBHOOK_COUNT_MAX - 1 },
    });
    await make(1, 'PENDING', -6000);
    await make(2, 'HELD', -60);
    await make(WEBHOOK_COUNT_MAX + 5, 'PENDING', 60);
    const { heldCount, backlog: counted } = await ofWebhook();
    expect(counted).toMatchObject({ due: WEBHOOK_COUNT_MAX, scheduled: WEBHOOK_COUNT_MAX, held: WEBHOOK_COUNT_MAX });
    expect(heldCount).toBe(WEBHOOK_COUNT_MAX + 1);
    expect(secondsAgo(counted.oldestDueAt)).toBeGreaterThanOrEqual(6000);
    expect(await ofTenant()).toMatchObject({
      due: WEBHOOK_COUNT_MAX,
      scheduled: WEBHOOK_COUNT_MAX + 5,
      held: WEBHOOK_COUNT_MAX + 1,
    });
    await make(TENANT_COUNT_MAX - WEBHOOK_COUNT_MAX - 1, 'PENDING', -60);
    expect((await ofTenant()).due).toBe(TENANT_COUNT_MAX - 1);
    await make(5, 'PENDING', -60);
    expect((await ofTenant()).due).toBe(TENANT_COUNT_MAX);
  });

  test('has a count of held ones that goes further, to a thousand', async () => {
    await make(HELD_SHOWN_MAX - 1, 'HELD', 0);
    expect((await ofWebhook()).heldCount).toBe(HELD_SHOWN_MAX - 1);
    await make(5, 'HELD', 0);
    expect((await ofWebhook()).heldCount).toBe(HELD_SHOWN_MAX);
  });

  test('of many webhooks is counted for each', async () => {
    for (let i = 0; i < 5; i++) {
      const { id } = await makeWebhook(api.services, tenant.id);
      await make(i, 'PENDING', -60, id);
    }
    const { webhooks } = await api.by(tenant).read('{ webhooks { edges { node { backlog { due } } } } }');
    expect(nodesOf(webhooks).map(({ backlog }) => backlog.due)).toEqual([4, 3, 2, 1, 0, 0]);
  });
});
