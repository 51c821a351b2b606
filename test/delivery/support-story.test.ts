import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { gid, numberIn } from '../support/ids.js';
import { passMinute } from '../support/operational-news.js';
import { answer } from '../support/receiver.js';
import { comesTrue, WAIT_MAX_MS } from '../support/support-desk.js';
import { deliveryIdOf, inOrder, originOf, SupportStory, verified } from '../support/support-story.js';

/** Long enough for others to be seen beside it, if there were any. */
const ANSWER_MS = 10;
const HELD_EVENTS = 8;
const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);

/** Three attempts, and the retries are used up: the owner's other webhook hears of it at once. */
async function theFirstDeliveryIsExhausted(story: SupportStory): Promise<void> {
  const { desk, failing } = story;
  const { eventId, body, delivery } = await story.emit('first');
  const { id } = delivery;
  story.exhausted.push(id);
  await desk.hearsOfDeliveries([id], { status: 'FAILED', attemptCount: 3 });
  await desk.hearsOfWebhook(failing.id, { active: true, consecutiveFailures: 3 });
  const { delivery: failed } = await desk.ask(
    `query ($id: ID!) { delivery(id: $id) { status finishedAt nextAttemptAt
       attempts { number url statusCode errorCode requestBody responseBody } } }`,
    { id },
  );
  const url = failing.receiver.url;
  const made = { url, statusCode: 500, errorCode: 'HTTP_500', requestBody: body, responseBody: 'broken' };
  const attempts = [1, 2, 3].map((number) => ({ number, ...made }));
  expect(failed).toEqual({ status: 'FAILED', finishedAt: TIMESTAMP, nextAttemptAt: null, attempts });
  expect(await story.news('delivery.exhausted', 1)).toEqual({
    webhook_id: String(numberIn(failing.id)),
    origin: originOf(failing),
    name: '',
    delivery_id: String(numberIn(id)),
    event_id: String(numberIn(eventId)),
    event_type: 'coupon.applied',
    attempts: '3',
    last_error: 'HTTP_500',
    count: '1',
  });
}

/** Within the same minute these are counted, and told of when it is over. */
async function twoMoreAreExhausted(story: SupportStory): Promise<void> {
  const { desk, failing, exhausted } = story;
  for (const code of ['second', 'third']) {
    exhausted.push((await story.emit(code)).delivery.id);
  }
  await desk.hearsOfDeliveries(exhausted, { status: 'FAILED', attemptCount: 3 });
  await desk.hearsOfWebhook(failing.id, { active: true, consecutiveFailures: 9 });
  await passMinute(desk.stack);
  const told = await story.news('delivery.exhausted', 2);
  expect(told).toMatchObject({
    webhook_id: String(numberIn(failing.id)),
    attempts: '3',
    last_error: 'HTTP_500',
    count: '2',
  });
  expect(exhausted.slice(1)).toContain(gid.delivery(told['delivery_id']!));
  const found = await desk.deliveries({ webhookId: failing.id, errorCode: 'HTTP_500', status: 'FAILED' });
  expect(found.map(({ id }) => id)).toEqual(exhausted);
  expect(found.every(({ lastStatusCode }) => lastStatusCode === 500)).toBe(true);
}

/** It has retries left: what was not tried often enough is held, not lost. */
async function theTenthFailureDisables(story: SupportStory): Promise<void> {
  const { desk, failing } = story;
  const { delivery } = await story.emit('tenth');
  story.held.push(delivery.id);
  const disabled = { active: false, disabledReason: 'FAILURES', consecutiveFailures: 10 };
  await desk.hearsOfWebhook(failing.id, disabled);
  await desk.hearsOfDeliveries([delivery.id], { status: 'HELD', attemptCount: 1 });
  const webhook = await desk.webhook(failing.id);
  expect(webhook).toMatchObject({ ...disabled, heldCount: 1, lastSuccessAt: null, lastFailureAt: TIMESTAMP });
  expect(await story.news('webhook.disabled', 1)).toEqual({
    webhook_id: String(numberIn(failing.id)),
    origin: originOf(failing),
    name: '',
    reason: 'FAILURES',
    consecutive_failures: '10',
    disabled_at: webhook.disabledAt,
    held_until: webhook.holdUntil,
    count: '1',
  });
}

async function eventsAreHeldMeanwhile(story: SupportStory): Promise<void> {
  const { desk, failing, watching, held } = story;
  let eventId = '';
  for (let event = 0; event < HELD_EVENTS; event++) {
    const emitted = await story.emit(`held ${event}`);
    expect(emitted.delivery.status).toBe('HELD');
    held.push(emitted.delivery.id);
    ({ eventId } = emitted);
  }
  await desk.hearsOfDeliveries(held, { status: 'HELD' });
  const found = await desk.deliveries({ webhookId: failing.id, status: 'HELD' });
  expect(found.map(({ id }) => id)).toEqual(held);
  expect(found.map(({ attemptCount }) => attemptCount)).toEqual([1, ...new Array(HELD_EVENTS).fill(0)]);
  expect(await desk.webhook(failing.id)).toMatchObject({
    active: false,
    heldCount: 1 + HELD_EVENTS,
    backlog: { due: 0, oldestDueAt: null, scheduled: 0, held: 1 + HELD_EVENTS },
  });
  const { event } = await desk.ask(
    'query ($id: ID!) { event(id: $id) { fanOut { edges { node { webhook { id } delivery { id status } reason } } } } }',
    { id: eventId },
  );
  expect(event.fanOut.edges.map(({ node }: { node: unknown }) => node)).toEqual([
    { webhook: { id: watching.id }, delivery: null, reason: 'NOT_SUBSCRIBED' },
    { webhook: { id: failing.id }, delivery: { id: held.at(-1), status: 'HELD' }, reason: null },
  ]);
  expect(failing.receiver.received).toHaveLength(10);
}

/** A test goes ahead of what is held. Its success is the first one: the other webhook hears of the recovery. */
async function theEndpointIsRepairedAndEnabled(story: SupportStory): Promise<void> {
  const { desk, failing, held } = story;
  const { disabledAt } = await desk.webhook(failing.id);
  failing.receiver.answerWith((_, response) => void setTimeout(() => response.end('thanks'), ANSWER_MS));
  const enable = { id: failing.id, active: true, held: 'KEEP' };
  const { webhook } = await desk.mutate('updateWebhook', enable, 'webhook { active disabledAt heldCount }');
  expect(webhook).toEqual({ active: true, disabledAt: null, heldCount: held.length });
  await desk.hearsOfWebhook(failing.id, { active: true, disabledReason: null, consecutiveFailures: 0 });

  const { delivery } = await desk.mutate('testWebhook', { id: failing.id }, 'delivery { id eventType }');
  await desk.hearsOfDeliveries([delivery.id], { status: 'SUCCEEDED', eventType: 'webhook.test' });
  expect(failing.receiver.received.slice(10).map(deliveryIdOf)).toEqual([delivery.id]);
  const { lastSuccessAt, heldCount } = await desk.webhook(failing.id);
  expect(heldCount).toBe(held.length);
  expect(await story.news('webhook.recovered', 1)).toEqual({
    webhook_id: String(numberIn(failing.id)),
    origin: originOf(failing),
    name: '',
    disabled_at: disabledAt,
    recovered_at: lastSuccessAt,
    count: '1',
  });
}

async function heldDeliveriesAreReleased(story: SupportStory): Promise<void> {
  const { desk, failing, held } = story;
  const { received } = failing.receiver;
  await desk.mutate('releaseHeld', { webhookId: failing.id }, 'webhook { id }');
  await desk.hearsOfDeliveries(held.slice(0, 1), { status: 'SUCCEEDED', attemptCount: 2 });
  await desk.hearsOfDeliveries(held.slice(1), { status: 'SUCCEEDED', attemptCount: 1 });
  expect(received.slice(11).map(deliveryIdOf)).toEqual(inOrder(held));
  expect(failing.receiver.inFlightPeak).toBe(1);
  const codes = received.slice(11).map((request) => verified(request, failing)['code']);
  expect(codes).toEqual(['tenth', ...Array.from({ length: HELD_EVENTS }, (_, event) => `held ${event}`)]);
  expect(await desk.deliveries({ webhookId: failing.id, status: 'HELD' })).toEqual([]);
}

async function exhaustedDeliveriesAreRecovered(story: SupportStory): Promise<void> {
  const { desk, failing, exhausted } = story;
  const input = { id: failing.id, filter: { since: story.startedAt } };
  const fields = 'id kind status total processed affected skipped progress error webhook { id }';
  const recover = (more: object) =>
    desk.mutate('recoverWebhook', { ...input, ...more }, `total totalCapped bulkOperation { ${fields} }`);
  expect(await recover({ dryRun: true })).toEqual({ total: 3, totalCapped: false, bulkOperation: null });
  expect(await desk.deliveries({ status: 'FAILED' })).toHaveLength(3);

  const { total, bulkOperation: started } = await recover({});
  expect([total, started.total]).toEqual([3, 3]);
  const query = `query ($id: ID!) { bulkOperation(id: $id) { ${fields} } }`;
  const done = await eventually(async () => {
    const { bulkOperation } = await desk.ask(query, { id: started.id });
    return bulkOperation.status === 'RUNNING' ? false : bulkOperation;
  }, WAIT_MAX_MS);
  const figures = { total: 3, processed: 3, affected: 3, skipped: 0, progress: 1, error: null };
  const which = { id: started.id, kind: 'RECOVER_WEBHOOK', webhook: { id: failing.id } };
  expect(done).toEqual({ ...which, status: 'COMPLETED', ...figures });
  await desk.hearsOfDeliveries(exhausted, { status: 'SUCCEEDED', attemptCount: 4 });
  const again = failing.receiver.received.slice(-3);
  expect(again.map(deliveryIdOf)).toEqual(inOrder(exhausted));
  expect(again.map((request) => verified(request, failing)['code'])).toEqual(['first', 'second', 'third']);
}

async function theDashboardsShowNoTrouble(story: SupportStory): Promise<void> {
  const { desk, failing, watching } = story;
  const requests = 3 * 3 + 1 + 1 + (1 + HELD_EVENTS) + 3;
  expect(failing.receiver.received).toHaveLength(requests);
  // Both figures follow within two seconds.
  await comesTrue(async () =>
    expect(await desk.webhook(failing.id)).toMatchObject({
      active: true,
      consecutiveFailures: 0,
      heldCount: 0,
      backlog: { due: 0, oldestDueAt: null, scheduled: 0, held: 0 },
      endpointState: { window: 1, inFlight: 0, waiting: 0 },
    }),
  );
  const stats = `query ($id: ID!, $since: DateTime!) {
    stats(webhookId: $id, since: $since) { total { attempts failures successes } } }`;
  const total = { attempts: requests, failures: 10, successes: requests - 10 };
  await comesTrue(async () =>
    expect(await desk.ask(stats, { id: failing.id, since: story.startedAt })).toEqual({ stats: { total } }),
  );
  const news = await desk.deliveries({ webhookId: watching.id, status: 'SUCCEEDED' });
  expect(news.map(({ eventType }) => eventType)).toEqual([
    'delivery.exhausted',
    'delivery.exhausted',
    'webhook.disabled',
    'webhook.recovered',
  ]);
  expect(watching.receiver.received).toHaveLength(4);
}

function theStreamsHaveToldItAll({ desk, failing, exhausted, held }: SupportStory): void {
  expect(exhausted.map((id) => desk.statesOf(id))).toEqual(exhausted.map(() => ['FAILED', 'SUCCEEDED']));
  expect(held.map((id) => desk.statesOf(id))).toEqual(held.map(() => ['HELD', 'SUCCEEDED']));
  expect(desk.spellsOf(failing.id)).toEqual(['active', 'FAILURES', 'active']);
  // They were never told to read everything again.
  for (const { updates } of Object.values(desk.live)) {
    expect(updates.filter(({ resync }) => resync)).toEqual([]);
  }
}

/** Who did what: the owner with a key, the service by itself. */
async function theAuditLogTellsIt({ desk, failing, watching }: SupportStory): Promise<void> {
  const { viewer } = await desk.ask('{ viewer { apiKey { id } } }');
  const owner = { actor: 'TENANT_KEY', apiKeyId: viewer.apiKey.id };
  const service = { actor: 'SERVICE', apiKeyId: null };
  const on = (targetId: string) => ({ targetType: 'WEBHOOK', targetId });
  const failures = { active: false, reason: 'FAILURES', consecutiveFailures: 10 };
  // What came before made the tenant and its key.
  expect((await desk.auditLog()).slice(-6)).toMatchObject([
    { action: 'WEBHOOK_CREATED', ...owner, ...on(failing.id) },
    { action: 'WEBHOOK_CREATED', ...owner, ...on(watching.id) },
    { action: 'WEBHOOK_DISABLED', ...service, ...on(failing.id), after: failures },
    { action: 'WEBHOOK_UPDATED', ...owner, ...on(failing.id), after: { active: true, held: 'KEEP' } },
    { action: 'HELD_RELEASED', ...owner, ...on(failing.id) },
    { action: 'BULK_OPERATION_STARTED', ...owner, after: { kind: 'RECOVER_WEBHOOK', count: 3 } },
  ]);
}

test('an endpoint fails until it is disabled; its owner hears of it, repairs it, and has everything sent after all', {
  timeout: 300_000,
}, async () => {
  await using story = await SupportStory.open(answer(500, {}, 'broken'), {
    MAX_RETRIES: '2',
    ENDPOINT_CONCURRENCY_MAX: '1',
  });
  await theFirstDeliveryIsExhausted(story);
  await twoMoreAreExhausted(story);
  await theTenthFailureDisables(story);
  await eventsAreHeldMeanwhile(story);
  await theEndpointIsRepairedAndEnabled(story);
  await heldDeliveriesAreReleased(story);
  await exhaustedDeliveriesAreRecovered(story);
  await theDashboardsShowNoTrouble(story);
  theStreamsHaveToldItAll(story);
  await theAuditLogTellsIt(story);
});
