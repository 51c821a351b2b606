import { Migration } from '@mikro-orm/migrations';
import { emitEventsOnce } from './sql/emit-events-once.js';

/** Transactions that make many deliveries put more of them into one job (docs/decisions/0007). */
export class JobSizes extends Migration {
  override up(): void {
    this.addSql(`
      -- How many first attempts share a job, when one transaction makes so many deliveries in one lane.
      create function hookwright.job_size(deliveries bigint) returns bigint
      language sql immutable parallel safe
      return least(16, greatest(4, deliveries / 8));
      revoke execute on function hookwright.job_size(bigint) from public;

      ${emitEventsOnce({ jobSize: 'hookwright.job_size(count(*) over (partition by active, priority))' })}
    `);
  }
}
