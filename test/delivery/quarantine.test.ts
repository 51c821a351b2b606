import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Quarantine } from '../../daemon/jobs/quarantine.js';
import { SendingStopped } from '../../daemon/liveness/fence.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { keptLog } from '../support/kept-log.js';
import { lockRows } from '../support/locks.js';
import { answer, type Receiver, startReceiver } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  stack = await DeliveryStack.open();
  await stack.webhook(receiver.url);
});
afterEach(async () => {
  await stack[Symbol.asyncDispose]();
  await receiver.close();
});

const lockJobs = (owner: string) =>
  stack.rows(`update hookwright_jobs._private_jobs
              set locked_by = '${owner}', locked_at = now(), attempts = attempts + 1`);

describe('a job that was fetched again and again', () => {
  const fetched = (attempts: number, id = '1') => ({ id, attempts });

  test('four times is run like any other', async () => {
    const { id } = await stack.delivery(await stack.emit());
    const quarantine = new Quarantine(stack.services);
    let ran = 0;
    await quarantine.run(fetched(4), { id, attempt: 1 }, async () => {
      ran += 1;
    });
    expect(ran).toBe(1);
  });

  test('five times is put aside in its lane for an hour before it is run, alone; its end is in the log', async () => {
    const { id } = await stack.delivery(await stack.emit());
    const [job] = await stack.rows<{ id: number }>('select id from hookwright_jobs._private_jobs');
    await lockJobs('pool-mine');
    await stack.rows('update hookwright_jobs._private_jobs set priority = 20');
    const { log, lines } = keptLog('error');
    const quarantine = new Quarantine({ ...stack.services, log });
    let running = 0;
    let seen: unknown[] | undefined;
    const work = async () => {
      running += 1;
      expect(running).toBe(1);
      seen ??= await stack.rows(`select attempts, priority, run_at > now() + interval '59 minutes' as later
                               from hookwright_jobs._private_jobs where key = 'd:${id}'`);
      running -= 1;
    };
    await Promise.all([
      quarantine.run(fetched(5, String(job!.id)), { id, attempt: 1 }, work),
      quarantine.run(fetched(7, String(job!.id)), { id, attempt: 1 }, work),
    ]);
    expect(seen).toEqual([{ attempts: 5, priority: 20, later: true }]);
    expect(lines.map(({ msg, fetches }) => ({ msg, fetches }))).toContainEqual({
      msg: 'a job was fetched again and again without being finished; it is put aside, and tried once, alone',
      fetches: 5,
    });
  });

  test('is delivered all the same when it does no harm', async () => {
    const eventId = await stack.emit();
    await stack.rows('update hookwright_jobs._private_jobs set attempts = 6');
    stack.startDaemon();
    await eventually(async () => (await stack.delivery(eventId)).status === 'SUCCEEDED');
    expect(receiver.received).toHaveLength(1);
    // Nor does the job that was put aside come again each hour, for ever a suspect.
    await eventually(
      async () => (await stack.rows(`select from hookwright_jobs._private_jobs where key ~ '^d:'`)).length === 0,
    );
  });

  test('gets its retry in time when it does no harm but fails: nothing of it stays aside for the hour', async () => {
    await using own = await DeliveryStack.open({ RETRY_BASE_SECONDS: '120' });
    await using failing = await startReceiver(answer(500));
    await own.webhook(failing.url);
    const eventId = await own.emit();
    await own.rows('update hookwright_jobs._private_jobs set attempts = 4');
    own.startDaemon();
    const { id } = await eventually(async () => {
      const row = await own.delivery(eventId);
      return row.attempt_count === 1 && row;
    });
    await own.rows(`update hookwright.deliveries set due_at = now() + interval '5 seconds' where id = ${id}`);
    await eventually(async () => (await own.delivery(eventId)).attempt_count === 2, 15_000);
  });

  test('and kills its process each time waits for an hour then: nobody fetches it', async () => {
    const { id } = await stack.delivery(await stack.emit());
    const [job] = await stack.rows<{ id: number }>('select id from hookwright_jobs._private_jobs');
    await lockJobs('pool-dead');
    const dies = new Promise<void>(() => {});
    void new Quarantine(stack.services).run(fetched(5, String(job!.id)), { id, attempt: 1 }, () => dies);
    await eventually(
      async () => (await stack.rows('select from hookwright_jobs._private_jobs where locked_by is null')).length === 1,
    );
    const marker = await stack.emit();
    stack.startDaemon();
    await eventually(async () => (await stack.delivery(marker)).status === 'SUCCEEDED');
    await eventually(
      async () =>
        (await stack.rows('select from hookwright_jobs._private_jobs where locked_by is not null')).length === 0,
      15_000,
    );
    expect(receiver.received).toHaveLength(1);
    expect((await stack.deliveries(`id = ${id}`))[0]?.status).toBe('PENDING');
  });

  describe('whose row another session has locked', () => {
    const JOBS = 'hookwright_jobs._private_jobs';
    /** Less than a statement may take. */
    const SOON_MS = 4_000;

    async function suspect() {
      const { id } = await stack.delivery(await stack.emit());
      const [job] = await stack.rows<{ id: number }>(`select id from ${JOBS} where key = 'd:${id}'`);
      return { id, key: `d:${id}`, job: fetched(5, String(job!.id)) };
    }

    test('is not run, and comes again: the suspect behind it waits for a moment', async () => {
      const [locked, other] = [await suspect(), await suspect()];
      await lockJobs('pool-mine');
      await using _lock = await lockRows(stack.databaseUrl, JOBS, `key = '${locked.key}'`);
      const quarantine = new Quarantine(stack.services);
      const ran: number[] = [];
      const begun = performance.now();
      const results = await Promise.allSettled(
        [locked, other].map(({ id, job }) =>
          quarantine.run(job, { id, attempt: 1 }, async () => {
            ran.push(id);
          }),
        ),
      );
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      expect(results).toMatchObject([
        { reason: { message: 'Another session has a job of these deliveries locked.' } },
        { status: 'fulfilled' },
      ]);
      expect(ran).toEqual([other.id]);
    });

    /** Another session locks the row of a suspect while that is run, and keeps it until `aside` ends. @returns its key */
    async function runWhileLocked(aside: AsyncDisposableStack, work: () => void = () => {}): Promise<string> {
      const { id, key, job } = await suspect();
      await lockJobs('pool-mine');
      const begun = performance.now();
      await new Quarantine(stack.services).run(job, { id, attempt: 1 }, async () => {
        aside.use(await lockRows(stack.databaseUrl, JOBS, `key = '${key}'`));
        work();
      });
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      return key;
    }

    test('after it was put aside, is done all the same, and the one that was put aside is left', async () => {
      await using aside = new AsyncDisposableStack();
      const key = await runWhileLocked(aside);
      expect(await stack.rows(`select from ${JOBS} where key = '${key}'`)).toHaveLength(1);
    });

    test('when our own fault ended it, waits for its hour', async () => {
      await using aside = new AsyncDisposableStack();
      const key = await runWhileLocked(aside, () => {
        throw new SendingStopped('The daemon ends.');
      });
      expect(
        await stack.rows(`select from ${JOBS} where key = '${key}' and run_at > now() + interval '50 minutes'`),
      ).toHaveLength(1);
    });
  });
});
