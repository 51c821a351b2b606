import { EventEmitter } from 'node:events';
import { type Job, run, type WorkerEvents } from 'graphile-worker';
import { describe, expect, test } from 'vitest';
import { LANES } from '../../src/domain/pacing/lanes.js';
import { LocalJobs } from '../../src/platform/graphile-worker/local-jobs.js';
import { JOBS_SCHEMA, quietLogger } from '../../src/platform/graphile-worker/schema.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';

describe('a job that is given to a runner', () => {
  const job = (name: string, priority: number) => ({ id: name, priority }) as unknown as Job;
  const queueOf = (mode: string, idleWorkers: number, waiting: Job[], fetchInProgress = false) => {
    const begun: Job[] = [];
    const queue = {
      mode,
      fetchInProgress,
      workerQueue: new Array(idleWorkers),
      jobQueue: waiting,
      receivedJobs: (jobs: Job[]) => begun.push(...jobs),
      background: () => {},
    };
    const events: WorkerEvents = new EventEmitter();
    const local = new LocalJobs(queue as never, events);
    return { local, begun, waiting, events };
  };
  const { priority: FIRST } = LANES.FIRST;

  test('begins at once where a worker is idle', () => {
    const { local, begun } = queueOf('POLLING', 2, []);
    expect(local.room).toEqual({ workers: 2, ahead: 0 });
    expect(local.give([job('a', FIRST), job('b', FIRST), job('c', FIRST)])).toBe(false);
    expect(local.give([job('a', FIRST), job('b', FIRST)])).toBe(true);
    expect(begun.map(({ id }) => id)).toEqual(['a', 'b']);
  });

  test('goes ahead of what waits with a higher priority number, behind all else', () => {
    const raised = job('raised retry', LANES.RETRY.raised);
    const crowded = job('crowded', LANES.CROWDED.priority);
    const { local, waiting } = queueOf('WAITING', 0, [raised, crowded]);
    expect(local.give([job('first', FIRST)])).toBe(true);
    expect(local.give([job('second', FIRST)])).toBe(true);
    expect(waiting.map(({ id }) => id)).toEqual(['raised retry', 'first', 'second', 'crowded']);
  });

  test('waits for a fetch that is under way, is known meanwhile, and is refused beside fifty others', () => {
    const { local } = queueOf('POLLING', 0, [], true);
    const many = Array.from({ length: 49 }, (_, i) => job(`${i}`, FIRST));
    expect(local.give(many)).toBe(true);
    expect(local.room).toEqual({ workers: 0, ahead: 1 });
    expect(local.give([job('a', FIRST), job('b', FIRST)])).toBe(false);
    expect(local.give([job('a', FIRST)])).toBe(true);
    expect(local.room.ahead).toBe(0);
    expect(local.waitingIds).toEqual([...many.map(({ id }) => id), 'a']);
  });

  test('during a fetch of a real runner begins with what that brings, in the order of priorities', async () => {
    await using stack = await DeliveryStack.open();
    const events: WorkerEvents = new EventEmitter();
    const given = { ...job('0', FIRST), task_identifier: 'note', payload: 'given', attempts: 1 };
    let local: LocalJobs | undefined;
    let taken: boolean | undefined;
    events.on('localQueue:init', ({ localQueue }) => {
      local = new LocalJobs(localQueue, events);
    });
    // The last moment of a fetch.
    events.on('localQueue:getJobs:complete', ({ jobs }) => {
      taken ??= jobs.length === 2 ? local?.give([given]) : undefined;
    });
    const began: unknown[] = [];
    const blocked = Promise.withResolvers<void>();
    const runner = await run({
      pgPool: stack.services.db.pool,
      schema: JOBS_SCHEMA,
      logger: quietLogger,
      noHandleSignals: true,
      events,
      taskList: {
        note: async (name) => {
          began.push(name);
          await (name === 'blocker' ? blocked.promise : undefined);
        },
      },
      preset: { worker: { concurrentJobs: 1, localQueue: { size: 10 }, completeJobBatchDelay: 0 } },
    });
    const add = (name: string, priority: number) =>
      `hookwright_jobs.add_job('note', to_json('${name}'::text), priority => ${priority})`;
    await stack.rows(`select ${add('blocker', FIRST)}`);
    await eventually(() => began.length === 1);
    await stack.rows(`select ${add('fetched, urgent', FIRST - 5)}, ${add('fetched, later', FIRST + 5)}`);
    await eventually(() => local?.waitingIds.length === 3);
    expect(taken).toBe(true);
    blocked.resolve();
    await eventually(() => began.length === 4);
    expect(began.slice(1)).toEqual(['fetched, urgent', 'given', 'fetched, later']);
    await runner.stop();
  });

  test('is refused when a hundred were given since the last fetch, begun or not: others wait for the next one', () => {
    const { local, waiting, events } = queueOf('WAITING', 0, [job('crowded', LANES.CROWDED.priority)]);
    const many = Array.from({ length: 99 }, () => job('given', FIRST));
    expect(local.give(many)).toBe(true);
    waiting.splice(0, 99);
    expect(local.give([job('a', FIRST), job('b', FIRST)])).toBe(false);
    expect(local.give([job('a', FIRST)])).toBe(true);
    expect(local.room.ahead).toBe(0);
    events.emit('localQueue:setMode', { newMode: 'WAITING' } as never);
    expect(local.room.ahead).toBe(100);
  });

  test('is refused when the runner ends', () => {
    expect(queueOf('RELEASED', 5, []).local.give([job('c', FIRST)])).toBe(false);
  });
});
