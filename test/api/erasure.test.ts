import { describe, expect, test } from 'vitest';
import { ERASE, SCOPES } from '../../src/domain/keys/scopes.js';
import { emitScheduled } from '../../src/operations/scheduled/emit-scheduled.js';
import { DashboardSite } from '../support/dashboard-site.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { dataOf, openGraphql } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const { api, tenant } = await openGraphql();
const { id: webhook } = await makeWebhook(api.services, tenant.id);
const eraser = await makeKey(api.services, tenant.id, [...SCOPES, ERASE]);
const admin = { ...(await makeKey(api.services, null, ['platform:admin'])), tenant: tenant.id };
const { read, mutate, ask } = api.by(eraser);

type Answer = Awaited<ReturnType<typeof ask>>;
const refusalsOf = ({ errors }: Answer) =>
  errors.map(({ extensions: { reason, errors: issues } }) => issues?.[0]?.code ?? reason);

let codes = 0;
async function emit(input: object = {}): Promise<string> {
  codes += 1;
  const payload = { code: `C${codes}`, discount_type: 'x' };
  const { data, errors } = await mutate('emitEvent', { event: 'coupon.applied', payload, ...input }, 'event { id }');
  expect(errors).toEqual([]);
  return data.emitEvent.event.id;
}
const withCode = (value: string, more: object = {}) => ({
  filter: { field: { path: 'code', op: 'EQ', value }, ...more },
});
const erasing = (input: object, by = mutate) =>
  by('eraseEvents', input, 'total totalCapped bulkOperation { id status filter beginsAt }');
const dryRun = async (input: object) => {
  const answer = dataOf(await erasing({ ...input, dryRun: true })).eraseEvents;
  expect(answer.bulkOperation).toBeNull();
  return answer.total as number;
};
const erase = (id: string, by = mutate) =>
  by(
    'eraseEvent',
    { id, reason: 'asked for' },
    'event { id erasedAt bodyBytes } scheduledEvent { id status erasedAt }',
  );

describe('eraseEvent', () => {
  test('leaves the event with its size and its times, and no payload', async () => {
    const id = await emit({ idempotencyKey: 'first', orderingKey: 'order-1' });
    const { event: before } = await read(`{ event(id: "${id}") { bodyBytes createdAt erasedAt } }`);
    expect(before.erasedAt).toBeNull();
    const { event } = dataOf(await erase(id)).eraseEvent;
    expect(event).toEqual({ id, erasedAt: expect.any(String), bodyBytes: before.bodyBytes });
    const after = await ask(`{ event(id: "${id}") { orderingKey createdAt body payload } }`);
    expect(after.data.event).toEqual({ orderingKey: null, createdAt: before.createdAt, body: null, payload: null });
    expect(refusalsOf(after)).toEqual(['event_erased', 'event_erased']);
    const again = dataOf(await erase(id)).eraseEvent;
    expect(again.event).toEqual(event);
    const { auditLog } = await read(
      `{ auditLog(first: 10, filter: {targetId: "${id}"}) { edges { node { action after } } } }`,
    );
    expect(auditLog.edges.map(({ node }: { node: object }) => node)).toEqual([
      { action: 'EVENT_ERASED', after: { reason: 'asked for' } },
    ]);
  });

  test('cancels what was not sent, and nothing sends it again', async () => {
    const id = await emit();
    dataOf(await erase(id));
    const { event } = await read(
      `{ event(id: "${id}") { deliveries(first: 5) { edges { node { id status cancelReason } } } } }`,
    );
    const [{ node: delivery }] = event.deliveries.edges;
    expect(delivery).toMatchObject({ status: 'CANCELED', cancelReason: 'ERASED' });
    const refused = async (answer: Promise<Answer>) => refusalsOf(await answer);
    expect(await refused(mutate('redeliver', { deliveryId: delivery.id }, 'delivery { id }'))).toEqual([
      'event_erased',
    ]);
    const replay = { webhookId: String(webhook), filter: { eventId: id } };
    expect(await refused(mutate('replayEvents', replay, 'total'))).toEqual(['event_erased']);
    const preview = `{ previewContent(input: {webhookId: "${webhook}", eventId: "${id}"}) { total } }`;
    expect(await refused(ask(preview))).toEqual(['event_erased']);
    expect(await refused(ask(`{ delivery(id: "${delivery.id}") { asCurl } }`))).toEqual(['event_erased']);
    const recover = { filter: { eventId: id, status: 'CANCELED' }, dryRun: true };
    expect(dataOf(await mutate('recoverDeliveries', recover, 'total')).recoverDeliveries.total).toBe(0);
    const all = {
      webhookId: String(webhook),
      filter: { since: '2026-01-01T00:00:00Z' },
      includeDelivered: true,
      dryRun: true,
    };
    const before = dataOf(await mutate('replayEvents', all, 'total')).replayEvents.total;
    dataOf(await erase(await emit()));
    expect(dataOf(await mutate('replayEvents', all, 'total')).replayEvents.total).toBe(before);
  });

  test('makes a repeated emit the erased event, and another one with its key a conflict', async () => {
    const input = { payload: { code: 'again', discount_type: 'x' }, idempotencyKey: 'repeated' };
    const id = await emit(input);
    dataOf(await erase(id));
    const repeat = (more: object) =>
      mutate('emitEvent', { event: 'coupon.applied', ...input, ...more }, 'event { id } duplicate');
    expect(dataOf(await repeat({})).emitEvent).toEqual({ event: { id }, duplicate: true });
    expect(refusalsOf(await repeat({ payload: { code: 'other', discount_type: 'x' } }))).toEqual([
      'idempotency_key_reused',
    ]);
  });

  test('cancels a scheduled event, and erases one with the event that it has become', async () => {
    const schedule = async (idempotencyKey: string) => {
      const input = { event: 'coupon.applied', payload: { code: 'later', discount_type: 'x' }, delaySeconds: 3_600 };
      const answer = await mutate('scheduleEvent', { ...input, idempotencyKey }, 'duplicate scheduledEvent { id }');
      return dataOf(answer).scheduleEvent;
    };
    const [open, due] = [(await schedule('open')).scheduledEvent.id, (await schedule('due')).scheduledEvent.id];
    expect(dataOf(await erase(open)).eraseEvent).toEqual({
      event: null,
      scheduledEvent: { id: open, status: 'CANCELED', erasedAt: expect.any(String) },
    });
    expect(await schedule('open')).toEqual({ duplicate: true, scheduledEvent: { id: open } });
    await api.owner.query('update hookwright.scheduled_events set due_at = now() where id = $1', [numberIn(due)]);
    await emitScheduled(api.owner);
    expect(dataOf(await erase(due)).eraseEvent.scheduledEvent).toMatchObject({
      status: 'EMITTED',
      erasedAt: expect.any(String),
    });
    const { scheduledEvent } = await read(`{ scheduledEvent(id: "${due}") { eventId idempotencyKey } }`);
    const { event } = await read(`{ event(id: "${scheduledEvent.eventId}") { erasedAt } }`);
    expect(event.erasedAt).toEqual(expect.any(String));
    expect(scheduledEvent.idempotencyKey).not.toContain('due');
    expect(refusalsOf(await ask(`{ scheduledEvent(id: "${due}") { body } }`))).toEqual(['event_erased']);
  });
});

describe('eraseEvents', () => {
  test('erases what a dry run has counted, once its number is named', async () => {
    const id = await emit({ payload: { code: 'all of 42', discount_type: 'x' } });
    const input = withCode('all of 42');
    expect(await dryRun(input)).toBe(1);
    await emit({ payload: { code: 'all of 42', discount_type: 'x' } });
    const { total, bulkOperation } = dataOf(await erasing({ ...input, confirm: 1, reason: 'asked for' })).eraseEvents;
    const valueSha256 = expect.stringMatching(/^[0-9a-f]{64}$/);
    const field = { path: 'code', op: 'EQ', valueSha256 };
    expect({ total, ...bulkOperation }).toMatchObject({
      total: 1,
      status: 'RUNNING',
      beginsAt: null,
      filter: { field },
    });
    const log = await read(
      `{ auditLog(first: 1, filter: {targetId: "${bulkOperation.id}"}) { edges { node { after } } } }`,
    );
    expect(log.auditLog.edges[0].node.after).toMatchObject({
      kind: 'ERASE_EVENTS',
      field,
      count: 1,
      reason: 'asked for',
    });
    const { rows } = await api.owner.query('select * from hookwright.bulk_operations where id = $1', [
      numberIn(bulkOperation.id),
    ]);
    expect(JSON.stringify(rows)).not.toContain('all of 42');
    dataOf(await mutate('cancelBulkOperation', { id: bulkOperation.id }, 'bulkOperation { status }'));
    const resumed = await mutate('resumeBulkOperation', { id: bulkOperation.id }, 'bulkOperation { status }');
    expect(refusalsOf(resumed)).toEqual(['bulk_operation_not_resumable']);
    expect((await read(`{ event(id: "${id}") { erasedAt } }`)).event.erasedAt).toBeNull();
  });

  test('refuses a number that no dry run gave this key for this filter, and one that is old or used', async () => {
    await emit({ payload: { code: 'few', discount_type: 'x' } });
    const input = withCode('few');
    const confirmed = (confirm: number | null, by = mutate, asked: object = input) =>
      erasing({ ...asked, confirm, reason: 'r' }, by).then(refusalsOf);
    expect(await confirmed(null)).toEqual(['required']);
    expect(await confirmed(1)).toEqual(['dry_run_required']);
    expect(await dryRun(input)).toBe(1);
    expect(await confirmed(2)).toEqual(['dry_run_required']);
    expect(await confirmed(1, mutate, withCode('many'))).toEqual(['dry_run_required']);
    expect(await confirmed(1, mutate, withCode('few', { since: '2026-01-01T00:00:00Z' }))).toEqual([
      'dry_run_required',
    ]);
    const other = api.by(await makeKey(api.services, tenant.id, [ERASE]));
    expect(await confirmed(1, other.mutate)).toEqual(['dry_run_required']);
    await api.owner.query(`update hookwright.erasure_counts set counted_at = now() - interval '10 minutes'`);
    expect(await confirmed(1)).toEqual(['dry_run_required']);
    await dryRun(input);
    const both = await Promise.all([confirmed(1), confirmed(1)]);
    expect(both.flat()).toEqual(['dry_run_required']);
    expect(both).toHaveLength(2);
  });

  test('waits for ten minutes when there are many, and can be canceled until then', async () => {
    const other = await makeTenant(api.services, [...SCOPES, ERASE]);
    await api.owner.query(
      `insert into hookwright.events (id, tenant_id, event_type, body)
       select hookwright.next_id(), $1, 'coupon.applied', '{}' from generate_series(1, 10001)`,
      [other.id],
    );
    const by = api.by(other);
    const input = { filter: { since: '2026-01-01T00:00:00Z' } };
    expect(dataOf(await erasing({ ...input, dryRun: true }, by.mutate)).eraseEvents.total).toBe(10_001);
    const { bulkOperation } = dataOf(await erasing({ ...input, confirm: 10_001, reason: 'r' }, by.mutate)).eraseEvents;
    const { rows } = await api.owner.query(
      `select extract(epoch from run_at - now()) as seconds from hookwright_jobs.jobs where key = $1`,
      [`b:${numberIn(bulkOperation.id)}`],
    );
    expect(Number(rows[0].seconds)).toBeGreaterThan(590);
    expect(Date.parse(bulkOperation.beginsAt) - Date.now()).toBeGreaterThan(590_000);
    const canceled = await by.mutate('cancelBulkOperation', { id: bulkOperation.id }, 'bulkOperation { status }');
    expect(dataOf(canceled).cancelBulkOperation.bulkOperation.status).toBe('CANCELED');
  });

  test('says what is wrong with a filter, a reason and a condition, and where', async () => {
    const issues = async (input: object) =>
      (await erasing(input)).errors[0].extensions.errors.map(
        ({ path, code }: { path: string[]; code: string }) => `${path.slice(1).join('.')} ${code}`,
      );
    expect(await issues({ filter: {}, dryRun: true })).toEqual(['filter nothing_chosen']);
    const field = (given: object) => ({
      filter: { field: { path: 'code', op: 'EQ', value: 'x', ...given } },
      dryRun: true,
    });
    expect(await issues(field({ path: 'a..b' }))).toEqual(['filter.field.path filter_path_malformed']);
    expect(await issues(field({ op: 'GT', value: true }))).toEqual(['filter.field.value filter_value_type']);
    expect(await issues({ filter: { eventTypes: ['no.such'] }, dryRun: true })).toEqual([
      'filter.eventTypes.0 event_type_unknown',
    ]);
    expect(await issues({ ...withCode('x'), confirm: 1 })).toEqual(['reason too_small']);
    expect(await issues({ ...withCode('x'), confirm: 1, reason: 'a'.repeat(501) })).toEqual(['reason too_big']);
  });
});

describe('who may not', () => {
  const bare = (answer: { errors: { message: string; extensions: { reason: string } }[] }) =>
    answer.errors.map(({ message, extensions }) => `${extensions.reason}: ${message}`);

  test('learns nothing of what there is: a key without the scope, one of support, another tenant', async () => {
    const id = await emit();
    const foreign = await makeTenant(api.services, [...SCOPES, ERASE]);
    const support = { ...(await makeKey(api.services, null, ['platform:support'])), tenant: tenant.id };
    for (const asking of [tenant, support]) {
      const { mutate: by } = api.by(asking);
      const answers = [id, gid.event(1), 'nonsense'].map((each) => erase(each, by));
      const told = new Set((await Promise.all(answers)).flatMap(bare));
      expect([...told]).toEqual([expect.stringMatching(/^scope_missing: .*events:erase/)]);
      expect(refusalsOf(await erasing({ ...withCode('x'), dryRun: true }, by))).toEqual(['scope_missing']);
    }
    const { mutate: by } = api.by(foreign);
    expect(bare(await erase(id, by))).toEqual([`not_found: There is no event ${id}.`]);
    expect(bare(await erase(gid.event(1), by))).toEqual(['not_found: There is no event ev_1.']);
    expect((await read(`{ event(id: "${id}") { erasedAt } }`)).event.erasedAt).toBeNull();
  });

  test('is a session of the portal with all its capabilities', async () => {
    await using site = await DashboardSite.open();
    const owner = await makeTenant(site.services, [...SCOPES, ERASE]);
    const capabilities = ['VIEW', 'MANAGE_ENDPOINTS', 'MANAGE_OPTIONS', 'SEND', 'SEE_SECRETS', 'BULK', 'MANAGE_KEYS'];
    const session = await site.openSession(owner.key, { capabilities });
    const query = 'mutation ($input: EraseEventInput!) { eraseEvent(input: $input) { event { id } } }';
    const answer = await site.ask(query, { input: { id: '1', reason: 'r' } }, session);
    expect(bare(answer)).toEqual([expect.stringMatching(/^scope_missing/)]);
    for (const path of ['1/erase', 'erase']) {
      const headers = { authorization: `Bearer ${session}`, 'content-type': 'application/json' };
      const over = await fetch(`${site.origin}/api/v1/events/${path}`, { method: 'POST', headers, body: '{}' });
      expect(await over.json()).toMatchObject({ status: 403, code: 'scope_missing' });
    }
  });

  test('grants the scope: only a platform key with platform:admin does', async () => {
    const grant = (asking: Parameters<typeof api.by>[0]) =>
      api.by(asking).mutate('createApiKey', { name: 'k', scopes: [ERASE] }, 'apiKey { scopes }');
    expect(dataOf(await grant(admin)).createApiKey.apiKey.scopes).toEqual([ERASE]);
    const support = { ...(await makeKey(api.services, null, ['platform:support'])), tenant: tenant.id };
    expect(refusalsOf(await grant(support))).toEqual(['scope_missing']);
    expect(refusalsOf(await grant(eraser))).toEqual(['scope_missing']);
  });

  test('erases beside an older daemon', async () => {
    const id = await emit();
    await api.owner.query(
      `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
       values (gen_random_uuid(), 'old', 1, '0.1.0', 1, 0, now())`,
    );
    try {
      expect(refusalsOf(await erase(id))).toEqual(['older_daemons']);
      const input = withCode('beside');
      await dryRun(input);
      expect(refusalsOf(await erasing({ ...input, confirm: 0, reason: 'r' }))).toEqual(['older_daemons']);
    } finally {
      await api.owner.query('delete from hookwright.daemons');
    }
  });
});
