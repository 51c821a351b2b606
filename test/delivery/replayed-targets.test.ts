import { afterAll, expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { dataOf } from '../support/graphql-api.js';

/** Replays of events that name their webhooks: only these get them again, at the same paths. */

const site = await BulkSite.open();
afterAll(() => site[Symbol.asyncDispose]());

const emit = async (to?: object[]) => {
  const payload = { code: 'X', discount_type: 'fixed' };
  const input = { eventType: 'coupon.applied', payload, ...(to && { to }) };
  const { result } = dataOf(await site.mutate('emitEvent', input, 'event { id }'));
  return result.event.id as string;
};
const replay = async (webhookId: number) => {
  const since = new Date(Date.now() - 60_000).toISOString();
  const input = { webhookId: `wh_${webhookId}`, filter: { since }, includeDelivered: true };
  const { operation } = await site.start('replayEvents', input);
  return await site.reaches(operation.id, 'COMPLETED');
};
const pathsOf = async (webhookId: number) => {
  const rows = await site.rows<{ event_id: string; path: string | null }>(
    `select event_id, path from hookwright.deliveries where webhook_id = ${webhookId} order by id`,
  );
  return rows.map(({ event_id, path }) => `ev_${event_id} ${path}`);
};

test('a replay sends an event with targets to these alone, to the paths from before', async () => {
  const [callback, named, other] = [await site.webhook(), await site.webhook(), await site.webhook()];
  const change = { id: `wh_${callback}`, delivery: { callback: true } };
  dataOf(await site.mutate('updateWebhook', change, 'webhook { id }'));
  const daemon = site.startDaemon();
  const chosen = await emit([{ webhookId: `wh_${callback}`, path: '/a?x=1' }, { webhookId: `wh_${named}` }]);
  const again = await emit([{ webhookId: `wh_${callback}`, path: '/b' }]);
  const forAll = await emit();
  expect(await replay(callback)).toMatchObject({ affected: 2 });
  expect(await pathsOf(callback)).toEqual([`${chosen} /a?x=1`, `${again} /b`, ...[`${chosen} /a?x=1`, `${again} /b`]]);
  expect(await replay(named)).toMatchObject({ affected: 2 });
  expect(await pathsOf(named)).toEqual([`${chosen} null`, `${forAll} null`, `${chosen} null`, `${forAll} null`]);
  expect(await replay(other)).toMatchObject({ affected: 1 });
  expect(await pathsOf(other)).toEqual([`${forAll} null`, `${forAll} null`]);
  await daemon.stop();
});
