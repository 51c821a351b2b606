import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toApiError } from '../../src/api/context/faults.js';
import { idToDate } from '../../src/domain/ids/delivery-id.js';
import { Emitter } from '../../src/operations/emits/emit-events.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { couponEmit } from '../support/factories.js';
import { OutboxApplication } from '../support/outbox-application.js';
import { answer } from '../support/receiver.js';
import { isLong, report, size } from './support/sizes.js';

/** What the rest of an installation notices of a key that does not go on. */

const TEST_MS = isLong ? 300_000 : 30_000;
const KEPT_SECONDS = size('FAULTS_KEPT_KEY_SECONDS', 1, 60);
const WAITING = size('FAULTS_BLOCKED_WAITING', 1_000, 20_000);
/** The time that an emit waits for a key. */
const KEY_WAIT_MS = 1_000;
const ROUNDS_MIN = 10;
const BURST = 100;
const BURSTS = 3;

/** @param share of those that are less: 0 is the least */
const at = (share: number, all: readonly number[]) => all.toSorted((a, b) => a - b)[Math.floor(all.length * share)]!;

/** From the emits of events to their outcomes, ms, of one in the middle. */
async function recordedWithin(stack: DeliveryStack): Promise<number> {
  const rows = await stack.rows<{ id: number; finished_at: Date }>(`select id, finished_at from hookwright.deliveries`);
  return at(
    0.5,
    rows.map(({ id, finished_at }) => finished_at.getTime() - idToDate(id).getTime()),
  );
}

test(`an application that keeps a key for ${KEPT_SECONDS} s delays only emits of that key`, {
  timeout: TEST_MS,
}, async () => {
  await using stack = await DeliveryStack.open();
  await using application = await OutboxApplication.open(stack);
  const keyed = await stack.endpoint();
  await stack.endpoint();
  await stack.change(keyed.webhookId, { by: 'KEY' });
  const { emitter, db } = stack.services;
  emitter.claimFor(stack.startDaemon().claims);
  // As in the process of the daemon, and as in another one.
  const emitters = [emitter, new Emitter(db.pool)];
  const emit = async (by: Emitter, orderingKey: string, idempotencyKey: string | null = null) => {
    const from = performance.now();
    const error = await by.emit([couponEmit(stack.tenantId, { orderingKey, idempotencyKey })]).then(
      () => null,
      (reason: unknown) => reason,
    );
    return { ms: performance.now() - from, error };
  };
  for (let warm = 0; warm < 3; warm++) {
    await Promise.all(emitters.map((by) => emit(by, 'other')));
  }

  const others: number[] = [];
  const kept: { ms: number; error: unknown }[] = [];
  let recordedMs = 0;
  await application.transaction(async (client) => {
    const body = JSON.stringify({ code: 'first', discount_type: 'x' });
    await client.query(`select * from hookwright.emit($1, 'coupon.applied', $2, ordering_key => 'kept')`, [
      ...[stack.tenantId, body],
    ]);
    const until = performance.now() + KEPT_SECONDS * 1_000;
    const insistent = emitters.map(async (by, index) => {
      do {
        kept.push(await emit(by, 'kept', `once-${index}`));
      } while (performance.now() < until);
    });
    for (let number = 0; number < ROUNDS_MIN || performance.now() < until; number++) {
      const emitted = await Promise.all(emitters.map((by) => emit(by, `other-${number % 20}`)));
      expect(emitted.map(({ error }) => error)).toEqual([null, null]);
      others.push(...emitted.map(({ ms }) => ms));
      await delay(20);
    }
    await Promise.all(insistent);
    await eventually(async () => (await stack.deliveries("status <> 'SUCCEEDED'")).length === 0);
    recordedMs = await recordedWithin(stack);
  });
  const figures = { emitMs: at(0.5, others), emitMsP90: at(0.9, others), emitMsP99: at(0.99, others), recordedMs };
  report('kept key', { seconds: KEPT_SECONDS, emits: others.length, refused: kept.length, ...figures });
  expect(kept.map(({ error }) => toApiError(error).reason)).toEqual(kept.map(() => 'unavailable'));
  const waitedMs = kept.map(({ ms }) => ms);
  expect(Math.min(...waitedMs)).toBeGreaterThanOrEqual(KEY_WAIT_MS * 0.9);
  expect(at(0.5, waitedMs)).toBeLessThan(2 * KEY_WAIT_MS);
  expect(figures.emitMsP99).toBeLessThan(KEY_WAIT_MS);
  expect(figures.recordedMs).toBeLessThan(KEY_WAIT_MS / 2);

  // What was refused is emitted by its repetition, once.
  for (const [index, by] of emitters.entries()) {
    expect(await emit(by, 'kept', `once-${index}`)).toMatchObject({ error: null });
    await emit(by, 'kept', `once-${index}`);
  }
  await eventually(async () => (await stack.deliveries("status <> 'SUCCEEDED'")).length === 0);
  const keptRows = await stack.deliveries(`ordering_key = 'kept'`);
  expect(keptRows).toHaveLength(1 + emitters.length);
  const sent = keyed.received.filter(({ headers }) =>
    keptRows.some(({ id }) => String(id) === headers['x-service-delivery']),
  );
  expect(JSON.parse(sent[0]!.body.toString()).code).toBe('first');
});

test(`an endpoint without an order notices nothing of ${WAITING} deliveries behind a blocked key`, {
  timeout: TEST_MS,
}, async () => {
  await using stack = await DeliveryStack.open({ MAX_RETRIES: '1' });
  const blocked = await stack.endpoint(answer(500), ['voucher.emitted']);
  const plain = await stack.endpoint(undefined, ['coupon.applied']);
  await stack.change(blocked.webhookId, { by: 'KEY', onFailure: 'BLOCK' });
  const { emitter } = stack.services;
  emitter.claimFor(stack.startDaemon().claims);
  let sent = 0;
  /** @returns how long it took, ms */
  const burst = async () => {
    const from = performance.now();
    await Promise.all(Array.from({ length: BURST }, () => emitter.emit([couponEmit(stack.tenantId)])));
    sent += BURST;
    await eventually(() => plain.received.length === sent);
    return performance.now() - from;
  };
  const bursts = async () => {
    const took: number[] = [];
    for (let number = 0; number < BURSTS; number++) {
      took.push(await burst());
    }
    return at(0.5, took);
  };
  await burst(); // its code is not compiled yet
  const without = await bursts();

  const item = couponEmit(stack.tenantId, { eventType: 'voucher.emitted', body: '{"voucher":"V"}', orderingKey: 'a' });
  await emitter.emit([item]);
  const ofBlocked = (status: string) => stack.deliveries(`webhook_id = ${blocked.webhookId} and status = '${status}'`);
  await eventually(async () => (await ofBlocked('FAILED')).length === 1);
  for (let emitted = 0; emitted < WAITING; emitted += 500) {
    await emitter.emit(Array(500).fill(item));
  }
  const beside = await bursts();
  report('blocked key', { waiting: WAITING, burst: BURST, withoutMs: without, besideMs: beside });
  expect(await ofBlocked('WAITING')).toHaveLength(WAITING);
  expect(blocked.received).toHaveLength(2);
  expect(beside).toBeLessThan(2 * without + 50);
});
