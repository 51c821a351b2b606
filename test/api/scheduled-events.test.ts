import { describe, expect, test } from 'vitest';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { codesOf, nodesOf, openGraphql } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';
import { lockRows } from '../support/locks.js';

const { api, tenant, ask, read, mutate } = await openGraphql();

const payload = { code: 'X', discount_type: 'x' };
const usual = { event: 'coupon.applied', payload };
const shown = `duplicate scheduledEvent { id eventType deliverAt status idempotencyKey orderingKey eventId body error
               createdAt finishedAt }`;
const scheduling = (input: object, asking = mutate) => asking('scheduleEvent', { ...usual, ...input }, shown);
const schedule = async (input: object) => {
  const { data, errors } = await scheduling(input);
  expect(errors).toEqual([]);
  return data.scheduleEvent;
};
const cancel = (id: string, asking = mutate) =>
  asking('cancelScheduledEvent', { id }, 'scheduledEvent { id status finishedAt }');
const emitNow = async (id: string) => {
  await api.owner.query('update hookwright.scheduled_events set due_at = now() where id = $1', [id.slice(3)]);
  await emitScheduled(api.owner);
};
const reasonsOf = ({ errors }: Awaited<ReturnType<typeof ask>>) =>
  errors.map(({ extensions }) => `${extensions.code} ${extensions.reason}`);
const issuesOf = ({ errors }: Awaited<ReturnType<typeof ask>>) =>
  errors[0].extensions.errors.map(({ path, code }: { path: string[]; code: string }) => `${path.join('.')} ${code}`);
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();
const DAY = 86_400;

describe('scheduleEvent', () => {
  test('shows the event as it will be emitted, at a time or after a delay', async () => {
    const { duplicate, scheduledEvent } = await schedule({
      payload: undefined,
      body: '{ "code":"\\u0058", "discount_type": "x" }',
      deliverAt: inSeconds(3_600),
      idempotencyKey: 'shown',
      orderingKey: 'order-7',
    });
    expect(duplicate).toBe(false);
    expect(scheduledEvent).toMatchObject({
      id: expect.stringMatching(/^se_\d+$/),
      eventType: 'coupon.applied',
      status: 'SCHEDULED',
      idempotencyKey: 'shown',
      orderingKey: 'order-7',
      body: '{ "code":"X", "discount_type": "x" }',
      ...{ eventId: null, error: null, finishedAt: null },
    });
    const later = await schedule({ delaySeconds: 3_600 });
    expect(Date.parse(later.scheduledEvent.deliverAt) - Date.parse(later.scheduledEvent.createdAt)).toBe(3_600_000);
  });

  test('takes a time in the past as now', async () => {
    const delays = [0, -5, -(2 ** 31)].map((delaySeconds) => ({ delaySeconds }));
    for (const time of [{ deliverAt: '0001-01-01T00:00:00Z' }, ...delays]) {
      const { scheduledEvent } = await schedule(time);
      expect(scheduledEvent.deliverAt).toBe(scheduledEvent.createdAt);
    }
  });

  test.each([
    ['no time', {}, 'input deliver_at_or_delay'],
    ['two times', { deliverAt: inSeconds(60), delaySeconds: 60 }, 'input deliver_at_or_delay'],
    ['a time in more than 90 days', { deliverAt: inSeconds(90 * DAY + 60) }, 'input.deliverAt deliver_at_too_far'],
    ['a delay of more than 90 days', { delaySeconds: 90 * DAY + 1 }, 'input.delaySeconds deliver_at_too_far'],
    [
      'a payload that breaks the schema',
      { delaySeconds: 1, payload: { code: 'X' } },
      'input.payload.discount_type schema_required',
    ],
    ['a type that is not registered', { delaySeconds: 1, event: 'no.such' }, 'input.event event_type_unknown'],
    ['an ordering key that is empty', { delaySeconds: 1, orderingKey: '' }, 'input.orderingKey ordering_key_malformed'],
  ])('refuses %s', async (_, input, issue) => {
    expect(issuesOf(await scheduling(input))[0]).toContain(issue);
  });

  test('takes the longest delay', async () => {
    await schedule({ delaySeconds: 90 * DAY });
    await schedule({ deliverAt: inSeconds(90 * DAY - 60) });
  });

  test('answers a repeated key with the first event, and is a CONFLICT for another content', async () => {
    const first = await schedule({ delaySeconds: 60, idempotencyKey: 'k' });
    const again = await schedule({ delaySeconds: 90, idempotencyKey: 'k' });
    expect(again).toEqual({ ...first, duplicate: true });
    const other = await scheduling({ delaySeconds: 60, idempotencyKey: 'k', payload: { ...payload, code: 'Y' } });
    expect(reasonsOf(other)).toEqual(['CONFLICT idempotency_key_reused']);
    await emitNow(first.scheduledEvent.id);
    const emitted = await schedule({ delaySeconds: 60, idempotencyKey: 'k' });
    expect(emitted.scheduledEvent).toMatchObject({ id: first.scheduledEvent.id, status: 'EMITTED' });
    const { data } = await mutate('emitEvent', { ...usual, idempotencyKey: 'k' }, 'duplicate event { id }');
    expect(data.emitEvent).toEqual({ duplicate: true, event: { id: emitted.scheduledEvent.eventId } });
  });

  test('of a tenant with its most events is a CONFLICT', async () => {
    const limit = (events: number) =>
      api.owner.query(
        `create or replace function hookwright.scheduled_events_max() returns integer
         language sql immutable parallel safe return ${events}`,
      );
    await schedule({ delaySeconds: 60 });
    await limit(1);
    try {
      expect(reasonsOf(await scheduling({ delaySeconds: 60 }))).toEqual(['CONFLICT scheduled_limit_reached']);
    } finally {
      await limit(100_000);
    }
  });

  test('of a platform key names the tenant in the input or in the header', async () => {
    const { key } = await makeKey(api.services, null, ['platform:admin']);
    const as = api.by({ key });
    expect(reasonsOf(await scheduling({ delaySeconds: 60 }, as.mutate))).toEqual(['FORBIDDEN tenant_required']);
    const { data, errors } = await scheduling({ delaySeconds: 60, tenantId: gid.tenant(tenant.id) }, as.mutate);
    expect(errors).toEqual([]);
    const { scheduledEvent } = data.scheduleEvent;
    expect(scheduledEvent).toMatchObject({ status: 'SCHEDULED', body: JSON.stringify(payload) });
    expect((await cancel(scheduledEvent.id)).data.cancelScheduledEvent.scheduledEvent.status).toBe('CANCELED');
  });
});

describe('cancelScheduledEvent', () => {
  test('cancels once, and says nothing when it is repeated; the audit log has it once', async () => {
    const { scheduledEvent } = await schedule({ delaySeconds: 60 });
    const { data } = await cancel(scheduledEvent.id);
    const { finishedAt } = data.cancelScheduledEvent.scheduledEvent;
    expect(data.cancelScheduledEvent.scheduledEvent).toMatchObject({ id: scheduledEvent.id, status: 'CANCELED' });
    expect((await cancel(scheduledEvent.id)).data.cancelScheduledEvent.scheduledEvent.finishedAt).toBe(finishedAt);
    await emitNow(scheduledEvent.id);
    const { auditLog } = await read(
      'query ($id: ID!) { auditLog(filter: {targetId: $id}) { edges { node { action } } } }',
      {
        id: scheduledEvent.id,
      },
    );
    expect(nodesOf(auditLog)).toEqual([{ action: 'SCHEDULED_EVENT_CANCELED' }]);
    const found = await read('query ($id: ID!) { node(id: $id) { ... on ScheduledEvent { status eventId } } }', {
      id: scheduledEvent.id,
    });
    expect(found.node).toEqual({ status: 'CANCELED', eventId: null });
  });

  test('of an event that was emitted is a CONFLICT', async () => {
    const { id } = (await schedule({ delaySeconds: 60 })).scheduledEvent;
    await emitNow(id);
    const refused = await cancel(id);
    expect(reasonsOf(refused)).toEqual(['CONFLICT scheduled_event_emitted']);
    expect(refused.errors[0].message).toBe(`Scheduled event ${id} was emitted already.`);
  });

  test('of an event that is just being emitted is answered soon', async () => {
    const { id } = (await schedule({ delaySeconds: 60 })).scheduledEvent;
    await using _duty = await lockRows(api.databaseUrl, 'hookwright.scheduled_events', `id = ${id.slice(3)}`);
    expect(codesOf(await cancel(id))).toEqual(['UNAVAILABLE']);
  });

  test('of another tenant, or of none, is NOT_FOUND', async () => {
    const { id } = (await schedule({ delaySeconds: 60 })).scheduledEvent;
    const stranger = api.by(await makeTenant(api.services));
    expect(codesOf(await cancel(id, stranger.mutate))).toEqual(['NOT_FOUND']);
    expect(codesOf(await cancel('se_999999'))).toEqual(['NOT_FOUND']);
    expect(issuesOf(await cancel('wh_1'))).toEqual(['input.id id_of_another_type']);
    const { data } = await stranger.ask(
      'query ($id: ID!) { node(id: $id) { id } scheduledEvents { edges { cursor } } }',
      {
        id,
      },
    );
    expect(data).toEqual({ node: null, scheduledEvents: { edges: [] } });
  });
});

test('the list is filtered by state and type, and paged', async () => {
  const own = await makeTenant(api.services);
  const as = api.by(own);
  const ids: string[] = [];
  for (const event of ['coupon.applied', 'coupon.applied', 'voucher.emitted']) {
    const given = event === 'coupon.applied' ? payload : { booking_code: 'B', voucher_number: 'V' };
    const { data } = await scheduling({ event, payload: given, delaySeconds: 60 }, as.mutate);
    ids.push(data.scheduleEvent.scheduledEvent.id);
  }
  await cancel(ids[1]!, as.mutate);
  await emitNow(ids[0]!);
  const list = async (args: string) => {
    const { scheduledEvents } = await as.read(
      `{ scheduledEvents(${args}) { edges { node { id body } } pageInfo { hasNextPage endCursor } } }`,
    );
    return { ids: nodesOf(scheduledEvents).map(({ id }) => id), page: scheduledEvents.pageInfo };
  };
  expect((await list('first: 10')).ids).toEqual(ids.toReversed());
  expect((await list('filter: {status: SCHEDULED}')).ids).toEqual([ids[2]]);
  expect((await list('filter: {status: EMITTED}')).ids).toEqual([ids[0]]);
  expect((await list('filter: {eventType: "coupon.applied", status: CANCELED}')).ids).toEqual([ids[1]]);
  const { page } = await list('first: 2');
  expect(page.hasNextPage).toBe(true);
  expect((await list(`first: 2, after: "${page.endCursor}"`)).ids).toEqual([ids[0]]);
});
