import { expect, test } from 'vitest';
import { BulkSite } from '../support/bulk-operations.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';
import { slowness } from '../support/machine-speed.js';

test('a chunk that waits for a delivery has its webhooks locked for a part of a second', async () => {
  await using site = await BulkSite.open();
  const webhookId = await site.webhook();
  const [, id] = await site.past(4, { webhookId, status: "'PENDING'" });
  await using _lock = await lockRow(site.api.databaseUrl, 'deliveries', id!);
  const { operation } = await site.start('cancelDeliveries', { filter: { status: 'PENDING' } });
  const limitMs = 700 * (await slowness());
  const chunk = site.runChunk(operation.id, 4);
  await eventually(async () => (await site.rows(lockWaits)).length === 1);
  const waitingFrom = performance.now();
  await using _webhook = await lockRow(site.api.databaseUrl, 'webhooks', webhookId);
  expect(performance.now() - waitingFrom).toBeLessThan(limitMs);
  await chunk;
});
