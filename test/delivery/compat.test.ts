import { createHmac, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import type { OwnSecrets } from '../../src/operations/webhooks/own-secrets.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { sealSettings } from '../../src/operations/webhooks/settings.js';
import { updateWebhook } from '../../src/operations/webhooks/update-webhook.js';
import { readConfig } from '../../src/platform/settings/config.js';
import { BulkSite } from '../support/bulk-operations.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponPayload } from '../support/factories.js';
import { dataOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { changeJobs, countJobs, ofDelivery } from '../support/jobs.js';
import { answer, type Received, startReceiver } from '../support/receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Requests that are signed as by a former system too, at receivers that verify them as they always have. */

const file = join(temporaryFolder(), 'forms.json');
const acme = {
  header: 'X-Acme-Signature',
  content: '{id}|{timestamp}|{body}',
  value: 'sha1={signature}',
  join: ';',
  algorithm: 'sha1',
  also: { 'X-Acme-Id': '{id}', 'X-Acme-Event': '{type}' },
};
writeFileSync(file, JSON.stringify({ acme, hmac: { header: 'X-Acme-Hmac', content: '{body}' } }));

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open({ SIGNATURE_FORMS: file });
  stack.startDaemon();
});
afterAll(() => stack[Symbol.asyncDispose]());

async function change({ webhookId }: Endpoint, settings: object): Promise<void> {
  await stack.change(webhookId, await sealSettings(stack.services.vault, stack.tenantId, webhookId, settings));
}

async function rotate({ webhookId }: Endpoint, overlapHours: number): Promise<string> {
  const { db, vault, random } = stack.services;
  return (await rotateSecret(db, vault, random, stack.tenantId, { webhookId, overlapHours, by: commandLine })).secret;
}

/** Emits one event and waits for its request. */
async function deliver({ received }: Endpoint, payload?: unknown): Promise<Received> {
  const before = received.length;
  await stack.emit('coupon.applied', payload);
  return await eventually(() => received[before]);
}

const hmac = (algorithm: string, secret: string | Buffer, ...parts: (string | Buffer)[]) =>
  parts.reduce((made, part) => made.update(part), createHmac(algorithm, secret));

/** How receivers of these systems verify: by what is in the request and in their own settings. */
const verifiers: Record<string, (request: Received, secret: string) => boolean> = {
  convoy({ headers, body }, secret) {
    const parts = String(headers['x-convoy-signature'])
      .split(',')
      .map((part) => part.split('=') as [string, string]);
    const time = parts.find(([name]) => name === 't')?.[1] ?? '';
    const expected = hmac('sha256', secret, `${time},`, body).digest('hex');
    return isNow(time) && parts.some(([name, value]) => name === 'v1' && value === expected);
  },
  'convoy-simple': ({ headers, body }, secret) =>
    headers['x-convoy-signature'] === hmac('sha256', secret, body).digest('hex'),
  outpost({ headers, body }, secret) {
    const header = String(headers['x-outpost-signature']);
    const expected = hmac('sha256', secret, body).digest('hex');
    return header.startsWith('v0=') && header.slice('v0='.length).split(',').includes(expected);
  },
  svix({ headers, body }, secret) {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const signed = `${headers['svix-id']}.${headers['svix-timestamp']}.`;
    const expected = `v1,${hmac('sha256', key, signed, body).digest('base64')}`;
    return String(headers['svix-signature']).split(' ').includes(expected) && isNow(headers['svix-timestamp']);
  },
  acme({ headers, body }, secret) {
    const { 'x-acme-signature': signature, 'x-acme-id': id, 'x-service-timestamp': time } = headers;
    const expected = `sha1=${hmac('sha1', secret, `${id}|${time}|`, body).digest('hex')}`;
    return String(signature).split(';').includes(expected) && headers['x-acme-event'] === 'coupon.applied';
  },
};
const isNow = (seconds: unknown) => Math.abs(Number(seconds) - Date.now() / 1_000) < 60;

test.each(Object.entries(verifiers))(
  'receivers of %s verify before, during and after a rotation',
  async (form, verifies) => {
    const endpoint = await stack.endpoint();
    await change(endpoint, { compat: form });
    const payload = { code: 'é🎫/</>', discount_type: 'fixed' };
    expect(verifies(await deliver(endpoint, payload), endpoint.secret)).toBe(true);
    const secret = await rotate(endpoint, 24);
    const during = await deliver(endpoint, payload);
    expect(verifies(during, endpoint.secret)).toBe(true);
    // A header with room for one signature changes when the overlap ends, as X-Service-Signature does.
    expect(verifies(during, secret)).toBe(form !== 'convoy-simple');
    const last = await rotate(endpoint, 0);
    const after = await deliver(endpoint, payload);
    expect(verifies(after, last)).toBe(true);
    expect(verifies(after, endpoint.secret)).toBe(false);
    // The contract's own and those of Standard Webhooks are there as ever.
    expect(after.headers).toMatchObject({
      'x-service-signature': `sha256=${hmac('sha256', last, after.body).digest('hex')}`,
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    await change(endpoint, { compat: null });
    expect(verifies(await deliver(endpoint, payload), last)).toBe(false);
  },
);

/** Secrets as these systems make them: their receivers keep them. */
const formerSecrets: [form: string, secret: () => string][] = [
  ['svix', () => `whsec_${randomBytes(24).toString('base64')}`],
  ['convoy', () => randomBytes(18).toString('base64url')],
  ['convoy-simple', () => 'a text that somebody chose'],
  ['outpost', () => `whsec_${randomBytes(32).toString('hex')}`],
  ['acme', () => randomBytes(32).toString('hex')],
];

test.each(formerSecrets)(
  'a webhook that moves in from %s with its secrets is verified by them',
  async (form, secret) => {
    const receiver = await startReceiver();
    const [live, former] = [secret(), randomBytes(20).toString('hex')];
    const { db, vault, random, clock } = stack.services;
    const make = (own: OwnSecrets) =>
      createWebhook(db, vault, random, {
        ...{ tenantId: stack.tenantId, url: receiver.url, eventTypes: ['*'], webhooksMax: 100, actor: commandLine },
        ...{ own, compat: form },
      });
    const verifies = verifiers[form]!;
    const { id: webhookId } = await make({ secret: live, previousSecret: null, previousSecretExpiresAt: null });
    const endpoint = Object.assign(receiver, { webhookId, secret: live });
    expect(verifies(await deliver(endpoint), live)).toBe(true);
    const made = await rotate(endpoint, 24);
    const during = await deliver(endpoint);
    expect(verifies(during, live)).toBe(true);
    expect(verifies(during, made)).toBe(form !== 'convoy-simple');
    await deleteWebhook(db, stack.tenantId, webhookId, commandLine);

    const previousSecretExpiresAt = new Date(clock().getTime() + 3_600_000);
    const both = await make({ secret: live, previousSecret: former, previousSecretExpiresAt });
    endpoint.webhookId = both.id;
    const request = await deliver(endpoint);
    expect(verifies(request, former)).toBe(form !== 'svix'); // its secrets always begin with whsec_
    expect(verifies(request, live)).toBe(form !== 'convoy-simple');
    await deleteWebhook(db, stack.tenantId, both.id, commandLine);
    await receiver.close();
  },
);

test('attempts show the headers as they were sent, retries have them too, and other webhooks have none', async () => {
  const endpoint = await stack.endpoint((request, response) =>
    answer(endpoint.received.length === 1 ? 500 : 200)(request, response),
  );
  const other = await stack.endpoint();
  await change(endpoint, { compat: 'acme' });
  await stack.emit();
  await eventually(() => endpoint.received.length === 2 && other.received.length === 1);
  expect(JSON.stringify(other.received[0]!.headers)).not.toContain('acme');
  const attempts = await eventually(async () => {
    const rows = await stack.rows<{ request_headers: string }>(
      `select a.request_headers from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id
       where d.webhook_id = ${endpoint.webhookId} order by a.number`,
    );
    return rows.length === 2 && rows;
  });
  for (const [index, { request_headers: kept }] of attempts.entries()) {
    const shown = typeof kept === 'string' ? JSON.parse(kept) : kept;
    const { headers } = endpoint.received[index]!;
    expect(shown).toMatchObject({
      'X-Acme-Signature': headers['x-acme-signature'],
      'X-Acme-Id': headers['x-acme-id'],
      'X-Acme-Event': 'coupon.applied',
    });
    expect(verifiers['acme']!(endpoint.received[index]!, endpoint.secret)).toBe(true);
  }
});

test('a header that the owner has set wins, and is there once', async () => {
  const endpoint = await stack.endpoint();
  const set = [
    { name: 'X-ACME-signature', value: 'mine', secret: false },
    { name: 'X_Acme_Id', value: '7', secret: true },
  ];
  await change(endpoint, { compat: 'acme', headers: { set, remove: [] } });
  const { rawHeaders } = await deliver(endpoint);
  const sent = rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : []));
  expect(sent.filter(([name]) => /acme/i.test(name!)).toSorted()).toEqual([
    ['X-ACME-signature', 'mine'],
    ['X-Acme-Event', 'coupon.applied'],
    ['X_Acme_Id', '7'],
  ]);
});

test('the changed content of a webhook is what the form signs', async () => {
  const endpoint = await stack.endpoint();
  await change(endpoint, { compat: 'svix', format: 'CLOUDEVENTS_STRUCTURED' });
  const request = await deliver(endpoint);
  expect(JSON.parse(request.body.toString())).toMatchObject({ specversion: '1.0' });
  expect(verifiers['svix']!(request, endpoint.secret)).toBe(true);
});

test('a form that a daemon lacks is its own fault: nothing is sent there, and another daemon sends it', async () => {
  await using lacking = await DeliveryStack.open();
  const daemon = lacking.startDaemon();
  const endpoint = await lacking.endpoint();
  const { webhookId, received } = endpoint;
  await lacking.change(webhookId, { compat: 'acme' });
  const eventId = await lacking.emit();
  const { id } = await lacking.delivery(eventId);
  const later = `${ofDelivery(id)} and locked_at is null and run_at > now() + interval '100 seconds'`;
  await eventually(async () => (await countJobs(lacking, later)) === 1);
  const before = await lacking.delivery(eventId);
  expect(before).toMatchObject({ status: 'PENDING', attempt_count: 0, last_error_code: null });
  expect(received).toEqual([]);
  expect(await lacking.webhookRow(webhookId)).toMatchObject({ active: true, consecutive_failures: 0 });
  await daemon.stop();

  const { config } = lacking.services;
  const { signatureForms } = readConfig({ SIGNATURE_FORMS: file }).delivery;
  const knowing = new Daemon({
    ...lacking.services,
    config: { ...config, delivery: { ...config.delivery, signatureForms } },
  });
  try {
    await changeJobs(lacking, 'run_at = now()', ofDelivery(id));
    await lacking.reaches(eventId, 'SUCCEEDED');
    expect(verifiers['acme']!(received[0]!, endpoint.secret)).toBe(true);
  } finally {
    await knowing.stop();
  }
});

test('asCurl has them, and leaves out signatures where it is asked to, whatever their header is called', async () => {
  await using site = await BulkSite.open({ SIGNATURE_FORMS: file });
  const id = await site.webhook();
  const { db, config } = site.api.services;
  await updateWebhook(db, site.tenant.id, id, { compat: 'hmac' }, config.holdHours, commandLine);
  site.startDaemon();
  dataOf(await site.mutate('emitEvent', { event: 'coupon.applied', payload: couponPayload }, 'event { id }'));
  const [request] = await eventually(() => site.receiver.received.length === 1 && site.receiver.received);
  const signature = String(request!.headers['x-acme-hmac']);
  const fields = 'attemptCount asCurl redacted: asCurl(redactSignature: true)';
  const query = `{ webhook(id: "${gid.webhook(id)}") { deliveries(first: 1) { edges { node { ${fields} } } } } }`;
  const { asCurl, redacted } = await eventually(async () => {
    const { node } = dataOf(await site.ask(query)).webhook.deliveries.edges[0];
    return node.attemptCount === 1 && node;
  });
  expect(asCurl).toContain(`X-Acme-Hmac: ${signature}`);
  expect(redacted).toContain('X-Acme-Hmac: REDACTED');
  expect(redacted).not.toContain(signature);
});
