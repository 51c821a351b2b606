import { Webhook as StandardWebhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { forgetPreviousSecrets } from '../../src/operations/webhooks/forget-previous-secrets.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { lockRow } from '../support/locks.js';
import { signatureOf } from '../support/operational-news.js';
import { answer, type Received } from '../support/receiver.js';

let stack: DeliveryStack;
let endpoint: Endpoint;

beforeEach(async () => {
  stack = await DeliveryStack.open();
  endpoint = await stack.endpoint();
});
afterEach(() => stack[Symbol.asyncDispose]());

async function rotate(overlapHours: number): Promise<string> {
  const { db, vault, random } = stack.services;
  const rotation = { webhookId: endpoint.webhookId, overlapHours, by: commandLine };
  return (await rotateSecret(db, vault, random, stack.tenantId, rotation)).secret;
}

/** Emits one event and waits for its request. */
async function deliver(): Promise<Received> {
  const before = endpoint.received.length;
  await stack.emit();
  return await eventually(() => endpoint.received[before]);
}

/** Whether the contract's header verifies with this secret. */
const contractIs = ({ headers, body }: Received, secret: string) =>
  headers['x-service-signature'] === signatureOf(secret, body);

/** Whether the Standard Webhooks header does, by the library of its receivers. */
function standardIs({ headers, body }: Received, secret: string): boolean {
  try {
    new StandardWebhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

describe('a rotated secret', () => {
  test('while the overlap lasts, receivers with the old secret go on verifying, and those with the new one can too', async () => {
    stack.startDaemon();
    const secret = await rotate(24);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{44}$/);
    const request = await deliver();
    expect(contractIs(request, endpoint.secret)).toBe(true);
    expect(standardIs(request, endpoint.secret)).toBe(true);
    expect(standardIs(request, secret)).toBe(true);
  });

  test('when the overlap is over, only the new one signs, and the old one is erased', async () => {
    const secret = await rotate(24);
    await stack.rows(`update hookwright.webhooks set previous_secret_expires_at = now() - interval '1 second'`);
    stack.startDaemon();
    const request = await deliver();
    expect(contractIs(request, secret)).toBe(true);
    expect(standardIs(request, secret)).toBe(true);
    expect(standardIs(request, endpoint.secret)).toBe(false);
    // Until the request's outcome is recorded its webhook may be locked.
    await stack.succeeded(1);
    await forgetPreviousSecrets(stack.services.db);
    expect(await kept()).toEqual([{ previous: false, until: null }]);
  });

  test('of a webhook that another session has locked is erased the next time, and waits with no other locked', async () => {
    await rotate(24);
    const other = await stack.webhook('https://receiver.example.com/');
    await stack.rows(
      `update hookwright.webhooks w set previous_secret_expires_at = now() - interval '1 second',
         previous_sealed_secret = sealed_secret`,
    );
    const left = () => stack.rows('select id from hookwright.webhooks where previous_sealed_secret is not null');
    await using lock = await lockRow(stack.databaseUrl, 'webhooks', other.id);
    await forgetPreviousSecrets(stack.services.db);
    expect(await left()).toEqual([{ id: other.id }]);
    await lock.letGo();
    await forgetPreviousSecrets(stack.services.db);
    expect(await left()).toEqual([]);
  });

  test('without an overlap the old one is worthless at once', async () => {
    stack.startDaemon();
    await deliver();
    const secret = await rotate(0);
    const request = await deliver();
    expect(contractIs(request, secret)).toBe(true);
    expect(standardIs(request, endpoint.secret)).toBe(false);
    expect(await kept()).toEqual([{ previous: false, until: null }]);
  });

  test('cannot be rotated again within the overlap, unless that ends it', async () => {
    await rotate(1);
    await expect(rotate(1)).rejects.toMatchObject({
      reason: 'rotation_under_way',
      detail: expect.stringMatching(/valid until \d{4}-.*\+00:00\. .*overlapHours: 0/),
    });
    const secret = await rotate(0);
    stack.startDaemon();
    expect(contractIs(await deliver(), secret)).toBe(true);
    await rotate(1); // the overlap has ended, so this is the first one again
  });

  test('is erased with its webhook, both of them', async () => {
    await rotate(1);
    await deleteWebhook(stack.services.db, stack.tenantId, endpoint.webhookId, commandLine);
    const rows = await stack.rows(
      'select length(sealed_secret) + coalesce(length(previous_sealed_secret), 0) as secrets from hookwright.webhooks',
    );
    expect(rows).toEqual([{ secrets: 0 }]);
  });

  test('retries sign with what is valid when they are made', async () => {
    endpoint.answerWith(answer(500));
    stack.startDaemon();
    const first = await deliver();
    expect(contractIs(first, endpoint.secret)).toBe(true);
    const secret = await rotate(0);
    endpoint.answerWith(answer(200));
    const later = await eventually(() => endpoint.received.find((one) => contractIs(one, secret)));
    expect(later.headers['x-service-delivery']).toBe(first.headers['x-service-delivery']);
  });

  test('rotated every few requests under load: every request verifies with a secret that was valid', async () => {
    stack.startDaemon();
    const secrets = [endpoint.secret];
    for (let rotation = 0; rotation < 20; rotation++) {
      const [secret] = await Promise.all([rotate(0), stack.emits(4)]);
      secrets.push(secret);
      const received = endpoint.received.length;
      await stack.emit();
      await eventually(() => endpoint.received.length > received);
    }
    await eventually(async () => (await stack.deliveries(`status <> 'SUCCEEDED'`)).length === 0);
    expect(endpoint.received.length).toBeGreaterThan(50);
    const used = endpoint.received.map((request) =>
      secrets.filter((secret) => contractIs(request, secret) && standardIs(request, secret)),
    );
    expect(used.every((one) => one.length === 1)).toBe(true);
    expect(new Set(used.flat()).size).toBeGreaterThan(10);
  });
});

const kept = () =>
  stack.rows(
    `select previous_sealed_secret is not null as previous, previous_secret_expires_at as until
     from hookwright.webhooks where id = ${endpoint.webhookId}`,
  );
