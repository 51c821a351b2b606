import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { SupervisedRunner } from '../../daemon/jobs/runner.js';
import type { ControlConnection } from '../../daemon/liveness/control-connection.js';
import { openServices } from '../../src/api/services.js';
import { rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import { tryLockPool } from '../../src/platform/graphile-worker/worker-pools.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany } from '../support/factories.js';
import {
  changeJobs,
  countJobs,
  fetchJobs,
  isJobQueueFree,
  jobsIn,
  lockJobQueue,
  OF_DELIVERIES,
  ofDelivery,
} from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { lockRow } from '../support/locks.js';
import { type Answer, answer, holdAnswers } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Endpoint;
const closings: (() => Promise<unknown>)[] = [];
async function open(settings: Record<string, string> = {}, respond?: Answer): Promise<void> {
  stack = await DeliveryStack.open(settings);
  receiver = await stack.endpoint(respond);
}
afterEach(async () => {
  for (const close of closings.splice(0).reverse()) {
    await close();
  }
  await stack[Symbol.asyncDispose]();
});

const slowly: Answer = (_, response) => void setTimeout(() => response.end(), 300);

/** A daemon whose database a test can take away. */
async function startDaemonBehindProxy(log = stack.services.log): Promise<{ proxy: DatabaseProxy; daemon: Daemon }> {
  const proxy = await DatabaseProxy.open(stack.databaseUrl);
  const { config } = stack.services;
  const services = await openServices({
    config,
    databaseUrl: proxy.url,
    encryptionKeys: config.encryptionKeys ?? [],
    log,
  });
  const daemon = new Daemon(services);
  closings.push(
    () => proxy.close(),
    () => services.db.close().catch(() => {}),
    () => daemon.stop(),
  );
  return { proxy, daemon };
}

/** The worker pools that have jobs in hand. */
const poolIds = async () => [
  ...new Set((await jobsIn(stack, 'locked_by is not null')).map(({ locked_by }) => locked_by!)),
];
/** Ends the database sessions of daemons, as an administrator would. */
const cutConnections = () =>
  stack.rows(`select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and application_name like 'hookwright%'
                and pid <> pg_backend_pid()`);

describe('a job that is locked', () => {
  test('by a pool that is dead is delivered within seconds', async () => {
    await open();
    const eventId = await stack.emit();
    await fetchJobs(stack, 'pool-dead');
    stack.startDaemon();
    await stack.reaches(eventId, 'SUCCEEDED', 15_000);
    expect(receiver.received).toHaveLength(1);
  });

  /** As an emit does that claims, and whose reply is lost. @returns the id of the event, whose job is locked */
  async function strand(): Promise<number> {
    const stranded = await stack.services.db.pool.connect();
    await stranded.query('begin');
    const { rows } = await stranded.query<{ event_id: number }>(
      `select event_id from hookwright.emit_events($1, $2, $3, schema_checked => true)`,
      [[stack.tenantId], ['coupon.applied'], ['{}']],
    );
    const [poolId] = await poolIds();
    await changeJobs(
      stranded,
      `locked_at = now() - interval '16 seconds', attempts = 1, locked_by = '${poolId}'`,
      'locked_by is null',
    );
    await stranded.query('commit');
    stranded.release();
    return rows[0]!.event_id;
  }

  test('by a pool that is alive and does not know of it, as after a lost reply, is rescued by the sweep', async () => {
    await open();
    const { log, lines } = keptLog('warn');
    const held: ServerResponse[] = [];
    receiver.answerWith((_, response) => void held.push(response));
    await startDaemonBehindProxy(log);
    const inHand = await stack.emit();
    await eventually(() => held.length === 1);
    const lost = await strand();
    // As after a minute.
    await changeJobs(stack, `locked_at = now() - interval '61 seconds'`, ofDelivery((await stack.delivery(lost)).id));
    await stack.rows(`update hookwright.deliveries set due_at = now() - interval '61 seconds'`);
    receiver.answerWith(answer(200));
    await stack.reaches(lost, 'SUCCEEDED', 15_000);
    expect(lines.map(({ msg }) => msg)).toContain('rescued overdue deliveries that had no job');
    expect(await stack.delivery(inHand)).toMatchObject({ status: 'PENDING', attempt_count: 0 });
    expect(receiver.received).toHaveLength(2);
    held[0]!.end();
  }, 45_000);

  test('by a pool that is alive is left alone, until it dies', async () => {
    await open();
    const eventId = await stack.emit();
    await fetchJobs(stack, 'pool-alive');
    const owner = new pg.Client(stack.databaseUrl);
    await owner.connect();
    expect(await tryLockPool(owner, 'pool-alive')).toBe(true);
    const marker = await stack.emit();
    stack.startDaemon();
    await stack.reaches(marker, 'SUCCEEDED');
    // When this is freed, the other would have been too.
    await lockJobQueue(stack, 'pool-dead');
    await eventually(() => isJobQueueFree(stack), 15_000);
    expect(receiver.received).toHaveLength(1);
    await owner.end();
    await stack.reaches(eventId, 'SUCCEEDED', 15_000);
  });
});

test('a daemon whose connection broke stops sending, and goes on when it has another', async () => {
  await open();
  const { proxy, daemon } = await startDaemonBehindProxy();
  await eventually(() => daemon.running);
  proxy.takeAway();
  await eventually(() => daemon.fence.silent, 3_000);
  proxy.bringBack();
  await eventually(() => daemon.running && !daemon.fence.closed);
  await stack.emit();
  await stack.succeeded(1);
});

test('a job in hand stays so, however long it waits for a slot or for an answer: no sweep takes it for a lost one', async () => {
  await open({ DELIVERY_CONCURRENCY: '1' });
  const held: ServerResponse[] = [];
  receiver.answerWith((_, response) => void held.push(response));
  stack.startDaemon();
  await stack.emits(2); // one of which waits for the slot of the other
  const areLockedFor = async (secondsMax: number) =>
    (await jobsIn(stack, OF_DELIVERIES)).every(({ lockedSeconds: s }) => s !== null && s < secondsMax);
  await eventually(async () => receiver.received.length === 1 && (await areLockedFor(60)));
  await changeJobs(stack, `locked_at = now() - interval '10 minutes'`, 'locked_at is not null');
  await stack.rows(`update hookwright.deliveries set due_at = now() - interval '10 minutes'`);
  await eventually(() => areLockedFor(60));
  expect(await rescueOverdue(stack.services.db.pool)).toBe(0);
  receiver.answerWith(answer(200));
  held[0]?.writeHead(200).end();
  await stack.succeeded(2);
  expect(receiver.received).toHaveLength(2);
});

describe('the runner', () => {
  test('holds the lock of its pool while a job is in hand', async () => {
    await open();
    receiver.answerWith(() => {});
    await stack.emit();
    stack.startDaemon();
    await eventually(() => receiver.received.length === 1);
    const [poolId] = await poolIds();
    expect(poolId).toMatch(/^pool-/);
    const other = new pg.Client(stack.databaseUrl);
    await other.connect();
    expect(await tryLockPool(other, poolId!)).toBe(false);
    await other.end();
  });

  test('whose first fetch failed is replaced: graphile-worker would fail each time for the same reason', async () => {
    await open();
    await stack.emit();
    let held = 0;
    const control = {
      fence: { untilSilent: (ended: AbortSignal) => once(ended, 'abort') },
      reachable: async () => {},
      lockPool: () => delay(held++ === 0 ? 4_000 : 0),
      unlockPool: async () => {},
    } as unknown as ControlConnection;
    let runs = 0;
    const taskList = { deliver: async () => void runs++ };
    const runner = new SupervisedRunner({
      ...stack.services,
      control,
      drainTimeoutMs: 1_000,
      slots: 1,
      taskList,
    });
    await eventually(() => runs === 1, 25_000);
    expect(held).toBe(2);
    await runner.stop();
  });

  test('that ends is replaced, and what it had in hand ends without being sent twice', async () => {
    await open();
    const held: (() => void)[] = [];
    receiver.answerWith((_, response) => {
      held.push(() => response.writeHead(200).end());
    });
    await stack.emits(3);
    const { log, lines } = keptLog('warn');
    const daemon = new Daemon({ ...stack.services, log });
    closings.push(() => daemon.stop());
    await eventually(() => held.length === 3);
    const [before] = await poolIds();
    // What graphile-worker does when it cannot complete a job.
    await stack.rows(`select pg_notify('worker:migrate', '{"breaking": true}')`);
    // Until then the first runner may still fetch.
    await eventually(() => lines.some(({ msg }) => msg.startsWith('the job runner stopped fetching')), 20_000);
    await stack.emit();
    await eventually(() => held.length === 4 && daemon.running, 20_000);
    expect((await poolIds()).filter((id) => id !== before)).toHaveLength(1);
    for (const answer of held) {
      answer();
    }
    await stack.succeeded(4);
    await eventually(async () => (await countJobs(stack)) === 0);
    expect(receiver.received).toHaveLength(4);
    process.exitCode = 0; // graphile-worker sets it
  });

  test('survives cut connections under load: everything is delivered', async () => {
    await open({ DELIVERY_CONCURRENCY: '20' });
    receiver.answerWith((_, response) => setTimeout(() => response.writeHead(200).end(), 10));
    stack.startDaemon();
    let emitted = 0;
    for (let round = 0; round < 5; round++) {
      const before = receiver.received.length;
      const sent = await Promise.allSettled(Array.from({ length: 40 }, () => stack.emit()));
      emitted += sent.filter(({ status }) => status === 'fulfilled').length;
      await eventually(() => receiver.received.length > before);
      await cutConnections().catch(() => {});
    }
    await eventually(async () => {
      const rows = await stack.deliveries();
      return rows.length >= emitted && rows.every(({ status }) => status === 'SUCCEEDED');
    }, 25_000);
  });
});

describe('a database that is away', () => {
  test('is asked again after pauses; when it is back, what was due is delivered, and the log says that jobs are fetched', async () => {
    await open();
    const { log, lines } = keptLog('info');
    const { proxy, daemon } = await startDaemonBehindProxy(log);
    const toldOfRunner = () => lines.map(({ msg }) => msg).filter((msg) => /the job runner|fetched/.test(msg));
    await stack.emits(5);
    await stack.succeeded(5);
    expect(toldOfRunner()).toEqual([]);
    proxy.takeAway();
    await stack.emits(20);
    await eventually(() => !daemon.running, 9_000);
    const [before, since] = [proxy.refused, performance.now()];
    await eventually(() => proxy.refused - before >= 20, 30_000);
    expect(performance.now() - since).toBeGreaterThan(400); // no loop keeps a core busy
    proxy.bringBack();
    await stack.succeeded(25, 9_000);
    expect(receiver.received).toHaveLength(25);
    const again = 'jobs are fetched again';
    expect(toldOfRunner().slice(toldOfRunner().indexOf(again))).toEqual([again]);
  });

  test('and tells nobody: no more is sent than was in hand, and nothing is lost', async () => {
    await open({ DELIVERY_CONCURRENCY: '4' });
    receiver.answerWith((_, response) => setTimeout(() => response.writeHead(200).end(), 50));
    const { proxy, daemon } = await startDaemonBehindProxy();
    await stack.emits(60);
    await eventually(() => receiver.received.length >= 8);
    expect(daemon.fence.closed).toBe(false);
    const before = receiver.received.length;
    proxy.swallow();
    await eventually(() => daemon.fence.closed, 9_000);
    expect(receiver.received.length).toBeLessThanOrEqual(before + 8);
    const whileAway = receiver.received.length;
    await eventually(() => !daemon.running);
    expect(receiver.received).toHaveLength(whileAway);
    proxy.bringBack();
    await stack.succeeded(60, 20_000);
    expect(receiver.received.length).toBeLessThanOrEqual(60 + 8);
  });
});

describe('a daemon that is told to end', () => {
  test('while its database is away for a moment records what was under way all the same', async () => {
    await open();
    const arrived = holdAnswers(receiver, answer(200));
    const { proxy, daemon } = await startDaemonBehindProxy();
    await stack.emit();
    const go = await arrived();
    proxy.takeAway();
    const stopped = daemon.stop();
    go();
    await eventually(() => daemon.fence.closed);
    proxy.bringBack();
    await stopped;
    expect(await stack.deliveries(`status = 'SUCCEEDED'`)).toHaveLength(1);
    expect(receiver.received).toHaveLength(1);
  });

  test('because of a fault of its own leaves what is still in hand counted as fetched: it may be to blame', async () => {
    const held: ServerResponse[] = [];
    await open({ ATTEMPT_TIMEOUT_MS: '2000' }, (_, response) => void held.push(response));
    await stack.emit();
    const daemon = stack.startDaemon();
    await eventually(() => held.length === 1);
    await daemon.stopSending(200);
    expect(await jobsIn(stack)).toMatchObject([{ attempts: 1 }]);
    held[0]!.end();
  });

  test('gives back what it could not send in time, and another one sends that', async () => {
    await open({ DELIVERY_CONCURRENCY: '2', ATTEMPT_TIMEOUT_MS: '2000' }, slowly);
    await emitMany(stack.services, stack.tenantId, 128);
    const daemon = stack.startDaemon();
    await eventually(() => receiver.received.length >= 2);
    await daemon.stop(4_000);
    // It has 32 in hand, two jobs of 16.
    const sent = receiver.received.length;
    expect(sent).toBeLessThan(16);
    expect(await stack.deliveries(`status = 'SUCCEEDED'`)).toHaveLength(sent);
    receiver.answerWith((_, response) => response.end());
    stack.startDaemon();
    await stack.succeeded(128, 15_000);
    expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(128);
    expect(receiver.received).toHaveLength(128);
  });

  /** What is left to others is due, free, and as it was before it was fetched. */
  const leftToOthers = { attempts: 0, free: true, due: true };
  const jobsLeft = async () =>
    (await jobsIn(stack, OF_DELIVERIES)).map(({ attempts, locked_by, inSeconds }) => {
      return { attempts, free: locked_by === null, due: inSeconds <= 0 };
    });

  test('because of a fault of its own records what was under way, and counts no fetch of what it did not send', async () => {
    await open({ DELIVERY_CONCURRENCY: '2' }, slowly);
    await emitMany(stack.services, stack.tenantId, 64);
    const daemon = stack.startDaemon();
    await eventually(() => receiver.received.length === 2);
    await daemon.stopSending(5_000);
    expect(receiver.received).toHaveLength(2);
    expect(await stack.deliveries(`status = 'SUCCEEDED'`)).toHaveLength(2);
    const jobs = await jobsLeft();
    expect(jobs.length).toBeGreaterThan(2);
    expect(jobs).toEqual(jobs.map(() => leftToOthers));
    receiver.answerWith(answer(200));
    stack.startDaemon();
    await stack.succeeded(64, 20_000);
    expect(receiver.received).toHaveLength(64);
  });

  test('does not count as a fetch of what it could not record in time', async () => {
    await open();
    const arrived = holdAnswers(receiver, answer(200));
    const daemon = stack.startDaemon();
    await stack.emit();
    const go = await arrived();
    await using lock = await lockRow(stack.databaseUrl, 'webhooks', receiver.webhookId);
    go();
    await daemon.stop(1_000);
    expect(await jobsLeft()).toEqual([leftToOthers]);
    await lock.letGo();
    receiver.answerWith(answer(200));
    stack.startDaemon();
    await stack.succeeded(1, 15_000);
  });
});
