import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Emit, EmitTarget } from '../../src/domain/events/emit.js';
import { redeliver } from '../../src/operations/deliveries/redeliver.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { couponEmit } from '../support/factories.js';
import { answer } from '../support/receiver.js';

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open({ RETRY_BASE_SECONDS: '0.05' });
});
afterAll(() => stack[Symbol.asyncDispose]());

const emit = async (to: EmitTarget[], more: Partial<Emit> = {}) => {
  const [result] = await stack.services.emitter.emit([couponEmit(stack.tenantId, { to, ...more })]);
  return (result as { eventId: number }).eventId;
};

test('a delivery goes to the address that its event names, at each attempt and when it is sent again', async () => {
  const receiver = await stack.endpoint();
  await stack.rows(`insert into hookwright.webhook_options (webhook_id, tenant_id, callback)
                    values (${receiver.webhookId}, ${stack.tenantId}, true)`);
  await stack.rows(`update hookwright.webhooks set url = url || '/base?key=1' where id = ${receiver.webhookId}`);
  let answers = 0;
  receiver.answerWith((request, response) => answer(answers++ === 0 ? 500 : 200)(request, response));
  stack.startDaemon();
  const id = await emit([{ webhookId: receiver.webhookId, path: '/actions/7f3?x=1' }]);
  await stack.reaches(id, 'SUCCEEDED');
  const [delivery] = await stack.rows<{ id: number }>(`select id from hookwright.deliveries where event_id = ${id}`);
  await redeliver(stack.services.db, stack.tenantId, Number(delivery!.id), commandLine);
  await stack.reaches(id, 'SUCCEEDED');
  const urls = receiver.received.map(({ path }) => path.replace(/^\/[^/?]*(?=\/base)/, ''));
  expect(new Set(urls.map((one) => one.slice(one.indexOf('/base'))))).toEqual(new Set(['/base/actions/7f3?key=1&x=1']));
  expect(urls.length).toBeGreaterThanOrEqual(3);
  const [attempt] = await stack.rows<{ url: string }>('select url from hookwright.attempts limit 1');
  expect(attempt!.url).not.toContain('7f3');
});
