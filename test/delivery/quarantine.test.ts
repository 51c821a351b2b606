import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Quarantine } from '../../daemon/jobs/quarantine.js';
import { SendingStopped } from '../../daemon/liveness/fence.js';
import { SQL_STATE } from '../../src/platform/database/driver/sql-state.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { changeJobs, countJobs, fetchJobs, jobsIn, lockJobRows, ofDelivery } from '../support/jobs.js';
import { keptLog } from '../support/kept-log.js';
import { answer } from '../support/receiver.js';

let stack: DeliveryStack;
let receiver: Endpoint;
beforeEach(async () => {
  stack = await DeliveryStack.open();
  receiver = await stack.endpoint();
});
afterEach(() => stack[Symbol.asyncDispose]());

describe('a job that was fetched again and again', () => {
  /** A delivery with its job, which was fetched this often. */
  async function suspect(attempts = 5) {
    const { id } = await stack.delivery(await stack.emit());
    const [job] = await jobsIn(stack, ofDelivery(id));
    return { payload: { id, attempt: 1 }, job: { id: String(job!.id), attempts } };
  }

  test('four times is run like any other', async () => {
    const { payload, job } = await suspect(4);
    let ran = 0;
    await new Quarantine(stack.services).run(job, payload, async () => {
      ran += 1;
    });
    expect(ran).toBe(1);
  });

  test('five times is put aside in its lane for an hour before it is run, alone; its end is in the log', async () => {
    const { payload, job } = await suspect();
    await fetchJobs(stack, 'pool-mine');
    await changeJobs(stack, 'priority = 20');
    const { log, lines } = keptLog('error');
    const quarantine = new Quarantine({ ...stack.services, log });
    let running = 0;
    let seen: unknown[] | undefined;
    const work = async () => {
      running += 1;
      expect(running).toBe(1);
      seen ??= (await jobsIn(stack, ofDelivery(payload.id))).map(({ attempts, priority, inSeconds }) => {
        return { attempts, priority, later: inSeconds > 59 * 60 };
      });
      running -= 1;
    };
    await Promise.all([quarantine.run(job, payload, work), quarantine.run({ ...job, attempts: 7 }, payload, work)]);
    expect(seen).toEqual([{ attempts: 5, priority: 20, later: true }]);
    expect(lines.map(({ msg, fetches }) => ({ msg, fetches }))).toContainEqual({
      msg: 'a job was fetched again and again without being finished; it is put aside, and tried once, alone',
      fetches: 5,
    });
  });

  test('is delivered all the same when it does no harm', async () => {
    const eventId = await stack.emit();
    await changeJobs(stack, 'attempts = 6');
    stack.startDaemon();
    await stack.reaches(eventId, 'SUCCEEDED');
    expect(receiver.received).toHaveLength(1);
    // Nor does the job that was put aside come again each hour, for ever a suspect.
    await stack.noDeliveryJobs();
  });

  test('gets its retry in time when it does no harm but fails: nothing of it stays aside for the hour', async () => {
    await using own = await DeliveryStack.open({ RETRY_BASE_SECONDS: '120' });
    await own.endpoint(answer(500));
    const eventId = await own.emit();
    await changeJobs(own, 'attempts = 4');
    own.startDaemon();
    const { id } = await own.attempted(eventId);
    await own.rows(`update hookwright.deliveries set due_at = now() + interval '5 seconds' where id = ${id}`);
    await eventually(async () => (await own.delivery(eventId)).attempt_count === 2, 15_000);
  });

  test('and kills its process each time waits for an hour then: nobody fetches it', async () => {
    const { payload, job } = await suspect();
    await fetchJobs(stack, 'pool-dead');
    const dies = new Promise<void>(() => {});
    void new Quarantine(stack.services).run(job, payload, () => dies);
    await eventually(async () => (await countJobs(stack, 'locked_by is null')) === 1);
    const marker = await stack.emit();
    stack.startDaemon();
    await stack.reaches(marker, 'SUCCEEDED');
    await eventually(async () => (await countJobs(stack, 'locked_by is not null')) === 0, 15_000);
    expect(receiver.received).toHaveLength(1);
    expect((await stack.deliveries(`id = ${payload.id}`))[0]?.status).toBe('PENDING');
  });

  describe('whose row another session has locked', () => {
    /** Less than a statement may take. */
    const SOON_MS = 4_000;

    test('is not run, and comes again: the suspect behind it waits for a moment', async () => {
      const [locked, other] = [await suspect(), await suspect()];
      await fetchJobs(stack, 'pool-mine');
      await using _lock = await lockJobRows(stack.databaseUrl, ofDelivery(locked.payload.id));
      const quarantine = new Quarantine(stack.services);
      const ran: number[] = [];
      const begun = performance.now();
      const results = await Promise.allSettled(
        [locked, other].map(({ payload, job }) =>
          quarantine.run(job, payload, async () => {
            ran.push(payload.id);
          }),
        ),
      );
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      expect(results).toMatchObject([{ reason: { code: SQL_STATE.LOCK_NOT_AVAILABLE } }, { status: 'fulfilled' }]);
      expect(ran).toEqual([other.payload.id]);
    });

    /** Another session locks the row of a suspect while that is run, and keeps it until `aside` ends. @returns its id */
    async function runWhileLocked(aside: AsyncDisposableStack, work: () => void = () => {}): Promise<number> {
      const { payload, job } = await suspect();
      await fetchJobs(stack, 'pool-mine');
      const begun = performance.now();
      await new Quarantine(stack.services).run(job, payload, async () => {
        aside.use(await lockJobRows(stack.databaseUrl, ofDelivery(payload.id)));
        work();
      });
      expect(performance.now() - begun).toBeLessThan(SOON_MS);
      return payload.id;
    }

    test('after it was put aside, is done all the same, and the one that was put aside is left', async () => {
      await using aside = new AsyncDisposableStack();
      const id = await runWhileLocked(aside);
      expect(await countJobs(stack, ofDelivery(id))).toBe(1);
    });

    test('when our own fault ended it, waits for its hour', async () => {
      await using aside = new AsyncDisposableStack();
      const id = await runWhileLocked(aside, () => {
        throw new SendingStopped('The daemon ends.');
      });
      expect(await countJobs(stack, `${ofDelivery(id)} and run_at > now() + interval '50 minutes'`)).toBe(1);
    });
  });
});
