import { afterEach, expect, test } from 'vitest';
import { askEndpoints } from '../../daemon/duties/ask-endpoints.js';
import { ratePerSecondOf } from '../../src/domain/challenges/challenge.js';
import { type Asked, takeDueAsks } from '../../src/operations/challenges/take-due.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { type Answer, answer, type Receiver, startReceiver } from '../support/receiver.js';

/** What a proof is one of and what it changes, and the turns in which endpoints are asked for it. */

let stack: DeliveryStack;
const receivers: Receiver[] = [];
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiver(respond: Answer): Promise<Receiver> {
  const made = await startReceiver(respond);
  receivers.push(made);
  return made;
}

const create = (url: string, more: object = {}, tenantId = stack.tenantId) => {
  const { db, vault, random } = stack.services;
  const challenge = { holdHours: 1 };
  const wanted = { tenantId, url, eventTypes: ['*'], challenge, webhooksMax: 1_000, actor: commandLine, ...more };
  return createWebhook(db, vault, random, wanted);
};

async function askDue(): Promise<void> {
  const sweep = askEndpoints(stack.services, stack.deliverer().challenges);
  await sweep.work();
  await sweep.end!();
}

const allows = (rate: string): Answer => answer(200, { 'WebHook-Allowed-Origin': '*', 'WebHook-Allowed-Rate': rate });
const rateOf = async (id: number) =>
  (
    await stack.rows<{ rate: number | null }>(`
    select rate_per_second as rate from hookwright.webhook_options where webhook_id = ${id}`)
  )[0]?.rate ?? null;
const stateOf = async (id: number) =>
  (
    await stack.rows(`
    select w.active, w.disabled_reason as reason, v.status from hookwright.webhooks w
    join hookwright.verifications v on v.webhook_id = w.id where w.id = ${id}`)
  )[0];

/** The endpoint's answer waits. */
async function whileAsking(respond: Answer, more: object = {}) {
  let go: (() => void) | undefined;
  const endpoint = await receiver((request, response) => {
    go = () => respond(request, response);
  });
  const { id } = await create(endpoint.url, more);
  const asking = askDue();
  const answerNow = await eventually(() => go);
  return {
    id,
    url: endpoint.url,
    respond: () => {
      answerNow();
      return asking;
    },
  };
}

test('a rate that is higher than any that people can set is no limit, and one that is lower is the lowest', async () => {
  expect([60_001, 60_000, 90, 1, 0.3].map(ratePerSecondOf)).toEqual([null, 1_000, 1.5, 1 / 60, 0.01]);
  stack = await DeliveryStack.open();
  const { id } = await create((await receiver(allows('120000'))).url);
  await askDue();
  expect(await stateOf(id)).toMatchObject({ active: true, status: 'VERIFIED' });
  expect(await rateOf(id)).toBeNull();
});

test('a rate that its owner has lowered while the endpoint was asked stays', async () => {
  stack = await DeliveryStack.open();
  const { id, respond } = await whileAsking(allows('600'), { ratePerSecond: 50 });
  await stack.change(id, { ratePerSecond: 1, challenge: true });
  await respond();
  expect([(await stateOf(id))!, await rateOf(id)]).toMatchObject([{ status: 'VERIFIED' }, 1]);
});

test('a rate that the tenant has stays, if it is lower', async () => {
  stack = await DeliveryStack.open();
  await stack.rows(`update hookwright.tenants set rate_per_second = 2 where id = ${stack.tenantId}`);
  const [high, low] = [
    await create((await receiver(allows('600'))).url),
    await create((await receiver(allows('60'))).url),
  ];
  await askDue();
  expect([await rateOf(high.id), await rateOf(low.id)]).toEqual([null, 1]);
});

test('a proof counts, though the url has another query meanwhile', async () => {
  stack = await DeliveryStack.open();
  const { id, url, respond } = await whileAsking(allows('*'));
  await stack.change(id, { url: `${url}?key=2`, challenge: true });
  await respond();
  expect(await stateOf(id)).toMatchObject({ active: true, reason: null, status: 'VERIFIED' });
});

test('hosts are counted as the same, however they are written and whatever their port is', async () => {
  stack = await DeliveryStack.open();
  for (const url of ['http://EXAMPLE.com.:8080/a', 'https://example.com/b', 'https://example.com.:444/c']) {
    await create(url);
  }
  expect(await stack.rows('select distinct host from hookwright.verifications')).toEqual([{ host: 'example.com' }]);
});

test('a hundred silent endpoints of one tenant keep no other tenant waiting, who have their turns before', async () => {
  stack = await DeliveryStack.open();
  const { db, vault } = stack.services;
  for (let made = 0; made < 100; made += 1) {
    await create(`https://silent-${made}.example.com/`);
  }
  const begun: Asked[] = [];
  const silent = {
    mayAsk: true,
    ask: (asked: Asked) => {
      begun.push(asked);
      return new Promise<void>(() => {});
    },
  };
  const sweep = askEndpoints(stack.services, silent);
  await sweep.work();
  await sweep.work();
  expect(begun).toHaveLength(10);
  const tenants = [
    await createTenant(db, vault, 'two', commandLine),
    await createTenant(db, vault, 'three', commandLine),
  ];
  for (const { id } of [...tenants, ...tenants]) {
    await create(`https://of-${id}.example.com/`, {}, id);
  }
  await sweep.work();
  expect(
    begun
      .slice(10)
      .map(({ tenantId }) => tenantId)
      .sort(),
  ).toEqual(tenants.flatMap(({ id }) => [id, id]).sort());
  // Another daemon with room for three gives each tenant one turn.
  await stack.rows('update hookwright.verifications set next_at = now()');
  const taken = await takeDueAsks(db.pool, 3);
  expect(new Set(taken.map(({ tenantId }) => tenantId)).size).toBe(3);
});
