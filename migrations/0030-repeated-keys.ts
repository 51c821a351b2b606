import { Migration } from '@mikro-orm/migrations';
import { KEY_WAIT, NOT_BUSY } from './0018-busy-idempotency-keys.js';
import { type EmitEventsOnce, emitEventsOnce } from './sql/emit-events-once.js';

export const repeatedKeys: EmitEventsOnce = {
  jobSize: 'hookwright.job_size(count(*) over (partition by active, priority))',
  beforeKeys: `if worker_pool is not null then
          perform set_config('lock_timeout', '${KEY_WAIT}', true);
        end if;`,
  keysToWrite: `and not exists (
          select from hookwright.idempotency_keys k
          where k.tenant_id = i.tenant_id and k.key = i.key and k.created_at > now() - interval '6 days 23 hours')`,
};

/**
 * A key that was committed before is a duplicate whatever other transactions do with it: an emit that repeats it neither
 * waits for them nor makes others wait. Only at the end of its seven days, when it may be taken anew, is it locked.
 */
export class RepeatedKeys extends Migration {
  override up(): void {
    this.addSql(`
      ${emitEventsOnce(repeatedKeys)}

      -- As in 0018, but a key that is there already is found to be busy too.
      create or replace function hookwright.refuse_busy_keys(
        tenant_ids bigint[], idempotency_keys text[], refusals text[]
      ) returns text[]
      language plpgsql as $$
      declare
        judged text[] := coalesce(refusals, array_fill(null::text, array[cardinality(tenant_ids)]));
      begin
        perform set_config('lock_timeout', '1ms', true);
        for item in 1 .. cardinality(tenant_ids) loop
          continue when idempotency_keys[item] is null or judged[item] is not null;
          begin
            -- "do nothing" would not ask whether the row is locked.
            insert into hookwright.idempotency_keys (tenant_id, key, event_id, request_hash)
            values (tenant_ids[item], idempotency_keys[item], 0, '')
            on conflict (tenant_id, key) do update set event_id = excluded.event_id where false;
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

      -- Those that were made with the event: their ids are beside its own, so only the partitions of its day are opened.
      -- 14,745,600,000 ids are an hour.
      create or replace function hookwright.count_deliveries(event_id bigint) returns integer
      language plpgsql stable as $$
      begin
        return (
          select count(*) from hookwright.deliveries d
          where d.event_id = count_deliveries.event_id
            and d.id between count_deliveries.event_id - 14745600000 and count_deliveries.event_id + 14745600000);
      end $$;
    `);
  }
}
