import { expect, test } from 'vitest';
import { wholeLog } from '../../src/api/graphql/tenants/audit-log.js';
import { readFailuresOfWebhooks } from '../../src/operations/explorer/read-backlog.js';
import { tenantEntityManager } from '../../src/platform/database/tenant-database.js';
import { ManyWebhooks } from '../support/many-webhooks.js';
import { plansOf } from '../support/plans.js';

/** Pages of a tenant or an endpoint with many more rows than Postgres expects: it need not read all of them. */

const TENANT = 1;
const WEBHOOK = 1;
/** Each row of them is among so many, so hardly two are in one block. */
const ONE_IN = 50;
const OTHERS = 2_000;
const ENTRIES = 150_000;
const DELIVERIES_A_DAY = 40_000;
const DAYS = 8;

const owner = `case when n % ${ONE_IN} = 0 then ${TENANT} else 2 + n % ${OTHERS} end`;
const fill = [
  `select hookwright.make_partition('deliveries', current_date - ago) from generate_series(0, ${DAYS}) ago`,
  `insert into hookwright.tenants (id, name, data_key, data_key_kid) overriding system value
  select n, 'tenant ' || n, '', 'test' from generate_series(1, ${OTHERS + 1}) n`,
  `alter table hookwright.audit_log disable trigger note_entry`,
  `insert into hookwright.audit_log (tenant_id, actor, action, target_type, target_id, after)
  select ${owner}, 'SERVICE', 'WEBHOOK_UPDATED', 'WEBHOOK', n::text, repeat('x', 300)
  from generate_series(1, ${ENTRIES}) n`,
  `insert into hookwright.deliveries
    (id, tenant_id, event_id, webhook_id, event_type, status, due_at, last_error_code, last_status_code)
  select hookwright.id_at(now() - day * interval '1 day') + n, ${owner}, 1, ${owner}, 'coupon.applied', 'FAILED', now(),
         'HTTP_ERROR', 500
  from generate_series(0, ${DAYS - 1}) day, generate_series(1, ${DELIVERIES_A_DAY}) n`,
];

const many = new ManyWebhooks(fill);
const blocksOf = async (tenantId: number, work: () => Promise<unknown>) =>
  (await plansOf(many.db.pool, tenantId, work)).reduce((sum, { blocks }) => sum + blocks, 0);

test("a page of a tenant's audit log is read from the newest entry", async () => {
  const page = wholeLog({ em: tenantEntityManager(many.db.orm.em, TENANT) }, TENANT);
  const read = () => page({ above: null, below: null, order: 'desc', limit: 51 });
  expect(await read()).toHaveLength(51);
  expect(await blocksOf(TENANT, read)).toBeLessThanOrEqual(200);
});

test('the failures of a webhook are counted from its newest delivery', async () => {
  const read = () => readFailuresOfWebhooks(many.db, TENANT, [WEBHOOK]);
  expect([...(await read()).values()].flat()).toEqual([{ id: WEBHOOK, errorCode: 'HTTP_ERROR', deliveries: 400 }]);
  expect(await blocksOf(TENANT, read)).toBeLessThanOrEqual(1_000);
});
