import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockWaits } from '../support/lock-waits.js';
import { openTransaction } from '../support/locks.js';
import { answer } from '../support/receiver.js';

describe.each([-300, 300])('the clock of a daemon, %i s away from that of Postgres,', (seconds) => {
  let stack: DeliveryStack;
  let receiver: Endpoint;
  let daemon: Daemon;

  beforeEach(async () => {
    stack = await DeliveryStack.open({ MAX_RETRIES: '0' });
    receiver = await stack.endpoint();
    daemon = new Daemon({ ...stack.services, clock: () => new Date(Date.now() + seconds * 1_000) });
  });
  afterEach(async () => {
    await daemon.stop();
    await stack[Symbol.asyncDispose]();
  });

  test.each([
    ['jobs', false],
    ['claims', true],
  ])('neither shortens nor lengthens the overlap of a rotation, for deliveries by %s', async (_, claims) => {
    if (claims) {
      await eventually(() => daemon.running);
      stack.services.emitter.claimFor(daemon.claims);
    }
    const { db, vault, random } = stack.services;
    const rotation = { webhookId: receiver.webhookId, overlapHours: 1, by: commandLine };
    const { secret } = await rotateSecret(db, vault, random, stack.tenantId, rotation);
    const signer = async (leftSeconds: number) => {
      await stack.rows(`update hookwright.webhooks
                        set previous_secret_expires_at = now() + ${leftSeconds} * interval '1 second'`);
      const before = receiver.received.length;
      await stack.emit();
      const { headers, body } = await eventually(() => receiver.received[before]);
      const signed = (by: string) => `sha256=${createHmac('sha256', by).update(body).digest('hex')}`;
      return headers['x-service-signature'] === signed(secret) ? 'new' : 'old';
    };
    expect(await signer(60)).toBe('old');
    expect(await signer(-60)).toBe('new');
  });

  test('does not say when a webhook failed: it was before it was disabled', async () => {
    receiver.answerWith(answer(410));
    await stack.emit();
    const { disabled_at: disabledAt, last_failure_at: failedAt } = await eventually(async () => {
      const row = await stack.webhookRow(receiver.webhookId);
      return !row.active && row;
    });
    const beforeMs = disabledAt!.getTime() - failedAt!.getTime();
    expect(beforeMs).toBeGreaterThanOrEqual(0);
    expect(beforeMs).toBeLessThan(60_000);
  });
});

test('an attempt starts once its secret is read, however long the database takes for that', async () => {
  await using stack = await DeliveryStack.open();
  await stack.endpoint();
  const eventId = await stack.emit();
  const lock = await openTransaction(stack.databaseUrl, 'lock table hookwright.tenants in access exclusive mode');
  // A process that has just started has read no tenant's key.
  const vault = new SecretVault(stack.services.db, stack.services.config.encryptionKeys ?? []);
  const daemon = new Daemon({ ...stack.services, vault });
  await eventually(async () => (await stack.rows(`${lockWaits} and query like '%data_key%'`)).length > 0);
  const readableFrom = new Date();
  await lock.letGo();
  await stack.reaches(eventId, 'SUCCEEDED');
  const [attempt] = await stack.rows<{ started_at: Date }>('select started_at from hookwright.attempts');
  expect(attempt!.started_at.getTime()).toBeGreaterThanOrEqual(readableFrom.getTime());
  await daemon.stop();
  await lock[Symbol.asyncDispose]();
});
