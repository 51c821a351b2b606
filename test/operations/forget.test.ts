import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { DeliveryStack } from '../support/delivery-stack.js';

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open();
});
afterEach(() => stack[Symbol.asyncDispose]());

/** More than one statement deletes. */
const MANY = 12_000;
const forget = (name: keyof typeof OLD_ROWS) => forgetOld(stack.services.db.pool, OLD_ROWS[name], 30);
const count = async (table: string) => (await stack.rows(`select from hookwright.${table}`)).length;

test('idempotency keys are forgotten after 7 days, however many there are', async () => {
  await stack.rows(
    `insert into hookwright.idempotency_keys (tenant_id, key, event_id, request_hash, created_at)
     select ${stack.tenantId}, 'key-' || n, n, '', now() - case when n <= ${MANY} then interval '8 days' else interval '6 days' end
     from generate_series(1, ${MANY + 3}) n`,
  );
  await forget('idempotency keys');
  expect(await count('idempotency_keys')).toBe(3);
});

test('traces are forgotten after 8 days, however many there are', async () => {
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
  await stack.rows(
    `insert into hookwright.event_traces (event_id, tenant_id, traceparent)
     select hookwright.id_at(now() - case when n <= ${MANY} then interval '8.1 days' else interval '7.9 days' end) + n,
            ${stack.tenantId}, '${traceparent}'
     from generate_series(1, ${MANY + 3}) n`,
  );
  await forget('traces');
  expect(await count('event_traces')).toBe(3);
});

test('portal sessions are forgotten when the retention is over, but for those that the audit log names', async () => {
  const made = await stack.rows<{ id: number; name: string }>(
    `insert into hookwright.api_keys
       (tenant_id, name, hash, scopes, expires_at, portal_id, portal_code_hash, portal_code_expires_at, portal_settings)
     select ${stack.tenantId}, name, '', '{}', now() - age, case when name <> 'key' then name end,
       case when name <> 'key' then ''::bytea end, case when name <> 'key' then now() end,
       case when name <> 'key' then '{}' end
     from (values ('old', interval '31 days'), ('old and used', '31 days'), ('young', '29 days'), ('key', '31 days'))
       as made (name, age)
     returning id, name`,
  );
  const used = made.find(({ name }) => name === 'old and used')!.id;
  await stack.rows(
    `insert into hookwright.audit_log (tenant_id, actor, api_key_id, action, target_type, target_id)
     values (${stack.tenantId}, 'PORTAL_SESSION', ${used}, 'WEBHOOK_UPDATED', 'WEBHOOK', '1')`,
  );
  await forget('portal sessions');
  expect(await stack.rows(`select name from hookwright.api_keys order by name`)).toEqual(
    ['key', 'old and used', 'young'].map((name) => ({ name })),
  );
});

test('contents are kept until no delivery can name them', async () => {
  await stack.rows(
    `insert into hookwright.webhook_contents (tenant_id, webhook_id, format, ended_at)
     values (${stack.tenantId}, 1, 'SLACK', null), (${stack.tenantId}, 1, 'TEAMS', now() - interval '31.9 days'),
            (${stack.tenantId}, 1, 'DISCORD', now() - interval '32.1 days')`,
  );
  await forget('contents');
  expect(await stack.rows(`select format from hookwright.webhook_contents order by format`)).toEqual([
    { format: 'SLACK' },
    { format: 'TEAMS' },
  ]);
});

test('scheduled events are forgotten 30 days after their end; open ones stay', async () => {
  await stack.rows(
    `insert into hookwright.scheduled_events (tenant_id, event_type, body, deliver_at, due_at, status, finished_at)
     select ${stack.tenantId}, 'coupon.applied', name, now() - interval '1 year', now(), status, now() - age
     from (values ('open', 'SCHEDULED', null), ('young', 'EMITTED', interval '29.9 days'),
                  ('old', 'CANCELED', interval '30.1 days')) as made (name, status, age)`,
  );
  await forget('scheduled events');
  expect(await stack.rows(`select body from hookwright.scheduled_events order by body`)).toEqual([
    { body: 'open' },
    { body: 'young' },
  ]);
});
