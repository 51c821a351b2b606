import { afterAll, describe, expect, test } from 'vitest';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, makeWebhook } from '../support/factories.js';
import { codesOf, GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';
import { allPages, type Page, type PageArgs, pageInfo } from '../support/pages.js';
import { fc } from '../support/properties.js';

/** Outcomes of deliveries: status, last status code, last error code. */
const fates = [
  ['SUCCEEDED', 200, null],
  ['SUCCEEDED', 204, null],
  ['FAILED', 404, 'HTTP_404'],
  ['FAILED', 503, 'HTTP_503'],
  ['FAILED', 500, 'HTTP_500'],
  ['FAILED', 302, 'HTTP_302'],
  ['PENDING', null, 'TIMEOUT'],
  ['PENDING', null, 'CONNECT_FAILED'],
  ['PENDING', null, null],
  ['HELD', null, null],
  ['CANCELED', null, null],
  ['CANCELED', 503, 'HTTP_503'],
] as const;
/** Codes of coupons that mean something to SQL, to JSON or to a pattern. */
const hostile = ['100%', 'a_b', 'a\\b', "it's", 'say "hi"', 'ümläut 😀', "'; drop table x; --", '\u0000nul', '.*'];

interface Row {
  id: number;
  eventId: number;
  webhookId: number;
  eventType: string;
  status: string;
  statusCode: number | null;
  errorCode: string | null;
  body: string;
  key: string | null;
  attempts: number;
}

const emit = (tenantId: number, events: [body: object, key: string | null, eventType?: string][]) =>
  api.services.emitter.emit(
    events.map(([body, idempotencyKey, eventType = 'coupon.applied']) => ({
      tenantId,
      eventType,
      body: JSON.stringify(body),
      idempotencyKey,
      onlyWebhookId: null,
    })),
  );

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const other = await makeTenant(api.services);
const webhooks: number[] = [];
for (let n = 0; n < 3; n++) {
  webhooks.push((await makeWebhook(api.services, tenant.id)).id);
  await makeWebhook(api.services, other.id);
}
for (const { id } of [tenant, other]) {
  const events = Array.from({ length: 60 }, (_, n): [object, string | null, string] => [
    { code: hostile[n % hostile.length], n: `n${n}` },
    n % 5 === 0 ? `key-${n}` : null,
    n % 4 === 3 ? 'voucher.emitted' : 'coupon.applied',
  ]);
  await emit(id, events);
}
for (const [index, [status, code, error]] of fates.entries()) {
  await api.owner.query(
    `update hookwright.deliveries d
     set status = $1, last_status_code = $2, last_error_code = $3, attempt_count = case when $3::text is null then 0 else 1 end
     from (select id, row_number() over (order by id) as n from hookwright.deliveries) counted
     where d.id = counted.id and counted.n % $4 = $5`,
    [status, code, error, fates.length, index],
  );
}
const found = await api.owner.query(
  `select d.id::float8 as id, d.event_id::float8 as "eventId", d.webhook_id::integer as "webhookId", d.event_type as "eventType",
          d.status, d.last_status_code as "statusCode", d.last_error_code as "errorCode", e.body, k.key,
          d.attempt_count as attempts
   from hookwright.deliveries d join hookwright.events e on e.id = d.event_id
   left join hookwright.idempotency_keys k on k.event_id = e.id
   where d.tenant_id = $1 order by d.id desc`,
  [tenant.id],
);
const rows: Row[] = found.rows;
expect(rows).toHaveLength(180);
afterAll(() => api.close());

type Filter = Record<string, unknown>;
const typeOf = { deliveries: 'DeliveryFilter', events: 'EventFilter', auditLog: 'AuditLogFilter' };
type List = keyof typeof typeOf;
const { ask, read } = api.by(tenant);
const askFor = (list: List, filter: Filter) =>
  ask(`query ($filter: ${typeOf[list]}) { ${list}(filter: $filter) { edges { cursor } } }`, { filter });

async function page(args: PageArgs & { filter: Filter }, list: List, by = tenant): Promise<Page<{ id: string }>> {
  const data = await api.by(by).read(
    `query ($first: Int, $after: String, $last: Int, $before: String, $filter: ${typeOf[list]}) {
       ${list}(first: $first, after: $after, last: $last, before: $before, filter: $filter) {
         edges { cursor node { id } } ${pageInfo} } }`,
    { ...args },
  );
  return data[list];
}
const idsOf = (nodes: { id: string }[]) => nodes.map(({ id }) => numberIn(id));

/** Everything that a filter finds. */
const everything = async (filter: Filter, list: List = 'deliveries', size = 100, forwards = true): Promise<number[]> =>
  idsOf(await allPages((args) => page({ ...args, filter }, list), size, forwards));

const classOf: Record<string, (row: Row) => boolean> = {
  NO_ANSWER: ({ statusCode, errorCode }) => statusCode === null && errorCode !== null,
  ...Object.fromEntries(
    [2, 3, 4, 5].map((digit) => [
      `HTTP_${digit}XX`,
      ({ statusCode }: Row) => Math.floor((statusCode ?? 0) / 100) === digit,
    ]),
  ),
};

/** The meaning of a filter, without SQL. */
function meets(row: Row, filter: Filter): boolean {
  const is = (name: string, value: unknown) => filter[name] === undefined || filter[name] === value;
  const moment = (name: string) => new Date(filter[name] as string);
  return (
    is('status', row.status) &&
    is('eventType', row.eventType) &&
    is('errorCode', row.errorCode) &&
    is('webhookId', String(row.webhookId)) &&
    is('eventId', String(row.eventId)) &&
    is('idempotencyKey', row.key) &&
    (!filter['lastAttemptFailed'] || row.errorCode !== null) &&
    (!filter['retrying'] || (row.status === 'PENDING' && row.attempts > 0)) &&
    (filter['statusCodeClass'] === undefined || classOf[String(filter['statusCodeClass'])]!(row)) &&
    (filter['payloadContains'] === undefined || row.body.includes(String(filter['payloadContains']))) &&
    (filter['since'] === undefined || idToDate(row.id) >= moment('since')) &&
    (filter['until'] === undefined || idToDate(row.id) < moment('until'))
  );
}

describe('the filters of deliveries', () => {
  test('find exactly what meets all of them, on pages that together are the whole list', async () => {
    const dayAgo = new Date(Date.now() - 86_400_000).toISOString();
    const statuses = ['SUCCEEDED', 'FAILED', 'PENDING', 'HELD', 'CANCELED'];
    const some = <Value>(values: readonly Value[]) =>
      fc.option(fc.constantFrom(...values), { nil: undefined, freq: 2 });
    const filters: fc.Arbitrary<Filter> = fc.record({
      status: some(statuses),
      lastAttemptFailed: some([true, false]),
      eventType: some(['voucher.emitted', 'coupon.applied', 'booking.created']),
      errorCode: some(['HTTP_503', 'TIMEOUT', 'HTTP_404', 'TLS_FAILED']),
      statusCodeClass: some(Object.keys(classOf)),
      webhookId: some(webhooks.map(String)),
      eventId: some([String(rows[0]!.eventId), String(rows[100]!.eventId)]),
      idempotencyKey: some(['key-0', 'key-5', 'no-key']),
      payloadContains: some(['code', '100%', 'n1"', 'a_b', "it's", '\\"hi\\"']),
      since: some([dayAgo]),
      until: some([idToDate(rows[20]!.id).toISOString()]),
    });
    const sizes = fc.constantFrom(1, 2, 7, 50, 100);
    await fc.assert(
      fc.asyncProperty(filters, sizes, fc.boolean(), async (drawn, size, forwards) => {
        const filter = JSON.parse(JSON.stringify(drawn['payloadContains'] ? { ...drawn, since: dayAgo } : drawn));
        const wanted = rows.filter((row) => meets(row, filter)).map(({ id }) => id);
        // Pages of one of everything would be long to read.
        const pageSize = wanted.length > 40 ? Math.max(size, 7) : size;
        expect(await everything(filter, 'deliveries', pageSize, forwards)).toEqual(wanted);
      }),
      {
        examples: statuses.flatMap((status): [Filter, 7, boolean][] => [
          [{ retrying: true }, 7, true],
          [{ status }, 7, true],
          [{ status }, 7, false],
        ]),
      },
    );
  });

  test('are counted by the views of the list, up to a thousand, and each view is a filter of the list', async () => {
    const views: Record<string, Filter> = {
      all: {},
      retrying: { retrying: true },
      failed: { status: 'FAILED' },
      held: { status: 'HELD' },
      delivered: { status: 'SUCCEEDED' },
      lastAttemptFailed: { lastAttemptFailed: true },
    };
    const names = Object.keys(views).join(' ');
    const others: Filter[] = [
      {},
      { webhookId: String(webhooks[0]) },
      { eventType: 'voucher.emitted' },
      { errorCode: 'TIMEOUT' },
      { idempotencyKey: 'key-5' },
      { idempotencyKey: 'no-key' },
      { payloadContains: 'n1"', since: new Date(Date.now() - 3_600_000).toISOString() },
    ];
    for (const filter of others) {
      // On a busy machine a count may take longer than 50 ms, and is null then.
      const counts = await eventually(async () => {
        const { deliveryCounts } = await read(
          `query ($filter: DeliveryFilter) { deliveryCounts(filter: $filter) { ${names} } }`,
          { filter },
        );
        const all: (number | null)[] = Object.values(deliveryCounts);
        return all.includes(null) ? Promise.reject(new Error('it took too long')) : all;
      });
      const wanted = Object.values(views).map(
        (view) => rows.filter((row) => meets(row, { ...filter, ...view })).length,
      );
      expect(counts, JSON.stringify(filter)).toEqual(wanted);
    }
    const { errors } = await ask('{ deliveryCounts(filter: { status: HELD }) { all } }');
    expect(errors[0].extensions.errors).toEqual([
      { path: ['filter', 'status'], code: 'contradiction', detail: 'has no meaning here: each count has its own' },
    ]);
  });

  test.each(hostile)('take the text %j letter by letter', async (text) => {
    const part = JSON.stringify(text).slice(1, -1);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const filter = { payloadContains: part.length < 3 ? `:"${part}"` : part, since };
    const wanted = rows.filter((row) => meets(row, filter)).map(({ id }) => id);
    expect(wanted.length).toBeGreaterThan(0);
    expect(wanted.length).toBeLessThan(rows.length);
    expect(await everything(filter)).toEqual(wanted);
    const events = [...new Set(rows.filter((row) => meets(row, filter)).map(({ eventId }) => eventId))];
    expect(await everything(filter, 'events')).toEqual(events.sort((a, b) => b - a));
  });

  test('take no wildcard for one: %%% and ___ find nothing', async () => {
    const since = new Date(Date.now() - 3_600_000).toISOString();
    for (const payloadContains of ['%%%', '___', '(.*)', '\\\\\\\\\\']) {
      expect(await everything({ payloadContains, since })).toEqual([]);
    }
  });

  test('know nothing of other tenants: their events and webhooks are not there, their keys and payloads find nothing', async () => {
    const { rows: foreign } = await api.owner.query(
      'select event_id::text as "eventId", webhook_id::text as "webhookId" from hookwright.deliveries where tenant_id = $1 limit 1',
      [other.id],
    );
    const { eventId, webhookId } = foreign[0];
    for (const filter of [{ eventId }, { webhookId }]) {
      const { data, errors } = await askFor('deliveries', filter);
      expect(data).toEqual({ deliveries: null });
      expect(errors[0].extensions).toMatchObject({ code: 'NOT_FOUND' });
    }
    await emit(other.id, [[{ code: 'theirs' }, 'their-key']]);
    const since = new Date(Date.now() - 3_600_000).toISOString();
    for (const filter of [{ idempotencyKey: 'their-key' }, { payloadContains: 'theirs', since }]) {
      for (const list of ['deliveries', 'events'] as const) {
        expect(await everything(filter, list)).toEqual([]);
        expect((await page({ filter }, list, other)).edges.length).toBeGreaterThan(0);
      }
    }
  });

  test("of a webhook's own list work there too", async () => {
    const { webhooks } = await read(
      `{ webhooks { edges { node { id deliveries(first: 100, filter: {statusCodeClass: HTTP_5XX, errorCode: "HTTP_503"}) {
         edges { node { id } } } } } } }`,
    );
    for (const node of nodesOf(webhooks)) {
      const wanted = rows.filter(
        (row) => gid.webhook(row.webhookId) === node.id && row.errorCode === 'HTTP_503' && row.statusCode === 503,
      );
      expect(idsOf(nodesOf(node.deliveries))).toEqual(wanted.map(({ id }) => id));
    }
  });
});

describe('events', () => {
  test('are found by their idempotency key', async () => {
    const wanted = rows.find(({ key }) => key === 'key-25')!.eventId;
    expect(await everything({ idempotencyKey: 'key-25' }, 'events')).toEqual([wanted]);
    expect(await everything({ idempotencyKey: 'key-26' }, 'events')).toEqual([]);
  });
});

test.each(['deliveries', 'events', 'auditLog'] as const)(
  '%s of a time that ends before it begins are bad input, not an empty list',
  async (list) => {
    for (const until of ['2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z']) {
      const { errors } = await askFor(list, { since: '2026-01-02T00:00:00Z', until });
      expect(errors[0].message).toBe('filter.until: must be later than `since`');
    }
  },
);

describe('a search of payloads', () => {
  const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  test.each([
    ['without since', { payloadContains: 'abc' }, 'since'],
    ['of more than 7 days', { payloadContains: 'abc', since: ago(7.1) }, 'since'],
    ['of more than 7 days until then', { payloadContains: 'abc', since: ago(20), until: ago(12) }, 'since'],
    ['for two letters', { payloadContains: 'ab', since: ago(1) }, 'payloadContains'],
  ])('%s is bad input, in both lists', async (_name, filter, field) => {
    for (const list of ['deliveries', 'events'] as const) {
      const { errors } = await askFor(list, filter);
      expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path: ['filter', field] }] });
    }
  });

  test('names all broken rules at once', async () => {
    const { errors } = await askFor('events', { payloadContains: 'ab' });
    expect(errors[0].extensions.errors).toMatchObject([
      { path: ['filter', 'payloadContains'] },
      { path: ['filter', 'since'], code: 'required' },
    ]);
  });

  test('of 7 days is allowed, wherever they lie', async () => {
    expect(await everything({ payloadContains: 'abc', since: ago(20), until: ago(13.01) })).toEqual([]);
    expect(await everything({ payloadContains: 'abc', since: ago(6.99) })).toEqual([]);
  });

  test('shows what payloads are, so it needs events:read', async () => {
    const { key } = await makeKey(api.services, tenant.id, ['deliveries:read']);
    const codes = async (filter: string) =>
      codesOf(await api.by({ key }).ask(`{ deliveries(filter: {${filter}}) { edges { cursor } } }`));
    expect(await codes(`payloadContains: "abc", since: "${ago(1)}"`)).toEqual(['FORBIDDEN']);
    expect(await codes('errorCode: "TIMEOUT"')).toEqual([]);
  });
});
