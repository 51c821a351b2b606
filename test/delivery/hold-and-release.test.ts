import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { loadDeliveries } from '../../src/operations/attempts/load-deliveries.js';
import { turnAwayDeliveries } from '../../src/operations/attempts/turn-away-deliveries.js';
import { cancelDelivery } from '../../src/operations/deliveries/cancel-delivery.js';
import { redeliver } from '../../src/operations/deliveries/redeliver.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { releaseHeld } from '../../src/operations/webhooks/release-held.js';
import type { WebhookChange } from '../../src/operations/webhooks/update-webhook.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import { countJobs, deleteJobs, OF_DELIVERIES, ofDelivery } from '../support/jobs.js';
import { lockWaits } from '../support/lock-waits.js';
import { answer, holdAnswers } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Endpoint;

async function open(settings: Record<string, string> = {}) {
  stack = await DeliveryStack.open(settings);
  receiver = await stack.endpoint();
}

afterEach(() => stack[Symbol.asyncDispose]());

const change = (webhookChange: WebhookChange) => stack.change(receiver.webhookId, webhookChange);
const release = () => releaseHeld(stack.services.db, stack.tenantId, receiver.webhookId, commandLine);
const align = () => stack.align(receiver.webhookId);
const webhookRow = () => stack.webhookRow(receiver.webhookId);
const statuses = async () => (await stack.deliveries()).map(({ status }) => status);

describe('a paused webhook', () => {
  beforeEach(() => open());

  test('"receives no deliveries": its events are held, and all of them sent when it is enabled', async () => {
    stack.startDaemon();
    await change({ active: false });
    for (let event = 0; event < 20; event++) {
      await stack.emit('coupon.applied', { code: String(event), discount_type: 'x' });
    }
    expect(await statuses()).toEqual(new Array(20).fill('HELD'));

    await change({ active: true });
    await eventually(async () => (await statuses()).every((status) => status === 'SUCCEEDED'));
    const ids = receiver.received.map(({ headers }) => Number(headers['x-service-delivery']));
    expect(new Set(ids)).toEqual(new Set((await stack.deliveries()).map(({ id }) => id)));
  });

  test('enabled while its endpoint fails still, moves but a part of what it holds before it is disabled again', async () => {
    const held = 5_000;
    await change({ active: false });
    await emitMany(stack.services, stack.tenantId, held);
    receiver.answerWith(answer(500));
    const versions = () =>
      stack.rows<{ version: string }>('select xmin::text as version from hookwright.deliveries order by id');
    const before = await versions();
    await change({ active: true });
    stack.startDaemon();
    const isDisabled = async () => (await webhookRow()).disabled_reason === 'FAILURES';
    await eventually(isDisabled);
    await eventually(async () => (await statuses()).every((status) => status === 'HELD'));
    const after = await versions();
    const untouched = after.filter(({ version }, index) => version === before[index]?.version);
    expect(untouched.length).toBeGreaterThan(held / 4); // how many are moved depends on how busy the machine is
  });

  test('turns what is already pending into held, without an attempt', async () => {
    await stack.emit();
    await change({ active: false });
    stack.startDaemon();

    await eventually(async () => (await statuses())[0] === 'HELD');
    expect(receiver.received).toHaveLength(0);
    expect((await stack.deliveries())[0]?.attempt_count).toBe(0);
  });

  test('has those that are turned away locked in the order of ids, as its settling does: nobody waits in a ring', async () => {
    await emitMany(stack.services, stack.tenantId, 100);
    const ids = (await stack.deliveries()).map(({ id }) => id);
    // So that the table has them in another order.
    await stack.rows(`update hookwright.deliveries set due_at = due_at where id < ${ids[50]}`);
    await change({ active: false });
    const { pool } = stack.services.db;
    const other = await pool.connect();
    await other.query('begin');
    await other.query('select from hookwright.deliveries where id = $1 for update', [ids[50]]);
    const turnedAway = turnAwayDeliveries(
      pool,
      ids.toReversed().map((id) => ({ id, priority: LANES.CROWDED.priority })),
      60_000,
    );
    await eventually(async () => (await stack.rows(lockWaits)).length > 0);
    const { rows } = await other.query<{ id: number }>(
      'select id from hookwright.deliveries where id <> $1 order by id for update skip locked',
      [ids[50]],
    );
    await other.query('commit');
    other.release();
    expect(rows.map(({ id }) => id)).toEqual(ids.slice(51));
    await turnedAway;
    expect(await statuses()).toEqual(new Array(100).fill('HELD'));
  });

  test('whose deliveries are locked keeps those of no other waiting', async () => {
    const { pool } = stack.services.db;
    const locked = await stack.delivery(await stack.emit());
    await change({ active: false });
    const other = await stack.webhook(receiver.url);
    await stack.emit();
    const settling = await pool.connect();
    await settling.query('begin');
    await settling.query('select from hookwright.deliveries where id = $1 for update', [locked.id]);

    try {
      stack.startDaemon(); // whose first fetch has both
      const othersSent = `webhook_id = ${other.id} and status = 'SUCCEEDED'`;
      await eventually(async () => (await stack.deliveries(othersSent)).length === 1);
      expect(receiver.received).toHaveLength(1);
    } finally {
      await settling.query('commit');
      settling.release();
    }
    await eventually(async () => (await statuses())[0] === 'HELD');
  });

  test('setting `active` to the value it has changes nothing', async () => {
    const before = await webhookRow();
    await change({ active: true });
    expect(await webhookRow()).toEqual(before);
    await change({ active: false });
    const paused = await webhookRow();
    await change({ active: false });
    expect(await webhookRow()).toEqual(paused);
    expect(paused).toMatchObject({ disabled_reason: 'PAUSED', generation: 1 });
  });

  test('enabling clears disabled_at, the reason and the counter', async () => {
    await stack.rows(`update hookwright.webhooks set consecutive_failures = 7 where id = ${receiver.webhookId}`);
    await change({ active: false });
    await change({ active: true });
    expect(await webhookRow()).toMatchObject({
      active: true,
      disabled_at: null,
      disabled_reason: null,
      consecutive_failures: 0,
      generation: 2,
    });
  });

  test('enabled with held: KEEP sends new events and keeps the held ones until they are released', async () => {
    stack.startDaemon();
    await change({ active: false });
    const heldEvent = await stack.emit();
    await change({ active: true, held: 'KEEP' });
    const newEvent = await stack.emit();

    await stack.reaches(newEvent, 'SUCCEEDED');
    expect((await stack.delivery(heldEvent)).status).toBe('HELD');
    await release();
    await stack.reaches(heldEvent, 'SUCCEEDED');
  });

  test('active already, and told held: RELEASE, sends what it keeps; without a word it goes on keeping it', async () => {
    await change({ active: false });
    await stack.emit();
    await change({ active: true, held: 'KEEP' });
    await change({ active: true });
    expect((await webhookRow()).keep_held).toBe(true);
    await expect(change({ active: true, held: 'DISCARD' })).rejects.toThrow(/cancelDeliveries.*status: HELD/);
    await change({ active: true, held: 'RELEASE' });
    stack.startDaemon();
    await eventually(async () => (await statuses())[0] === 'SUCCEEDED');
    await change({ active: true, held: 'DISCARD' }); // keeps nothing any more
  });

  test('enabled with held: DISCARD cancels the held ones and sends new events', async () => {
    stack.startDaemon();
    await change({ active: false });
    const heldEvent = await stack.emit();
    await change({ active: true, held: 'DISCARD' });
    const newEvent = await stack.emit();

    await stack.reaches(newEvent, 'SUCCEEDED');
    await stack.reaches(heldEvent, 'CANCELED');
    expect((await stack.delivery(heldEvent)).cancel_reason).toBe('DISCARDED');
    expect(receiver.received).toHaveLength(1);
  });

  test('cannot release what it holds before it is enabled', async () => {
    await change({ active: false });
    await expect(release()).rejects.toMatchObject({
      reason: 'webhook_inactive',
    });
  });

  test('stops collecting when the hold time is over, and what it held is canceled', async () => {
    await change({ active: false });
    const heldEvent = await stack.emit();
    await stack.rows(
      `update hookwright.webhooks set hold_until = now() - interval '1 second' where id = ${receiver.webhookId}`,
    );
    const lateEvent = await stack.emit();
    stack.startDaemon();

    await stack.reaches(heldEvent, 'CANCELED');
    expect((await stack.delivery(heldEvent)).cancel_reason).toBe('HOLD_EXPIRED');
    expect(await stack.deliveries(`event_id = ${lateEvent}`)).toEqual([]);
  });
});

describe('a webhook that is enabled before its pause has been settled', () => {
  let before: number;
  /** A first attempt and a retry that wait, and then a pause, which nobody settles yet. */
  beforeEach(async () => {
    await open();
    await stack.emit();
    const retried = await stack.delivery(await stack.emit());
    await stack.rows(
      `update hookwright.deliveries set attempt_count = 1, due_at = now() + interval '1 hour' where id = ${retried.id}`,
    );
    await deleteJobs(stack, ofDelivery(retried.id));
    before = retried.id;
    await change({ active: false });
  });
  const load = async ({ id, attempt_count }: { id: number; attempt_count: number }) =>
    (await loadDeliveries(stack.services.db.pool, [{ id, attempt: attempt_count + 1 }]))[0];
  const reasons = async () => (await stack.deliveries()).map(({ cancel_reason }) => cancel_reason);

  test('with held: RELEASE sends all', async () => {
    await change({ active: true });
    await align();
    expect(await statuses()).toEqual(['PENDING', 'PENDING']);
    expect(await load((await stack.deliveries())[0]!)).toMatchObject({ attemptNumber: 1 });
  });

  test('with held: DISCARD cancels all that was open, and sends what comes then', async () => {
    await change({ active: true, held: 'DISCARD' });
    const newEvent = await stack.emit();
    await align();
    expect(await statuses()).toEqual(['CANCELED', 'CANCELED', 'PENDING']);
    expect(await reasons()).toEqual(['DISCARDED', 'DISCARDED', null]);
    stack.startDaemon();
    await stack.reaches(newEvent, 'SUCCEEDED');
    expect(receiver.received).toHaveLength(1);
  });

  test('with held: KEEP keeps all that was open, until it is released', async () => {
    await change({ active: true, held: 'KEEP' });
    await stack.emit();
    await align();
    expect(await statuses()).toEqual(['HELD', 'HELD', 'PENDING']);
    await release();
    await align();
    expect(await statuses()).toEqual(['PENDING', 'PENDING', 'PENDING']);
    expect(await load((await stack.deliveries())[0]!)).toMatchObject({ attemptNumber: 1 });
  });

  test.each(['KEEP', 'DISCARD'] as const)(
    'with held: %s sends nothing of it, though its jobs come before the settling',
    async (held) => {
      await change({ active: true, held });
      const [first] = await stack.deliveries();
      expect(await load(first!)).toBe('NOT_YET');
      await turnAwayDeliveries(stack.services.db.pool, [{ id: first!.id, priority: LANES.CROWDED.priority }]);
      expect(await statuses()).toEqual(['HELD', 'PENDING']);
    },
  );

  test('and is released with held: KEEP, sends what has not been held yet as well', async () => {
    await change({ active: true, held: 'KEEP' });
    await release();
    expect(await load((await stack.deliveries())[0]!)).toMatchObject({ attemptNumber: 1 });
  });

  test('a redelivery that is asked for then is sent, and so are its retries, later pauses notwithstanding', async () => {
    const [first] = await stack.deliveries();
    await cancelDelivery(stack.services.db, stack.tenantId, first!.id, commandLine);
    await change({ active: true, held: 'DISCARD' });
    const changedAt = Date.now();
    await eventually(() => Date.now() > changedAt + 1); // ids tell milliseconds apart
    await redeliver(stack.services.db, stack.tenantId, first!.id, commandLine);
    await align();
    expect(await statuses()).toEqual(['PENDING', 'CANCELED']);
    receiver.answerWith(answer(500));
    const daemon = stack.startDaemon();
    await eventually(async () => ((await stack.deliveries())[0]?.attempt_count ?? 0) >= 2);
    await change({ active: false });
    await daemon.stop();
    await align();
    expect(await statuses()).toEqual(['HELD', 'CANCELED']);
    await change({ active: true });
    await align();
    expect(await statuses()).toEqual(['PENDING', 'CANCELED']);
  });

  test.each([
    ['DISCARD', 'RELEASE', ['CANCELED', 'CANCELED', 'PENDING']],
    ['DISCARD', 'KEEP', ['CANCELED', 'CANCELED', 'HELD']],
    ['KEEP', 'RELEASE', ['PENDING', 'PENDING', 'PENDING']],
    ['RELEASE', 'DISCARD', ['CANCELED', 'CANCELED', 'CANCELED']],
    ['RELEASE', 'KEEP', ['HELD', 'HELD', 'HELD']],
  ] as const)('twice, with held: %s and then %s: each has its say over what was open', async (one, two, then) => {
    await change({ active: true, held: one });
    await stack.emit();
    await change({ active: false });
    await change({ active: true, held: two });
    await align();
    expect(await statuses()).toEqual(then);
  });

  test('and paused again, has what it discards canceled at once', async () => {
    await change({ active: true, held: 'DISCARD' });
    await stack.emit();
    await change({ active: false });
    await align();
    expect(await statuses()).toEqual(['CANCELED', 'CANCELED', 'HELD']);
  });

  test.each(['KEEP', 'DISCARD'] as const)(
    'with held: %s has it done once: what comes after the settling is sent, whatever the clock of the database says',
    async (held) => {
      await change({ active: true, held });
      // As if the clock had been ahead by an hour of ids, and were set right after the settling.
      const { rowCount } = await stack.services.db.pool.query(
        `update hookwright.webhooks set keep_held_up_to = keep_held_up_to + 14745600000,
           discard_held_up_to = discard_held_up_to + 14745600000 where id = $1`,
        [receiver.webhookId],
      );
      expect(rowCount).toBe(1);
      await align();
      const newEvent = await stack.emit();
      await align();
      stack.startDaemon();
      await stack.reaches(newEvent, 'SUCCEEDED');
      expect(receiver.received).toHaveLength(1);
    },
  );

  test('has a request that was under way recorded, and makes no retry of it', async () => {
    const answerNext = holdAnswers(receiver, answer(500));
    await change({ active: true });
    stack.startDaemon();
    const fail = await answerNext();
    await change({ active: false });
    await change({ active: true, held: 'DISCARD' });
    fail();
    await eventually(async () => (await stack.deliveries())[0]?.attempt_count === 1);
    await eventually(async () => (await statuses()).every((status) => status === 'CANCELED'));
    expect(receiver.received).toHaveLength(1);
    expect((await stack.deliveries(`id = ${before}`))[0]?.cancel_reason).toBe('DISCARDED');
  });
});

describe('a webhook that is enabled again', () => {
  test('keeps attempt numbers and the time of later retries', async () => {
    await open({ RETRY_BASE_SECONDS: '120' });
    receiver.answerWith(answer(500));
    const eventId = await stack.emit();
    stack.startDaemon();
    const failed = await stack.attempted(eventId, 1);
    await change({ active: false });
    await stack.reaches(eventId, 'HELD');
    await change({ active: true });
    await stack.reaches(eventId, 'PENDING');

    const released = await stack.delivery(eventId);
    expect(released.due_at).toEqual(failed.due_at);
    expect(released.attempt_count).toBe(1);
    await stack.noDeliveryJobs();
  });

  test('counts nothing of attempts that were in flight before', async () => {
    await open({ MAX_RETRIES: '0' });
    stack.startDaemon();
    const held: (() => void)[] = [];
    receiver.answerWith((_, response) => held.push(() => response.writeHead(500).end()));
    const inFlight = 5;
    await emitMany(stack.services, stack.tenantId, inFlight);
    await eventually(() => held.length === inFlight);
    await change({ active: false });
    await change({ active: true });
    for (const fail of held) {
      fail();
    }

    await eventually(async () => (await statuses()).filter((status) => status === 'FAILED').length === inFlight);
    expect(await webhookRow()).toMatchObject({ active: true, consecutive_failures: 0 });
    expect((await webhookRow()).last_failure_at).toBeInstanceOf(Date);
  });
});

describe('settling a webhook', () => {
  test('moves any number of deliveries, in chunks', async () => {
    await open();
    const events = 2_500;
    await change({ active: false });
    await emitMany(stack.services, stack.tenantId, events);
    await change({ active: true });

    expect(await align()).toBe(events);
    expect(await countJobs(stack, OF_DELIVERIES)).toBe(events);
    expect(await align()).toBe(0);
  });
});
