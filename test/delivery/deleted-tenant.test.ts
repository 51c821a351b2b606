import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteTenant } from '../../src/operations/tenants/delete-tenant.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { OutboxApplication } from '../support/outbox-application.js';
import { type Receiver, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Receiver;
beforeAll(async () => {
  [stack, receiver] = await Promise.all([DeliveryStack.open(), startReceiver()]);
});
afterAll(() => Promise.all([stack?.[Symbol.asyncDispose](), receiver?.close()]));

const remove = async (id: number) => {
  const [tenant] = await stack.rows<{ name: string }>(`select name from hookwright.tenants where id = ${id}`);
  await deleteTenant(stack.services.db, { tenantId: id, name: tenant!.name }, commandLine);
};
const statesOf = async (tenantId: number) =>
  (await stack.deliveries(`tenant_id = ${tenantId}`)).map(({ status, cancel_reason }) => cancel_reason ?? status);

test('what a deleted tenant still had to send is canceled, what is in flight is recorded, and others go on', async () => {
  const { services } = stack;
  const inFlight: ServerResponse[] = [];
  receiver.answerWith((request, response) => {
    if (request.path === '/slow') {
      inFlight.push(response);
    } else {
      response.end();
    }
  });
  const { id: leaving } = await makeTenant(services);
  const slow = await makeWebhook(services, leaving, { url: new URL('/slow', receiver.url).href });
  await emitMany(services, leaving, 1);
  const paused = await makeWebhook(services, leaving, { url: receiver.url });
  await updateWebhook(services.db, leaving, paused.id, { active: false }, 168, commandLine);
  stack.startDaemon();
  await eventually(() => inFlight.length === 1);
  await stack.rows(`update hookwright.webhooks set closed_until = now() + interval '1 hour' where id = ${slow.id}`);
  await emitMany(services, leaving, 3);
  await makeWebhook(services, stack.tenantId, { url: receiver.url });

  await remove(leaving);
  await stack.emit();
  await eventually(async () => (await statesOf(stack.tenantId))[0] === 'SUCCEEDED');
  await eventually(async () => !(await statesOf(leaving)).some((state) => /PENDING|HELD/.test(state)));
  expect(await statesOf(leaving)).toEqual(Array.from({ length: 7 }, () => 'WEBHOOK_DELETED'));
  inFlight[0]!.end();
  const attempts = () => stack.rows(`select status_code from hookwright.attempts where tenant_id = ${leaving}`);
  await eventually(async () => (await attempts()).length > 0);
  expect(await attempts()).toEqual([{ status_code: 200 }]);
  expect(receiver.received.filter(({ path }) => path !== '/slow')).toHaveLength(1);
});

test('an outbox emits for it no more, and its grant is not shown', async () => {
  const { id } = await makeTenant(stack.services);
  await using shop = await OutboxApplication.open(stack, [id]);
  const emit = () =>
    shop.pool.query(`select hookwright.emit($1, 'coupon.applied', '{"code":"A","discount_type":"B"}')`, [id]);
  await emit();
  await remove(id);
  await expect(emit()).rejects.toMatchObject({ code: 'HW001', message: 'There is no such tenant.' });
  await expect(
    stack.rows(`select hookwright.emit(${id}, 'coupon.applied', '{"code":"A","discount_type":"B"}')`),
  ).rejects.toMatchObject({ code: 'HW001' });
});
