import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DueDelivery, loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { type ClaimedJson, claimedJobs } from '../../src/operations/emits/claimed-jobs.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { couponEmit, makeWebhook } from '../support/factories.js';
import { jobsIn } from '../support/jobs.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

const WEBHOOKS_MAX = 24;

let stack: DeliveryStack;
let pool: pg.Pool;
/** In a transaction that is rolled back after each draw. */
let client: pg.PoolClient;
const webhookIds: number[] = [];

beforeAll(async () => {
  stack = await DeliveryStack.open();
  for (let i = 0; i < WEBHOOKS_MAX; i++) {
    webhookIds.push((await makeWebhook(stack.services, stack.tenantId)).id);
  }
  client = await stack.services.db.pool.connect();
  pool = client as unknown as pg.Pool; // what has the form of a pool's method is the connection's, too
});
afterAll(async () => {
  client?.release(true);
  await stack[Symbol.asyncDispose]();
});

const webhook = fc.record({
  types: fc.constantFrom('{*}', '{coupon.applied}', '{booking.created,coupon.applied}', '{booking.created}'),
  state: fc.constantFrom(
    'deleted_at = null',
    'deleted_at = null',
    'deleted_at = null',
    `deleted_at = null, active = false, hold_until = now() + interval '1 hour'`,
    'deleted_at = null, active = false, hold_until = now()',
    'deleted_at = now()',
    `deleted_at = null, closed_until = now() + interval '1 hour'`,
    `deleted_at = null, next_probe_at = now() + interval '1 hour'`,
    `deleted_at = null, previous_sealed_secret = '', previous_secret_expires_at = now() + interval '1 hour'`,
    'deleted_at = null, consecutive_failures = 3, generation = 7',
  ),
  options: fc.option(
    fc.record({
      filter: fc.constantFrom(null, null, '$.code == "A"', '$.n > 1', '$type == "coupon.applied"', '$.list[*] == 3'),
      comparisons: fc.constantFrom(1, 1, 1, 400_000),
      compiling: fc.constantFrom(0, 0, 0, 600_000),
      content: fc.constantFrom(null, null, 77),
      order: fc.constantFrom('NONE', 'NONE', 'KEY', 'ENDPOINT'),
      path: fc.constantFrom(null, '$.code', '$.n', '$.none'),
      keep: fc.constantFrom(null, 'ALL', 'LATEST', 'LATEST'),
      settle: fc.constantFrom(null, 30, 600),
    }),
    { freq: 3 },
  ),
});
type Webhook = typeof webhook extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const event = fc.record({
  type: fc.constantFrom(...new Array<string>(8).fill('coupon.applied'), 'booking.created', 'no.type', 'webhook.test'),
  body: fc.constantFrom('{}', '{"code":"A"}', '{"code":"B","n":2}', '{"list":[1,2,3],"n":1}', '{"code":"\\u0000"}'),
  lane: fc.constantFrom(0, 0, 0, 10),
  idempotencyKey: fc.constantFrom(null, null, null, 'k1', 'k2'),
  orderingKey: fc.constantFrom(null, null, 'o1', 'o2'),
});
type Event = typeof event extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const drawn = fc.record({
  webhooks: fc.oneof(fc.array(webhook, { maxLength: 6 }), fc.array(webhook, { maxLength: WEBHOOKS_MAX })),
  events: fc.array(event, { minLength: 1, maxLength: 4 }),
  claims: fc.constantFrom({ priority: 0, max: 100 }, { priority: 0, max: 2 }, { priority: 10, max: 1_000 }),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;

const rows = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await client.query<Row>(text, values)).rows;

async function place(webhooks: readonly Webhook[]): Promise<void> {
  await rows('update hookwright.webhooks set deleted_at = now()');
  for (const [index, { types, state, options }] of webhooks.entries()) {
    await rows(`update hookwright.webhooks set event_types = '${types}', ${state} where id = $1`, [webhookIds[index]]);
    if (options !== null) {
      await rows(
        `insert into hookwright.webhook_options (webhook_id, tenant_id, filter, filter_path, filter_comparisons,
           filter_compiling, content_id, ordering_by, ordering_path, ordering_keep, ordering_settle_seconds)
         values ($1, $2, '{}', $3, $4, $5, $6, $7, $8, $9, $10)`,
        [
          ...[webhookIds[index], stack.tenantId, options.filter, options.comparisons, options.compiling],
          ...[
            options.content,
            options.order,
            options.order === 'KEY' ? options.path : null,
            options.keep,
            options.settle,
          ],
        ],
      );
    }
  }
}

interface Answer {
  event_id: number | null;
  claimed: ClaimedJson | null;
}

const columns = 'event_id, delivery_count, duplicate, error_code, claimed';

const ways = {
  lone: ({ type, body, lane, idempotencyKey, orderingKey }: Event, { priority, max }: Drawn['claims']) =>
    rows<Answer>(`select ${columns} from hookwright.emit_lone_event($1, $2, $3, $4, 'pool', $5, $6, $7, $8)`, [
      ...[stack.tenantId, type, body, lane, priority, max, idempotencyKey, orderingKey],
    ]),
  general: ({ type, body, lane, idempotencyKey, orderingKey }: Event, { priority, max }: Drawn['claims']) =>
    rows<Answer>(
      `select ${columns} from hookwright.emit_events_once(array[$1::bigint], array[$2], array[$3], array[$4],
         '{null}', array[$5::integer], null, 'pool', $6, $7, case when $8::text is not null then array[$8] end)`,
      [...[stack.tenantId, type, body, idempotencyKey, lane, priority, max, orderingKey]],
    ),
};

/** What a claim hands to the daemon is what the daemon would load. */
async function expectLoaded({ claimed, event_id }: Answer, { type: eventType, body }: Event): Promise<void> {
  // The transaction's, which has begun before. What settles is not claimed.
  await rows('update hookwright.deliveries set due_at = now() where settling_since is null');
  const jobs = claimedJobs(claimed!, [couponEmit(stack.tenantId, { eventType, body })], 0);
  for (const { payload } of jobs) {
    for (const [id, due] of payload.loaded!.deliveries) {
      const named = { id, attempt: 1, ...('group' in payload && { group: payload.group }) };
      const [loaded] = await loadDeliveries(pool, [named]);
      expect(due).toEqual({ ...(loaded as DueDelivery), isProbe: false });
      expect(due.content === null || due.content.eventId === event_id).toBe(true);
    }
  }
}

/**
 * All that the events write and answer, without what is not promised: ids, which deliveries share a job, and who has
 * the jobs of ordered ones, which only the lone way claims.
 */
async function effectOf({ webhooks, events, claims }: Drawn, way: keyof typeof ways) {
  await rows('begin');
  try {
    await place(webhooks);
    const answers: Answer[] = [];
    for (const one of events) {
      const [answer] = await ways[way](one, claims);
      answers.push(answer!);
      if (way === 'lone' && answer!.claimed !== null) {
        await expectLoaded(answer!, one);
      }
    }
    const ranks = new Map<number, string>();
    for (const [index, { id }] of (
      await rows<{ id: number }>('select id from hookwright.events order by id')
    ).entries()) {
      ranks.set(id, `event ${index}`);
    }
    const deliveries = await rows<Record<string, number>>('select * from hookwright.deliveries');
    for (const { id, event_id, webhook_id } of deliveries) {
      ranks.set(id!, `${ranks.get(event_id!)} to ${webhook_id}`);
    }
    const nameOf = (id: number | null) => (id === null ? null : ranks.get(id));
    const isOrdered = (id: number) => deliveries.find((one) => one['id'] === id)!['ordering_key'] !== null;
    const jobs = (await jobsIn(client)).map(({ id, payload, priority, attempts, locked_by }) => {
      const { ids = [payload.id] } = payload as { id: number; ids?: number[] };
      const groups = deliveries.filter((one) => ids.includes(one['id']!)).map(({ job_group }) => job_group);
      expect(groups).toEqual(ids.map(() => (ids.length === 1 ? null : ids[0])));
      return { id: Number(id), ids, priority, ...(!isOrdered(ids[0]!) && { attempts, locked_by }) };
    });
    const sizeOf = (claimed: number) => jobs.find(({ id }) => id === claimed)!.ids.length;
    const shown = answers.map(({ claimed, event_id, ...answer }) => {
      const others = claimed?.deliveries.filter(([id]) => !isOrdered(id)) ?? [];
      const shared = claimed?.jobs.filter(([, payload]) => 'ids' in payload || !isOrdered(payload.id)) ?? [];
      return {
        ...answer,
        event: nameOf(event_id),
        deliveries: others.map(([id, item, webhookId]) => `${nameOf(id)} ${item} ${webhookId}`).sort(),
        jobs: shared.map(([id]) => sizeOf(id)).sort(),
      };
    });
    const queues = await rows<{ delivery_id: number }>(
      'select webhook_id, key, delivery_id from hookwright.ordering_queue order by webhook_id, key, position',
    );
    return {
      answers: shown,
      events: await rows('select event_type, body, only_webhook_id, ordering_key from hookwright.events order by id'),
      deliveries: deliveries
        .map(({ id, event_id, job_group, due_at, finished_at, settling_since, superseded_by, ...row }) => ({
          ...{ name: nameOf(id!), by: nameOf(superseded_by ?? null), settles: settling_since !== null, ...row },
          ...{ isDueLater: settling_since !== null && Number(due_at) - Number(settling_since) > 1_000 },
        }))
        .sort((a, b) => (a.name! < b.name! ? -1 : 1)),
      jobs: jobs
        .map(
          ({ id, ids, ...job }) =>
            `${ids.length} of ${nameOf(ids[0]!)?.slice(0, 'event 0'.length)} ${JSON.stringify(job)}`,
        )
        .sort(),
      keys: (await rows<{ event_id: number }>('select * from hookwright.idempotency_keys order by key')).map(
        ({ event_id, ...row }) => ({ ...row, created_at: null, event: nameOf(event_id) }),
      ),
      orderingKeys: await rows('select webhook_id, key from hookwright.ordering_keys order by 1, 2'),
      queues: queues.map(({ delivery_id, ...row }) => ({ ...row, name: nameOf(delivery_id) })),
    };
  } finally {
    await rows('rollback');
  }
}

test(
  'an event alone in its transaction has the effect of a batch with one, whatever its webhooks filter, send and order',
  async () => {
    await fc.assert(
      fc.asyncProperty(drawn, async (one) => {
        expect(await effectOf(one, 'lone')).toEqual(await effectOf(one, 'general'));
      }),
      draws(2),
    );
  },
  drawsTimeoutMs(60_000),
);

test('a call of version 0.1.0, which gives no keys, is a call of the same function', async () => {
  await rows('begin');
  try {
    await place([{ types: '{*}', state: 'deleted_at = null', options: null }]);
    const answer = await rows(
      `select delivery_count, error_code, claimed is not null as is_claimed
       from hookwright.emit_lone_event($4, $5, $6, $7, $1, $2, $3)`,
      ['pool', 0, 100, stack.tenantId, 'coupon.applied', '{}', 0],
    );
    expect(answer).toEqual([{ delivery_count: 1, error_code: null, is_claimed: true }]);
  } finally {
    await rows('rollback');
  }
});
