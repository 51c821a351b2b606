import { afterAll, describe, expect, test } from 'vitest';
import { ERASE, SCOPES } from '../../src/domain/keys/scopes.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { expectFits, type Json } from '../support/openapi-document.js';
import { RestApi } from '../support/rest-api.js';

const api = await RestApi.open();
const { id: tenantId } = api.tenant;
const { key } = await makeKey(api.services, tenantId, [...SCOPES, ERASE]);
const { body: document } = await api.ask('GET /openapi.json', { key: null });
afterAll(() => api[Symbol.asyncDispose]());

const post = (path: string, json: unknown, by = key, headers = {}) =>
  api.ask(`POST ${path}`, { json, key: by, headers });
const erase = (id: string, json: unknown = { reason: 'asked for' }, by = key) => post(`/events/${id}/erase`, json, by);
const eraseAll = (json: unknown, by = key) => post('/events/erase', json, by);
const ofCode = (value: unknown) => ({ filter: { field: { path: 'code', op: 'EQ', value } } });
const pointers = ({ body }: { body: Json }) => body.errors?.map(({ pointer, code }: Json) => `${pointer} ${code}`);

async function graphql(source: string, input: object): Promise<Json> {
  const { body } = await api.ask('POST //graphql', { json: { query: source, variables: { input } }, key });
  expect(body.errors).toBeUndefined();
  return body.data;
}

async function emit(code: string): Promise<string> {
  const input = { event: 'coupon.applied', payload: { code, discount_type: 'x' } };
  const made = await graphql('mutation ($input: EmitEventInput!) { emitEvent(input: $input) { event { id } } }', input);
  return made.emitEvent.event.id;
}

async function schedule(code: string): Promise<string> {
  const payload = { code, discount_type: 'x' };
  const made = await graphql(
    'mutation ($input: ScheduleEventInput!) { scheduleEvent(input: $input) { scheduledEvent { id } } }',
    { event: 'coupon.applied', payload, delaySeconds: 3_600 },
  );
  return made.scheduleEvent.scheduledEvent.id;
}

async function isErased(id: string): Promise<boolean> {
  const table = id.startsWith('se_') ? 'scheduled_events' : 'events';
  const { rows } = await api.owner.query(
    `select erased_at is not null and body = '{}' as is from hookwright.${table} where id = $1`,
    [id.slice(3)],
  );
  return rows[0].is;
}

describe('POST /events/{id}/erase', () => {
  test('erases an event, by its id or its number, and says the same when it is erased already', async () => {
    const id = await emit('one');
    const { status, body } = await erase(id);
    expect(status).toBe(200);
    expectFits(document, document.components.schemas.ErasedEventResult, body);
    expect(body.data).toMatchObject({ id, event: 'coupon.applied', erased_at: expect.any(String) });
    expect((await erase(id.slice(3))).body).toEqual(body);
    expect(await isErased(id)).toBe(true);
  });

  test('erases a scheduled event', async () => {
    const id = await schedule('later');
    const { status, body } = await erase(id);
    expect({ status, id: body.data.id }).toEqual({ status: 200, id });
    expect(await isErased(id)).toBe(true);
  });

  test.each(['ev_1', '1', 'se_999', 'wh_1', 'nonsense', '0', '-1', '99999999999999999999', '%00'])(
    'answers 404 to the id %s',
    async (id) => {
      const { status, body } = await erase(id);
      expect({ status, code: body.code }).toEqual({ status: 404, code: 'not_found' });
    },
  );

  test.each<[unknown, string]>([
    [{}, '/reason required'],
    [{ reason: '' }, '/reason too_small'],
    [{ reason: ' \u200b ' }, '/reason too_small'],
    [{ reason: 'a'.repeat(501) }, '/reason too_big'],
    [{ reason: 'a\u0000b' }, '/reason invalid_format'],
    [{ reason: 7 }, '/reason invalid_type'],
    [{ reason: null }, '/reason invalid_type'],
    [{ reason: 'r', confirm: 1 }, '/confirm unknown_property'],
    [[], ' invalid_type'],
    ['text', ' invalid_type'],
  ])('refuses the body %j and erases nothing', async (json, expected) => {
    const id = await emit('kept');
    const answer = await erase(id, json);
    expect(answer.status).toBe(422);
    expect(pointers(answer)).toEqual([expected]);
    expect(await isErased(id)).toBe(false);
  });
});

describe('POST /events/erase', () => {
  test('counts, and erases what was counted once its number is named', async () => {
    const [id, later] = [await emit('all of 42'), await schedule('all of 42')];
    const dry = await eraseAll({ ...ofCode('all of 42'), dry_run: true });
    expectFits(document, document.components.schemas.BulkErasureStartedResult, dry.body);
    expect(dry).toMatchObject({ status: 200, body: { data: { total: 2, total_capped: false, operation: null } } });
    expect(await Promise.all([id, later].map(isErased))).toEqual([false, false]);
    const confirmed = { ...ofCode('all of 42'), confirm: 2, reason: 'Request 118' };
    const { status, body } = await eraseAll(confirmed);
    expectFits(document, document.components.schemas.BulkErasureStartedResult, body);
    expect({ status, data: body.data }).toEqual({
      status: 200,
      data: {
        total: 2,
        total_capped: false,
        operation: { id: expect.any(String), status: 'RUNNING', begins_at: null },
      },
    });
    expect(pointers(await eraseAll(confirmed))).toEqual(['/confirm dry_run_required']);
  });

  test('takes all conditions together', async () => {
    await emit('together');
    const filter = { events: ['coupon.applied'], since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00+01:00' };
    const field = { path: 'code', op: 'IN', value: ['together'] };
    expect((await eraseAll({ filter: { ...filter, field }, dry_run: true })).body.data.total).toBe(1);
    expect((await eraseAll({ filter: { field }, dry_run: true })).body.data.total).toBe(1);
  });

  test('refuses a number that no dry run gave this key for this filter', async () => {
    await emit('few');
    const confirm = (confirm: unknown, code = 'few', by = key) =>
      eraseAll({ ...ofCode(code), confirm, reason: 'r' }, by);
    expect(pointers(await confirm(undefined))).toEqual(['/confirm required']);
    expect(pointers(await confirm(1))).toEqual(['/confirm dry_run_required']);
    expect((await eraseAll({ ...ofCode('few'), dry_run: true })).body.data.total).toBe(1);
    expect(pointers(await confirm(2))).toEqual(['/confirm dry_run_required']);
    expect(pointers(await confirm(1, 'many'))).toEqual(['/confirm dry_run_required']);
    const { key: other } = await makeKey(api.services, tenantId, [ERASE]);
    expect(pointers(await confirm(1, 'few', other))).toEqual(['/confirm dry_run_required']);
    expect((await eraseAll({ ...ofCode('few'), confirm: 1 })).body.errors).toMatchObject([{ pointer: '/reason' }]);
    expect((await confirm(1)).status).toBe(200);
  });

  test.each<[unknown, string]>([
    [{}, '/filter required'],
    [{ filter: {} }, '/filter nothing_chosen'],
    [{ filter: null }, '/filter invalid_type'],
    [{ filter: { events: [] } }, '/filter/events too_small'],
    [{ filter: { events: ['no.such'] } }, '/filter/events/0 event_type_unknown'],
    [{ filter: { events: ['*'] } }, '/filter/events event_type_unknown'],
    [{ filter: { events: 'coupon.applied' } }, '/filter/events invalid_type'],
    [{ filter: { events: [1] } }, '/filter/events/0 invalid_type'],
    [{ filter: { since: 'yesterday' } }, '/filter/since invalid_format'],
    [{ filter: { since: 5 } }, '/filter/since invalid_type'],
    [{ filter: { since: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' } }, '/filter/until out_of_range'],
    [{ filter: { event_types: ['coupon.applied'] } }, '/filter/event_types unknown_property'],
    [{ filter: { field: { path: 'a..b', op: 'EQ', value: 1 } } }, '/filter/field/path filter_path_malformed'],
    [{ filter: { field: { path: 'a', op: 'IS', value: 1 } } }, '/filter/field/op invalid_value'],
    [{ filter: { field: { path: 'a', op: 'EQ' } } }, '/filter/field/value required'],
    [{ filter: { field: { path: 'a', op: 'GT', value: true } } }, '/filter/field/value filter_value_type'],
    [
      { filter: { field: { path: 'a', op: 'EQ', value: { __proto__: null } } } },
      '/filter/field/value filter_value_type',
    ],
    [{ filter: { field: { path: 'a', op: 'EQ', value: 'x\u0000' } } }, '/filter/field/value filter_value_type'],
    [{ ...ofCode(1), dry_run: 'yes' }, '/dry_run invalid_type'],
    [{ ...ofCode(1), confirm: 1.5, reason: 'r' }, '/confirm invalid_type'],
    [{ ...ofCode(1), confirm: '1', reason: 'r' }, '/confirm invalid_type'],
    [{ ...ofCode(1), confirm: -1, reason: 'r' }, '/confirm too_small'],
    [{ ...ofCode(1), confirm: 2 ** 31, reason: 'r' }, '/confirm too_big'],
    [{ ...ofCode(1), confirm: 0, reason: 'a'.repeat(501) }, '/reason too_big'],
  ])('refuses %j', async (json, expected) => {
    const answer = await eraseAll({ dry_run: (json as Json).confirm === undefined, ...(json as object) });
    expect(answer.status).toBe(422);
    expect(pointers(answer)).toEqual([expected]);
  });
});

describe('who may not', () => {
  test('learns nothing: a key without the scope, one of support, another tenant', async () => {
    const id = await emit('mine');
    const refused = async (by: string, headers = {}) => {
      const ids = [id, 'ev_1', 'nonsense'].map((each) => post(`/events/${each}/erase`, {}, by, headers));
      const answers = [...(await Promise.all(ids)), await post('/events/erase', {}, by, headers)];
      return [...new Set(answers.map(({ status, body }) => `${status} ${body.code}`))];
    };
    expect(await refused(api.tenant.key)).toEqual(['403 scope_missing']);
    const { key: support } = await makeKey(api.services, null, ['platform:support']);
    expect(await refused(support, { 'hookwright-tenant': String(tenantId) })).toEqual(['403 scope_missing']);
    expect(await refused('hw_nobody')).toEqual(['401 unauthenticated']);
    const foreign = await makeTenant(api.services, [...SCOPES, ERASE]);
    const answers = await Promise.all([id, 'ev_1'].map((each) => erase(each, undefined, foreign.key)));
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect((await eraseAll({ ...ofCode('mine'), dry_run: true }, foreign.key)).body.data.total).toBe(0);
    expect(await isErased(id)).toBe(false);
  });

  test('erases beside an older daemon', async () => {
    const id = await emit('beside');
    await api.owner.query(
      `insert into hookwright.daemons (id, host, pid, version, slots, in_flight, started_at)
       values (gen_random_uuid(), 'old', 1, '0.1.0', 1, 0, now())`,
    );
    try {
      expect((await erase(id)).body).toMatchObject({ status: 409, code: 'older_daemons' });
    } finally {
      await api.owner.query('delete from hookwright.daemons');
    }
  });
});
