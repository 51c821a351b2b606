import { Migration } from '@mikro-orm/migrations';
import { type EmitEventsAgain, emitEventsAgain } from './sql/emit-events.js';
import { emitEventsOnce } from './sql/emit-events-once.js';

/** Longer than other emits take to commit; short for those that share a transaction with this one. */
export const KEY_WAIT = '50ms';
/** An error of our own, with which a probe takes back what it wrote. */
export const NOT_BUSY = 'HW000';

/** In `emit_events`, since this migration. */
export const busyKeys: EmitEventsAgain = {
  declarations: `hurries boolean := not restricted and cardinality(array_remove(idempotency_keys, null)) > 0;
    lock_timeout text := current_setting('lock_timeout');
    busy text[];`,
  before: `if hurries then
          perform set_config('lock_timeout', '${KEY_WAIT}', true);
        end if;`,
  after: `if hurries then
          perform set_config('lock_timeout', lock_timeout, true);
        end if;`,
  handler: `when lock_not_available then
          if not hurries then
            raise;
          end if;
          busy := hookwright.refuse_busy_keys(tenant_ids, idempotency_keys, refusals);
          -- It was another lock, or is free by now: worth to wait for.
          hurries := busy is distinct from coalesce(refusals, array_fill(null::text, array[cardinality(tenant_ids)]));
          refusals := busy;
          perform set_config('lock_timeout', lock_timeout, true);`,
};

/**
 * An application may hold an idempotency key for as long as its transaction is open (docs/outbox.md). Emits of the API
 * share transactions: for them such a key is refused as busy after a moment, so that nobody else waits for it.
 */
export class BusyIdempotencyKeys extends Migration {
  override up(): void {
    this.addSql(`
      -- The refusals of a batch, with those of the items whose keys other open transactions hold now.
      create function hookwright.refuse_busy_keys(tenant_ids bigint[], idempotency_keys text[], refusals text[])
      returns text[]
      language plpgsql as $$
      declare
        judged text[] := coalesce(refusals, array_fill(null::text, array[cardinality(tenant_ids)]));
      begin
        perform set_config('lock_timeout', '1ms', true);
        for item in 1 .. cardinality(tenant_ids) loop
          continue when idempotency_keys[item] is null or judged[item] is not null;
          begin
            insert into hookwright.idempotency_keys (tenant_id, key, event_id, request_hash)
            values (tenant_ids[item], idempotency_keys[item], 0, '') on conflict do nothing;
            raise sqlstate '${NOT_BUSY}';
          exception
            when lock_not_available then
              judged[item] := 'IDEMPOTENCY_KEY_BUSY';
            when sqlstate '${NOT_BUSY}' or foreign_key_violation then
              null;
          end;
        end loop;
        return judged;
      end $$;
      revoke execute on function hookwright.refuse_busy_keys(bigint[], text[], text[]) from public;

      ${emitEventsAgain(busyKeys)}

      ${emitEventsOnce({
        jobSize: 'hookwright.job_size(count(*) over (partition by active, priority))',
        beforeKeys: `if worker_pool is not null then
        perform set_config('lock_timeout', '${KEY_WAIT}', true);
      end if;`,
      })}
    `);
  }
}
