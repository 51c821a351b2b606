import pg from 'pg';
import { expect, test } from 'vitest';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { startReceiver } from '../support/receiver.js';

const WITHIN_MS = 20_000;

test('a webhook whose row another session has locked keeps its outcomes, is sent nothing, and holds up no other', async () => {
  await using stack = await DeliveryStack.open();
  await using receiver = await startReceiver();
  const locked = await stack.webhook(`${receiver.url}/locked`);
  const other = await stack.webhook(`${receiver.url}/other`);
  const sentTo = (path: string) =>
    receiver.received.filter((request) => request.path === `/hook${path}`).length;
  const succeeded = async (webhookId: number) =>
    (await stack.deliveries(`status = 'SUCCEEDED' and webhook_id = ${webhookId}`)).length;
  const session = new pg.Client(stack.databaseUrl);
  await session.connect();
  try {
    await session.query('begin');
    await session.query(`select from hookwright.webhooks where id = ${locked.id} for update`);
    stack.startDaemon();
    await stack.emit();
    await eventually(async () => (await succeeded(other.id)) === 1, WITHIN_MS);
    // Soon it is known that the other's row is locked: then what comes waits, without an attempt.
    let events = 1;
    await eventually(async () => {
      const before = sentTo('/locked');
      await stack.emit();
      events += 1;
      await eventually(async () => (await succeeded(other.id)) === events, WITHIN_MS);
      return sentTo('/locked') === before;
    }, WITHIN_MS);
    expect(sentTo('/locked')).toBeLessThan(events);
    expect(await succeeded(locked.id)).toBe(0);

    await session.query('rollback');
    await eventually(async () => (await succeeded(locked.id)) === events, WITHIN_MS);
    expect(sentTo('/locked')).toBe(events); // nothing was sent twice
    const attempts = await stack.rows('select from hookwright.attempts where number > 1');
    expect(attempts).toEqual([]);
  } finally {
    await session.end();
  }
}, 60_000);
