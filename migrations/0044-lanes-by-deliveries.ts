import { Migration } from '@mikro-orm/migrations';
import { busyKeys } from './0018-busy-idempotency-keys.js';
import { repeatedKeys } from './0030-repeated-keys.js';
import { emitEventsAgain } from './sql/emit-events.js';
import { emitEventsOnce } from './sql/emit-events-once.js';

/**
 * What a call of `emit_events` costs is the deliveries that it makes, and these are what stands before those of others. So
 * lanes go by deliveries, also within one call and for an application that emits through the outbox door; and one call
 * makes no more than fit into the time of a statement (docs/decisions/0031).
 */
export class LanesByDeliveries extends Migration {
  override up(): void {
    this.addSql(`
      -- How many deliveries a tenant has got in the last two seconds, at most that many; those that other open
      -- transactions make are not seen. A function, so that the partitions are only opened when somebody asks. Not for
      -- serializable transactions: what each has read would be what another writes, and one of the two fails.
      create function hookwright.emitted_lately(tenant bigint, most integer) returns integer
      language plpgsql stable as $$
      declare
        since bigint := hookwright.id_at(clock_timestamp() - interval '2 seconds');
      begin
        if current_setting('transaction_isolation') = 'serializable' then
          return 0;
        end if;
        return (
          select count(*) from (
            select from hookwright.deliveries d where d.tenant_id = tenant and d.id > since limit most) lately);
      end $$;

      create function hookwright.fits_one_call(deliveries bigint, most integer) returns boolean
      language plpgsql as $$
      begin
        if deliveries > most then
          raise exception using errcode = 'HW012', detail = 'TOO_MANY_DELIVERIES',
            message = format('The events of one call may make at most %s deliveries together.', most),
            hint = 'See docs/outbox.md, "What is refused".';
        end if;
        return true;
      end $$;

      ${emitEventsAgain({
        ...busyKeys,
        judgement:
          'select j.refusals, j.details, coalesce(j.unescaped, bodies) into refusals, details, bodies',
        priorities: 'priorities',
      })}

      ${emitEventsOnce({
        ...repeatedKeys,
        tenants: 'and t.deleted_at is null',
        declarations: 'called_at timestamptz := clock_timestamp();',
        dueAt: 'called_at',
        // The share is BURST in src/domain/tenant-pace.ts. Calls at the same time do not see each other's.
        bounds: { deliveriesMax: 100_000, share: 500, shareOfUnpaced: 100 },
      })}

      revoke execute on function
        hookwright.emitted_lately(bigint, integer), hookwright.fits_one_call(bigint, integer) from public;
    `);
  }
}
