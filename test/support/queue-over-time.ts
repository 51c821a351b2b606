import { examineRunningDeliveries } from '../../src/operations/doctor/examine.js';
import { renewReport } from '../../src/operations/installation/installation-report.js';
import { countQueue } from '../../src/operations/queue/count-queue.js';
import type { DeliveryStack } from './delivery-stack.js';

const MINUTE_MS = 60_000;

/** Counts the queue of a service by a clock of its own, whose minutes are as long as a test wants. */
export class QueueClock {
  readonly begin: number;
  minutes = 0;

  constructor(
    private readonly stack: DeliveryStack,
    private readonly pool = stack.services.db.pool,
  ) {
    this.begin = Math.floor(Date.now() / MINUTE_MS - 60) * MINUTE_MS;
  }

  /** A minute of this clock. */
  at(minute: number): Date {
    return new Date(this.begin + minute * MINUTE_MS);
  }

  /** As if it had counted the minute before its first one. */
  async start(): Promise<void> {
    await this.stack.rows(`
      delete from hookwright.queue_gaps;
      update hookwright.queue_progress set counted_until = '${this.at(-1).toISOString()}'`);
  }

  /** A daemon reports what is queued now. */
  async report(): Promise<void> {
    await renewReport(this.pool, 0, () => examineRunningDeliveries(this.pool, new Date(), false, {}));
  }

  /** Counts the next minute. @returns the number of rows */
  async count(): Promise<number> {
    await this.report();
    return await this.countReported();
  }

  /** The same by the last report. */
  countReported(): Promise<number> {
    this.minutes += 1;
    return countQueue(this.pool, this.at(this.minutes - 1));
  }
}
