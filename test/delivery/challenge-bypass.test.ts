import { afterEach, expect, test } from 'vitest';
import { askEndpoints } from '../../daemon/duties/ask-endpoints.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { checkWebhook } from '../../src/operations/webhooks/check-webhook.js';
import { probeDisabled, probeNow } from '../../src/operations/webhooks/probe-webhooks.js';
import { releaseHeld } from '../../src/operations/webhooks/release-held.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { type Answer, answer, holdAnswers } from '../support/receiver.js';

/** Nothing but challenges reaches an endpoint before its proof, whatever its webhook was before. Daemons are at work. */

let stack: DeliveryStack;
afterEach(() => stack[Symbol.asyncDispose]());

const echo: Answer = ({ method, body }, response) => {
  response.writeHead(method === 'OPTIONS' ? 405 : 200).end(method === 'OPTIONS' ? '' : body);
};

const stateOf = async ({ webhookId }: Endpoint) =>
  (
    await stack.rows<Record<string, unknown>>(`
      select w.active, w.disabled_reason as reason, w.keep_held as keeps, v.status
      from hookwright.webhooks w left join hookwright.verifications v on v.webhook_id = w.id
      where w.id = ${webhookId}`)
  )[0]!;
const eventsAt = ({ received }: Endpoint) =>
  received.map(({ method, headers }) => headers['x-service-event'] ?? method);
const isChallenged = (endpoint: Endpoint) => eventually(() => endpoint.received.length >= 2);
const disabledByFailures = ({ webhookId }: Endpoint) =>
  stack.rows(`
    update hookwright.webhooks set active = false, disabled_reason = 'FAILURES', disabled_at = now(),
           generation = generation + 1, hold_until = now() + interval '1 day'
    where id = ${webhookId}`);
/** Somebody has to prove it, though nobody has moved the webhook. */
const awaitProof = ({ webhookId }: Endpoint) =>
  stack.rows(`
    insert into hookwright.verifications (webhook_id, tenant_id, host, status)
    values (${webhookId}, ${stack.tenantId}, '127.0.0.1', 'PENDING')`);
const probe = ({ webhookId }: Endpoint) => probeNow(stack.services.db, stack.tenantId, webhookId);
/** Probes are planned, and are due. */
const probeAll = async () => {
  const { pool } = stack.services.db;
  await probeDisabled(pool, 'AUTOMATIC');
  await stack.rows('update hookwright.webhook_recoveries set next_probe_at = now()');
  return await probeDisabled(pool, 'AUTOMATIC');
};

test('a webhook that failures have disabled is paused when it is moved so, and probed by nobody', async () => {
  stack = await DeliveryStack.open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
  const victim = await stack.endpoint(answer(200));
  await disabledByFailures(victim);
  const eventId = await stack.emit();
  await stack.change(victim.webhookId, { url: `${victim.url}/elsewhere`, active: false, challenge: true });
  expect(await stateOf(victim)).toMatchObject({ active: false, reason: 'PAUSED', status: 'PENDING' });
  await expect(probe(victim)).rejects.toThrow('has not proved yet');
  expect(await probeAll()).toBe(0);
  stack.startDaemon();
  await isChallenged(victim);
  await stack.reaches(eventId, 'HELD');
  expect(eventsAt(victim)).toEqual(['OPTIONS', 'webhook.challenge']);
  victim.answerWith(echo);
  await stack.rows('update hookwright.verifications set next_at = now()');
  await eventually(async () => (await stateOf(victim))['status'] === 'VERIFIED');
  expect(await stateOf(victim)).toMatchObject({ active: false, reason: 'PAUSED' });
  await stack.change(victim.webhookId, { active: true, challenge: true });
  await stack.reaches(eventId, 'SUCCEEDED');
});

test('a webhook whose endpoint has proved nothing is neither probed nor checked, whatever it is disabled by', async () => {
  stack = await DeliveryStack.open({ ENDPOINT_RECOVERY: 'AUTOMATIC' });
  const endpoint = await stack.endpoint(answer(200));
  await disabledByFailures(endpoint);
  await stack.emit();
  const checked = await checkWebhook(stack.services.db, stack.tenantId, endpoint.webhookId);
  await probe(endpoint); // both wait for a daemon
  await awaitProof(endpoint);
  await expect(probe(endpoint)).rejects.toThrow('has not proved yet');
  await expect(checkWebhook(stack.services.db, stack.tenantId, endpoint.webhookId)).rejects.toThrow('not proved yet');
  expect(await probeAll()).toBe(0);
  const [row] = await stack.rows(`
    select hookwright.probe_webhook(${stack.tenantId}, ${endpoint.webhookId}, 'webhook.test', '{}', 0) as id`);
  expect(row).toEqual({ id: null });
  stack.startDaemon();
  await stack.noDeliveryJobs();
  expect(await stack.deliveries(`id = ${checked}`)).toMatchObject([{ status: 'HELD', attempt_count: 0 }]);
  expect(endpoint.received).toEqual([]);
});

test('a probe that is under way when a proof is demanded enables nothing', async () => {
  stack = await DeliveryStack.open();
  const endpoint = await stack.endpoint(answer(200));
  await disabledByFailures(endpoint);
  const held = holdAnswers(endpoint, answer(200));
  const deliveryId = await probe(endpoint);
  stack.startDaemon();
  const respond = await held();
  await awaitProof(endpoint);
  respond();
  await eventually(async () => {
    const [row] = await stack.rows(`select from hookwright.attempts where delivery_id = ${deliveryId}`);
    return row !== undefined;
  });
  expect(await stateOf(endpoint)).toMatchObject({ active: false, reason: 'FAILURES' });
});

test('a pause before the proof is one: nothing is sent when it comes, but when somebody enables the webhook', async () => {
  stack = await DeliveryStack.open();
  for (const move of [{}, { url: 'again' }]) {
    const endpoint = await stack.endpoint(answer(404));
    await stack.change(endpoint.webhookId, { url: `${endpoint.url}/new`, challenge: true });
    const eventId = await stack.emit();
    const url = 'url' in move ? { url: `${endpoint.url}/other` } : {};
    await stack.change(endpoint.webhookId, { ...url, active: false, challenge: true });
    expect(await stateOf(endpoint)).toMatchObject({ reason: 'PAUSED', status: 'PENDING' });
    endpoint.answerWith(echo);
    const sweep = askEndpoints(stack.services, stack.deliverer().challenges);
    await sweep.work();
    await sweep.end!();
    expect(await stateOf(endpoint)).toMatchObject({ active: false, reason: 'PAUSED', status: 'VERIFIED' });
    await stack.align(endpoint.webhookId);
    expect(await stack.deliveries(`event_id = ${eventId} and status = 'HELD'`)).toHaveLength(1);
    await stack.rows(
      `update hookwright.webhooks set deleted_at = now(), active = false where id = ${endpoint.webhookId}`,
    );
  }
});

test('what a webhook keeps is kept beyond a move and its proof, until somebody releases it', async () => {
  stack = await DeliveryStack.open();
  const endpoint = await stack.endpoint(echo);
  await stack.change(endpoint.webhookId, { active: false });
  const eventId = await stack.emit();
  await stack.change(endpoint.webhookId, { active: true, held: 'KEEP' });
  await stack.align(endpoint.webhookId);
  await stack.change(endpoint.webhookId, { url: `${endpoint.url}/new`, challenge: true });
  const { db } = stack.services;
  await expect(releaseHeld(db, stack.tenantId, endpoint.webhookId, commandLine)).rejects.toThrow('not proved yet');
  stack.startDaemon();
  await eventually(async () => (await stateOf(endpoint))['active'] === true);
  await stack.align(endpoint.webhookId);
  expect(await stateOf(endpoint)).toMatchObject({ active: true, keeps: true, status: 'VERIFIED' });
  expect(eventsAt(endpoint)).toEqual(['OPTIONS', 'webhook.challenge']);
  await releaseHeld(db, stack.tenantId, endpoint.webhookId, commandLine);
  await stack.reaches(eventId, 'SUCCEEDED');
});
