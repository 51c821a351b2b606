import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Daemon } from '../../daemon/daemon.js';
import { Claims, type ClaimsDeps } from '../../daemon/jobs/claims.js';
import { toApiError } from '../../src/api/context/faults.js';
import type { Emit } from '../../src/domain/events/emit.js';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import type { LocalDaemon } from '../../src/operations/emits/local-daemon.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import type { WebhookChange } from '../../src/operations/webhooks/update-webhook.js';
import { API_ROLE } from '../../src/platform/database/tenant-database.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { isTaskKnown, jobsIn, OF_DELIVERIES } from '../support/jobs.js';
import { answer, holdAnswers, startReceiver } from '../support/receiver.js';

const jobsOf = (stack: DeliveryStack) => jobsIn(stack, OF_DELIVERIES);

/** A daemon that the stack's emits claim deliveries for, as `hookwright start` has it. */
async function startLocalDaemon(stack: DeliveryStack): Promise<Daemon> {
  const daemon = stack.startDaemon();
  await eventually(async () => daemon.claims.claim([]) !== null && (await isTaskKnown(stack, 'deliver-group')));
  stack.services.emitter.claimFor(daemon.claims);
  return daemon;
}

const inPace: LocalDaemon['inPace'] = (_tenantId, _events, emit) => emit();

const claimedBy = async (daemon: Daemon) => {
  const metric = await daemon.registry.getSingleMetric('hookwright_claimed_deliveries_total')!.get();
  return metric.values[0]?.value;
};

describe('an emit in the process of a daemon', () => {
  let stack: DeliveryStack;
  let receiver: Endpoint;
  let daemon: Daemon;
  beforeEach(async () => {
    stack = await DeliveryStack.open();
    receiver = await stack.endpoint();
    daemon = await startLocalDaemon(stack);
  });
  afterEach(() => stack[Symbol.asyncDispose]());

  test('claims its deliveries: their job is locked from the start, sent without a fetch, and gone in the end', async () => {
    const arrived = holdAnswers(receiver, answer(200));
    await stack.emit();
    expect(await jobsOf(stack)).toMatchObject([{ locked_by: expect.any(String), attempts: 1 }]);
    (await arrived())();
    await stack.succeeded(1);
    await stack.noDeliveryJobs();
    expect(await claimedBy(daemon)).toBe(1);
    const [attempt] = await stack.rows('select number, status_code from hookwright.attempts');
    expect(attempt).toEqual({ number: 1, status_code: 200 });
  });

  test('has each delivery of a fan-out sent to its own webhook with its own secret', async () => {
    const paths = ['a', 'b', 'c', 'd'];
    for (const path of paths) {
      await stack.webhook(`${receiver.url}/${path}`);
    }
    await Promise.all([stack.emit(), stack.emit('voucher.emitted', { voucher: 'V' })]);
    await stack.succeeded(10);
    expect(await claimedBy(daemon)).toBe(10);
    const got = receiver.received.map(({ path, headers }) => `${path.at(-1)} ${headers['x-service-event']}`);
    expect(got.sort()).toEqual(
      [...paths, 'k'].flatMap((path) => [`${path} coupon.applied`, `${path} voucher.emitted`]),
    );
  });

  test('signs with the secret before the last rotation too', async () => {
    const { db, vault, random } = stack.services;
    const rotation = { webhookId: receiver.webhookId, overlapHours: 1, by: commandLine };
    await rotateSecret(db, vault, random, stack.tenantId, rotation);
    await stack.emit();
    await stack.succeeded(1);
    const [request] = receiver.received;
    expect(String(request?.headers['webhook-signature']).split(' ')).toHaveLength(2);
  });

  test('of one event writes what an emit without a daemon writes, whatever number of webhooks it is for', async () => {
    await using own = await DeliveryStack.open();
    await using receiver = await startReceiver();
    const written = () =>
      own.rows(
        `select d.tenant_id, d.event_type, d.attempts_before, d.run, d.job_group is null as alone, d.cancel_reason,
                e.event_type as type, e.body, d.due_at between now() - interval '1 minute' and now() as due
         from hookwright.events e left join hookwright.deliveries d on d.event_id = e.id
         where e.id = (select max(id) from hookwright.events) order by d.id`,
      );
    const without: unknown[] = [await own.emit().then(written)];
    const paths = ['a', 'b'];
    for (const path of paths) {
      await own.webhook(`${receiver.url}/${path}`, ['coupon.applied']);
      without.push(await own.emit().then(written));
    }
    await own.rows(`update hookwright.webhooks set active = false`);
    await startLocalDaemon(own);
    const beside: unknown[] = [await own.emit().then(written)];
    for (const path of paths) {
      await own.rows(`update hookwright.webhooks set active = true where url like '%/${path}'`);
      beside.push(await own.emit().then(written));
    }
    expect(beside).toEqual(without);
  });

  test('claims what has a filter, another content or its turn, and not what waits for its turn', async () => {
    const waiting: (() => void)[] = [];
    receiver.answerWith((request, response) => waiting.push(() => answer(200)(request, response)));
    const webhook = async (path: string, change: WebhookChange) =>
      stack.change((await stack.webhook(`${receiver.url}/${path}`)).id, change);
    await stack.change(receiver.webhookId, { by: 'ENDPOINT' });
    await webhook('message', { format: 'SLACK' });
    await webhook('kept', { filter: { field: { path: 'code', op: 'EQ', value: 'A' } } });
    await webhook('left-out', { filter: { field: { path: 'code', op: 'EQ', value: 'B' } } });
    const body = '{"code":"A","discount_type":"x"}';
    await stack.services.emitter.emit([couponEmit(stack.tenantId, { body, idempotencyKey: 'first' })]);
    expect(await claimedBy(daemon)).toBe(3);
    await stack.services.emitter.emit([couponEmit(stack.tenantId, { body, orderingKey: 'k' })]);
    expect(await claimedBy(daemon)).toBe(5);
    expect((await stack.deliveries()).filter(({ status }) => status === 'WAITING')).toHaveLength(1);
    await eventually(() => waiting.length === 5);
    receiver.answerWith(answer(200));
    for (const respond of waiting) {
      respond();
    }
    await stack.succeeded(6);
    const sent = receiver.received.map((request) => `${request.path} ${request.body}`).sort();
    expect(sent).toEqual([
      ...[1, 2].map(() => `/hook ${body}`),
      ...[1, 2].map(() => `/hook/kept ${body}`),
      ...[1, 2].map(() => expect.stringContaining('/hook/message {"text":')),
    ]);
  });

  test('of one event is refused as every emit is', async () => {
    const event = couponEmit(stack.tenantId);
    const refusalOf = async (changes: Partial<Emit>) =>
      (await stack.services.emitter.emit([{ ...event, ...changes }]))[0]?.refused;
    expect(await refusalOf({ eventType: 'never.registered' })).toBe('EVENT_TYPE_UNKNOWN');
    expect(await refusalOf({ eventType: 'webhook.disabled' })).toBe('EVENT_TYPE_RESERVED');
    expect(await refusalOf({ tenantId: 999_999 })).toBe('TENANT_UNKNOWN');
    await stack.rows(`update hookwright.event_types set deprecated_at = now() where name = 'coupon.applied'`);
    expect(await refusalOf({})).toBe('EVENT_TYPE_DEPRECATED');
    await stack.rows(`update hookwright.tenants set deleted_at = now() where id = ${stack.tenantId}`);
    expect(await refusalOf({ eventType: 'voucher.emitted' })).toBe('TENANT_UNKNOWN');
    expect(await stack.rows('select from hookwright.events')).toEqual([]);
  });

  test('leaves more deliveries than there is room for to every daemon', async () => {
    await using own = await DeliveryStack.open({ DELIVERY_CONCURRENCY: '10' });
    await using receiver = await startReceiver();
    const webhooks = 31; // three times the slots, and one more
    for (let i = 0; i < webhooks; i++) {
      await own.webhook(`${receiver.url}/${i}`);
    }
    const daemon = await startLocalDaemon(own);
    await own.emit();
    await own.succeeded(webhooks);
    expect(await claimedBy(daemon)).toBe(0);
  });

  test('sends nothing to an endpoint that is closed, nor to an inactive webhook', async () => {
    const inactive = await stack.webhook(receiver.url);
    await stack.rows(
      `update hookwright.webhooks set closed_until = now() + interval '1 hour' where id = ${receiver.webhookId}`,
    );
    await stack.change(inactive.id, { active: false });
    await stack.emit();
    await eventually(async () => ((await jobsOf(stack))[0]?.inSeconds ?? 0) > 3_000);
    expect(await jobsOf(stack)).toMatchObject([{ locked_by: null }]);
    expect((await stack.deliveries()).map(({ status }) => status).sort()).toEqual(['HELD', 'PENDING']);
    expect(receiver.received).toEqual([]);
  });

  test('of a traced event leaves its delivery to a fetch', async () => {
    await stack.services.emitter.emit([
      couponEmit(stack.tenantId, { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }),
    ]);
    await stack.succeeded(1);
    expect(await claimedBy(daemon)).toBe(0);
  });

  test('on a day without partitions makes them, as every emit does', async () => {
    const partitions = await stack.rows<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'hookwright.events'::regclass`,
    );
    await stack.rows(partitions.map(({ name }) => `drop table ${name}`).join(';'));
    await stack.emit();
    await stack.succeeded(1);
  });
});

describe('a claim that nothing comes of', () => {
  /** The stack's emits claim their deliveries for this worker pool, which never begins them. */
  function claimTo(stack: DeliveryStack, workerPoolId: string, pool = stack.services.db.pool): void {
    const claim = { pool, workerPoolId, priorityMax: LANES.FIRST.priority, deliveriesMax: 10, begin: () => {} };
    stack.services.emitter.claimFor({ claim: () => claim, inPace });
  }

  test('because the daemon ended meanwhile is free for the next one', async () => {
    await using stack = await DeliveryStack.open();
    const receiver = await stack.endpoint();
    const daemon = await startLocalDaemon(stack);
    const claim = daemon.claims.claim([]);
    await daemon.stop();
    expect(daemon.claims.claim([])).toBeNull();
    stack.services.emitter.claimFor({ claim: () => claim, inPace });
    await stack.emit();
    await eventually(async () => (await jobsOf(stack)).every(({ locked_by }) => locked_by === null));
    expect(await jobsOf(stack)).toMatchObject([{ attempts: 0 }]);
    stack.startDaemon();
    await stack.succeeded(1);
    expect(receiver.received).toHaveLength(1);
  });

  test.each(['ECONNRESET', 'EHOSTUNREACH', 'ENETDOWN', 'EPROTO'])(
    'because its reply was lost (%s) is not emitted again: it may have been committed',
    async (code) => {
      await using stack = await DeliveryStack.open();
      await stack.webhook('https://receiver.example.com/');
      const { pool } = stack.services.db;
      const losing = {
        query: async (...statement: unknown[]) => {
          await (pool.query as (...all: unknown[]) => Promise<unknown>)(...statement);
          throw Object.assign(new Error(`read ${code}`), { code });
        },
      } as unknown as typeof pool;
      claimTo(stack, 'pool', losing);
      const error = await stack.emit().catch((reason: unknown) => reason);
      expect(toApiError(error).reason).toBe('unavailable');
      expect(await stack.rows('select from hookwright.events')).toHaveLength(1);
    },
  );

  test('because the process died is found by the sweep of dead workers', async () => {
    await using stack = await DeliveryStack.open();
    const receiver = await stack.endpoint();
    await (await startLocalDaemon(stack)).stop();
    claimTo(stack, 'pool-died');
    await stack.emit();
    expect(await jobsOf(stack)).toMatchObject([{ locked_by: 'pool-died' }]);
    stack.startDaemon();
    await stack.succeeded(1);
    expect(receiver.received).toHaveLength(1);
  });
});

test('what was loaded with a claim is loaded again when it is old', async () => {
  await using stack = await DeliveryStack.open();
  const receiver = await stack.endpoint();
  const deliverer = stack.deliverer();
  const [first, second] = [await stack.delivery(await stack.emit()), await stack.delivery(await stack.emit())];
  const named = [first, second].map(({ id }) => ({ id, attempt: 1 }));
  const due = await loadDeliveries(stack.services.db.pool, named);
  const deliveries = new Map(due.filter((one) => typeof one !== 'string').map((delivery) => [delivery.id, delivery]));
  await stack.change(receiver.webhookId, { active: false });

  await deliverer.deliver(
    { id: first.id, attempt: 1, loaded: { atMs: performance.now() - 1_000, deliveries } },
    LANES.FIRST.priority,
  );
  expect(receiver.received).toHaveLength(0);
  const delivered = deliverer.deliver(
    { id: second.id, attempt: 1, loaded: { atMs: performance.now(), deliveries } },
    LANES.FIRST.priority,
  );
  expect(deliverer).toMatchObject({ busy: 1, busyWithClaimed: 1 });
  await delivered;
  expect(deliverer).toMatchObject({ busy: 0, busyWithClaimed: 0 });
  expect(receiver.received).toHaveLength(1);
});

/** A daemon of 200 slots; so many claimed deliveries have one or wait for it; all is well. */
const deps = (busy: number, more: object = {}) =>
  ({
    db: { pool: {} },
    deliverer: { busy, busyWithClaimed: busy },
    fence: { closed: false, ending: false },
    runner: { life: { room: { poolId: 'pool', workers: 200, ahead: 0 } } },
    slotsMax: 200,
    load: { utilization: 0 },
    ...more,
  }) as unknown as ClaimsDeps;

describe('claiming', () => {
  const claimOf = (busy: number, more?: object, bodies: string[] = []) => {
    const claim = new Claims(deps(busy, more)).claim(bodies.map((body) => ({ body })));
    return claim && { priorityMax: claim.priorityMax, deliveriesMax: claim.deliveriesMax };
  };

  test('is open to all lanes of first attempts up to three times the slots, then to all but crowding tenants', () => {
    expect(claimOf(0)).toEqual({ priorityMax: LANES.CROWDED.priority, deliveriesMax: 600 });
    expect(claimOf(599)).toEqual({ priorityMax: LANES.CROWDED.priority, deliveriesMax: 1 });
    expect(claimOf(600)).toEqual({ priorityMax: LANES.FIRST.priority, deliveriesMax: 200 });
    expect(claimOf(799)).toEqual({ priorityMax: LANES.FIRST.priority, deliveriesMax: 1 });
    expect(claimOf(800)).toBeNull();
  });

  test('of long bodies is open to crowding tenants for half of the slots, to others for the rest', () => {
    const long = ['x'.repeat(8_193)];
    expect(claimOf(99, {}, long)).toEqual({ priorityMax: LANES.CROWDED.priority, deliveriesMax: 1 });
    expect(claimOf(100, {}, long)).toEqual({ priorityMax: LANES.FIRST.priority, deliveriesMax: 100 });
    expect(claimOf(200, {}, long)).toBeNull();
    expect(claimOf(200, {}, ['x'.repeat(8_192)])).toMatchObject({ deliveriesMax: 400 });
  });

  test('takes no more than can begin, and nothing while nothing is fetched or sent', () => {
    const room = (workers: number, ahead = 0) => ({
      runner: { life: { room: { poolId: 'pool', workers, ahead } } },
    });
    expect(claimOf(0, room(3))).toEqual({ priorityMax: LANES.CROWDED.priority, deliveriesMax: 3 });
    // Four or more share a job; in each of three lanes one job may have fewer.
    expect(claimOf(0, room(13))).toEqual({ priorityMax: LANES.CROWDED.priority, deliveriesMax: 40 });
    expect(claimOf(0, room(0))).toBeNull();
    expect(claimOf(0, { runner: { life: { room: undefined } } })).toBeNull();
    expect(claimOf(0, { runner: { life: undefined } })).toBeNull();
    expect(claimOf(0, { fence: { closed: true, ending: false } })).toBeNull();
    expect(claimOf(0, { fence: { closed: false, ending: true } })).toBeNull();
    // Every worker has a job, and others have been fetched.
    expect(claimOf(900, room(0, 60))).toEqual({ priorityMax: LANES.FIRST.priority, deliveriesMax: 60 });
  });

  test('leaves the jobs of higher priority numbers to everybody', async () => {
    await using stack = await DeliveryStack.open();
    await stack.webhook('https://receiver.example.com/');
    await (await startLocalDaemon(stack)).stop(); // it knows the tasks by then
    const { tenantId } = stack;
    await stack.rows(
      `select * from hookwright.emit_events_once(array[${tenantId}, ${tenantId}], array['coupon.applied', 'coupon.applied'],
         array['{}', '{}'], array[null, null]::text[], array[null, null]::bigint[],
         array[${LANES.FIRST.priority}, ${LANES.CROWDED.priority}], null, 'pool', ${LANES.FIRST.priority}, 10)`,
    );
    expect((await jobsOf(stack)).map(({ locked_by, attempts }) => ({ locked_by, attempts }))).toEqual([
      { locked_by: 'pool', attempts: 1 },
      { locked_by: null, attempts: 0 },
    ]);
  });

  test('is not for the role of the API, to which the answer would show the secrets of all tenants', async () => {
    await using stack = await DeliveryStack.open();
    const client = await stack.services.db.pool.connect();
    try {
      await client.query(`set role ${API_ROLE}`);
      const emit = `select * from hookwright.emit_events_once(null, null, null, null, null, null, null, 'pool', 0, 10)`;
      const claim = `select hookwright.claim_new_deliveries(null, null, null, null, null, 'pool', 0, 10)`;
      await expect(client.query(emit)).rejects.toThrow(/permission denied for function emit_events_once/);
      await expect(client.query(claim)).rejects.toThrow(/permission denied for function claim_new_deliveries/);
    } finally {
      client.release(true);
    }
  });
});

describe('a tenant that emits a lot at once', () => {
  const crowding = 600;
  const many = (stack: DeliveryStack, events: number): Emit[] =>
    Array.from({ length: events }, () => couponEmit(stack.tenantId));

  test('emits in pace with the daemon beside it, others and before that at once', async () => {
    await using stack = await DeliveryStack.open();
    await stack.webhook('https://receiver.example.com/');
    const paced: unknown[] = [];
    stack.services.emitter.claimFor({
      claim: () => null,
      inPace: (tenantId, events, emit) => {
        paced.push([tenantId, events]);
        return emit();
      },
    });
    const { emitter } = stack.services;
    await emitter.emit(many(stack, crowding));
    expect(paced).toEqual([]);
    await emitter.emit(many(stack, 2));
    await emitter.emitAllOrNothing(many(stack, 3));
    expect(paced).toEqual([
      [stack.tenantId, 2],
      [stack.tenantId, 3],
    ]);
  });

  const pacedBy = (busy: number, more: object) => {
    let begun = 0;
    const daemon = deps(busy, more);
    const claims = new Claims(daemon);
    const emits = [1, 2, 3].map((tenantId) => claims.inPace(tenantId, 50, async () => void begun++));
    return { daemon, emits, begun: () => begun };
  };
  const limiting = { load: { utilization: 0.7 } };

  test('waits while the process is what limits it, until little of what was claimed is in hand', async () => {
    const { daemon, emits, begun } = pacedBy(400, limiting);
    await new Promise(setImmediate);
    expect(begun()).toBe(0);
    Object.assign(daemon.deliverer, { busyWithClaimed: 200 });
    await Promise.all(emits);
    expect(begun()).toBe(3);
  });

  test('counts no more than can be claimed, so that what goes to the tables leaves room to others', () => {
    const claims = new Claims(deps(0, limiting));
    let begun = 0;
    const never = new Promise<void>(() => {});
    for (const tenantId of [1, 2, 3]) {
      void claims.inPace(tenantId, 10_000, () => {
        begun += 1;
        return never;
      });
    }
    expect(begun).toBe(2);
    expect(claims.waiting).toBe(200);
  });

  test('does not wait where endpoints are what limits it, for a backlog, nor while nothing is fetched or sent', () => {
    expect(pacedBy(800, { ...limiting, deliverer: { busy: 800, busyWithClaimed: 0 } }).begun()).toBe(3);
    expect(pacedBy(400, { load: { utilization: 0.69 } }).begun()).toBe(3);
    expect(pacedBy(400, { ...limiting, runner: { life: undefined } }).begun()).toBe(3);
    expect(pacedBy(400, { ...limiting, fence: { closed: true, ending: false } }).begun()).toBe(3);
    expect(pacedBy(400, { ...limiting, fence: { closed: false, ending: true } }).begun()).toBe(3);
  });
});
