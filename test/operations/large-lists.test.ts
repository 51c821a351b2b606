import { beforeAll, describe, expect, test } from 'vitest';
import { FAILING_COUNTED_MAX } from '../../src/domain/deliveries/health-limits.js';
import { INSTALLATION_TENANT } from '../../src/domain/installation/installation-tenant.js';
import { countDeliveries } from '../../src/operations/explorer/count-deliveries.js';
import { type DeliveryConditions, pageDeliveries } from '../../src/operations/explorer/page-deliveries.js';
import { countHeld, readClosedBacklogOfTenant, readTenantBacklog } from '../../src/operations/explorer/read-backlog.js';
import {
  countFailing,
  listFailingTenants,
  listFailingWebhooks,
} from '../../src/operations/installation/failing-webhooks.js';
import { readBacklogsOfTenants } from '../../src/operations/tenants/read-usage.js';
import { eventually } from '../support/eventually.js';
import { LARGEST, ManyWebhooks, tenantIds, webhookIds } from '../support/many-webhooks.js';

const many = new ManyWebhooks();
const bounds = { above: 0, below: Number.MAX_SAFE_INTEGER, order: 'desc', limit: 51 } as const;

/** Ids of the deliveries that a list shows, page by page. */
async function listed(filter: DeliveryConditions, order: 'asc' | 'desc'): Promise<number[]> {
  const ids: number[] = [];
  for (;;) {
    const last = ids.at(-1);
    const page = {
      ...bounds,
      order,
      limit: 700,
      ...(last === undefined ? {} : order === 'asc' ? { above: last } : { below: last }),
    };
    const more = await pageDeliveries(many.deps, LARGEST, filter, page);
    if (more.length === 0) {
      return ids;
    }
    ids.push(...more.map(({ id }) => id));
  }
}

/** What a plain query finds, which reads all. */
const plain = {
  open: (condition: string) =>
    many.rows<{ id: number }>(`
      select d.id::float8 as id from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
      where w.tenant_id = ${LARGEST} and ${condition} order by d.id`),
  backlogs: () =>
    many.rows<{ id: number }>(`
      select w.tenant_id::float8 as id, least(2500, count(*) filter (where due_at <= now() and status = 'PENDING'))::integer as due,
             least(2500, count(*) filter (where due_at > now() and status = 'PENDING'))::integer as scheduled,
             least(2500, count(*) filter (where status = 'HELD'))::integer as held, 0 as waiting, 2500 as "countMax",
             min(due_at) filter (where due_at <= now() and status = 'PENDING') as "oldestDueAt"
      from hookwright.webhooks w left join hookwright.deliveries d on d.webhook_id = w.id
      where w.tenant_id = any('{${tenantIds}}') group by 1`),
};

describe.each([
  ['few open deliveries', ''],
  [
    'many',
    `insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at, attempt_count)
     select hookwright.next_id(), ${LARGEST}, 1, 2 * (1 + n % 10000), 'a.b',
            (case when n % 2 = 0 then 'HELD' else 'PENDING' end)::hookwright.delivery_status,
            now() - n * interval '1 second', n / 2 % 2
     from generate_series(1, 12000) n`,
  ],
])('with %s', (_, more) => {
  beforeAll(async () => {
    await many.rows(more);
  });

  test.each<[DeliveryConditions, string]>([
    [{ status: 'HELD' }, `status = 'HELD'`],
    [{ status: 'PENDING' }, `status = 'PENDING'`],
    [{ retrying: true }, `status = 'PENDING' and attempt_count > 0`],
  ])('all of %o are listed in both orders, and counted', async (filter, condition) => {
    const expected = (await plain.open(condition)).map(({ id }) => id);
    expect(await listed(filter, 'asc')).toEqual(expected);
    expect(await listed(filter, 'desc')).toEqual(expected.toReversed());
    // Null while the machine is too busy.
    expect(await eventually(() => countDeliveries(many.deps, LARGEST, filter, bounds))).toBe(
      Math.min(1_000, expected.length),
    );
  });

  test('backlogs are those of a plain count', async () => {
    const expected = new Map((await plain.backlogs()).map(({ id, ...counts }) => [id, counts]));
    const ofPage = await readBacklogsOfTenants(many.db, tenantIds);
    for (const [id, counts] of expected) {
      expect(ofPage.get(id)).toEqual({ id: undefined, ...counts });
    }
    expect(await readTenantBacklog(many.db, LARGEST)).toEqual(expected.get(LARGEST));
  });

  test('the oldest due delivery is found that does not wait for its endpoint', async () => {
    const due = await many.rows<{ webhook_id: string; active: boolean; due_at: Date }>(`
      select d.webhook_id, w.active, d.due_at from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
      where w.tenant_id = ${LARGEST} and status = 'PENDING' and due_at <= now() order by due_at limit 1000`);
    const oldest = due.find(({ active }) => active);
    await many.rows(`update hookwright.webhooks set closed_until = '2999-01-01' where id = ${oldest!.webhook_id}`);
    const other = due.find(({ webhook_id }) => webhook_id !== oldest!.webhook_id)!;
    const closed = await readClosedBacklogOfTenant(many.db, LARGEST);
    expect(closed).toMatchObject({ webhooks: 1, until: new Date('2999-01-01'), oldestOtherDueAt: other.due_at });
    expect(closed.due).toBe(
      (await plain.open(`d.webhook_id = ${oldest!.webhook_id} and status = 'PENDING' and due_at <= now()`)).length,
    );
    await many.rows('update hookwright.webhooks set closed_until = null where closed_until is not null');
  });

  test('held ones of a page of webhooks are counted', async () => {
    const held = await many.rows<{ id: number; held: number }>(`
      select webhook_id::float8 as id, count(*)::integer as held from hookwright.deliveries
      where status = 'HELD' and webhook_id = any('{${webhookIds}}') group by 1`);
    const counted = [...(await countHeld(many.db, LARGEST, webhookIds))].filter(([, count]) => count > 0);
    expect(counted.toSorted()).toEqual(held.map(({ id, held: count }) => [id, count]).toSorted());
  });
});

test('failing webhooks are counted, and ranked, as a plain query does', async () => {
  const counts = `count(*) filter (where disabled_reason = 'GONE')::integer as gone,
    count(*) filter (where disabled_reason = 'FAILURES')::integer as disabled,
    count(*) filter (where consecutive_failures = 3)::integer as failing`;
  expect([await countFailing(many.deps, INSTALLATION_TENANT)]).toEqual(
    await many.rows(`select ${counts} from hookwright.webhooks`),
  );
  const byTenant = await many.rows<{ tenantId: string }>(`
    select tenant_id::float8 as "tenantId", ${counts} from hookwright.webhooks
    where disabled_reason <> 'PAUSED' or consecutive_failures = 3 group by 1`);
  const listedTenants = await listFailingTenants(many.deps, 50, true);
  expect(listedTenants[0]).toMatchObject({ tenantId: LARGEST });
  for (const { since, held, ...own } of listedTenants) {
    expect(byTenant).toContainEqual(own);
  }
  const webhooks = await listFailingWebhooks(many.deps, 50, INSTALLATION_TENANT);
  expect(webhooks).toHaveLength(50);
  expect(webhooks.every(({ state }) => state !== 'FAILING')).toBe(true);
});

test('of very many failing webhooks no more are counted', async () => {
  await many.rows(`update hookwright.webhooks set active = false, disabled_reason = 'GONE' where id <= 2000`);
  expect((await countFailing(many.deps, INSTALLATION_TENANT)).gone).toBe(FAILING_COUNTED_MAX);
});
