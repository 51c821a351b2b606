import { expect, test } from 'vitest';
import { PlatformAccess } from '../../src/operations/tenants/platform-access.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { makeKey } from '../support/factories.js';

test('that a platform key acts for a tenant is noted once an hour, however many requests come at once', async () => {
  await using stack = await DeliveryStack.open();
  const { services, tenantId } = stack;
  const { id: keyId } = await makeKey(services, null, ['platform:admin']);
  const by = { kind: 'PLATFORM_KEY', keyId, requestId: null } as const;
  let now = 0;
  const access = new PlatformAccess(services.db, () => now);
  const noteOften = () => Promise.all(Array.from({ length: 20 }, () => access.note(tenantId, by)));
  const noted = async () =>
    (await stack.rows(`select from hookwright.audit_log where action = 'TENANT_ENTERED'`)).length;
  await noteOften();
  expect(await noted()).toBe(1);
  now = 3_599_999;
  await noteOften();
  expect(await noted()).toBe(1);
  now = 3_600_000;
  await noteOften();
  expect(await noted()).toBe(2);
});

test('a note that could not be written is written with the next request', async () => {
  await using stack = await DeliveryStack.open();
  const { services, tenantId } = stack;
  const access = new PlatformAccess(services.db, () => 0);
  const by = (keyId: number) => ({ kind: 'PLATFORM_KEY', keyId, requestId: null }) as const;
  await expect(access.note(tenantId, by(999_999))).rejects.toThrow('audit_log_api_key_id_fkey');
  await stack.rows(`insert into hookwright.api_keys (id, name, hash, scopes) overriding system value
                    values (999999, 'late', '', '{platform:admin}')`);
  await access.note(tenantId, by(999_999));
  expect(await stack.rows(`select from hookwright.audit_log where action = 'TENANT_ENTERED'`)).toHaveLength(1);
});
