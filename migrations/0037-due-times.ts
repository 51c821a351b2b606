import { Migration } from '@mikro-orm/migrations';
import { repeatedKeys } from './0030-repeated-keys.js';
import { emitEventsOnce } from './sql/emit-events-once.js';

/**
 * What one transaction emits by many calls is due call by call. The search for lost deliveries goes on from one due time
 * to the next: with the start of the transaction for all, it read all of an outbox's deliveries each time.
 */
export class DueTimes extends Migration {
  override up(): void {
    this.addSql(
      emitEventsOnce({
        ...repeatedKeys,
        tenants: 'and t.deleted_at is null',
        declarations: 'called_at timestamptz := clock_timestamp();',
        dueAt: 'called_at',
      }),
    );
  }
}
