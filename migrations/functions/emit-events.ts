/**
 * The one way by which events enter. Each event, its deliveries, their jobs and its idempotency key are committed
 * together, in the transaction of the caller if it has one.
 *
 * The arguments are arrays of one length, with one element for each event. The rows of the answer are numbered from 0.
 *
 * - only_webhook_ids: the one webhook that an event is for, whatever it subscribes to (a test); null: all that
 *   subscribe
 * - priorities: of the jobs (src/domain/pacing/lanes.ts); null: 0, and 10 for what is beyond a tenant's share
 * - schema_checked: the caller says that the bodies are valid by the schemas of their types. From the API this counts
 *   for all that `judge_emits` looks at; from another role it counts for the schemas that SQL cannot check, and
 *   nothing else
 * - error_code: a code of `emit_events_once`, of `judge_emits`, or IDEMPOTENCY_KEY_BUSY. Such an item writes nothing
 *
 * Two ids can be equal after the clock was set back, and the partition of a day can be missing when no daemon has run
 * for two weeks. Neither may cost the caller an event: it takes new ids, or makes the partition, and tries again.
 * Items of the API share a transaction. An application may hold an idempotency key for as long as its own transaction
 * is open, so an item of the API whose key is held for more than 50 ms is refused (`refuse_busy_keys`), and no other
 * item waits for it.
 *
 * @throws HW011 for arguments that do not fit together, HW012 for more than 100,000 deliveries
 */
export const emitEvents = `
create or replace function hookwright.emit_events(
  tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[] default null,
  only_webhook_ids bigint[] default null, priorities integer[] default null,
  schema_checked boolean default false
) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text,
                 error_detail text)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
-- Planning takes twice as long as running it, and no arguments make another plan better.
set plan_cache_mode = force_generic_plan as $$
declare
  -- Only a member can have set the role; asking that first saves the API's emits a look-up.
  restricted boolean := not (current_setting('role') = 'hookwright_api'
                             or pg_has_role(session_user, 'hookwright_api', 'member'));
  refusals text[];
  details text[];
  tries integer := 0;
  violated text;
  hurries boolean := not restricted and cardinality(array_remove(idempotency_keys, null)) > 0;
  lock_timeout text := current_setting('lock_timeout');
  busy text[];
begin
  if restricted or schema_checked is distinct from true then
    perform hookwright.require_arguments(
      tenant_ids, event_types, bodies, idempotency_keys, only_webhook_ids, priorities, restricted);
    select j.refusals, j.details, coalesce(j.unescaped, bodies) into refusals, details, bodies
    from hookwright.judge_emits(
      tenant_ids, event_types, bodies,
      coalesce(idempotency_keys, array_fill(null::text, array[cardinality(event_types)])),
      restricted, schema_checked is true) j;
  end if;
  loop
    begin
      if hurries then
        perform set_config('lock_timeout', '50ms', true);
      end if;
      return query select e.item, e.event_id, e.delivery_count, e.duplicate, e.error_code,
          case when e.error_code is not null
            then coalesce(details[e.item + 1], (hookwright.refusal(e.error_code)).sentence) end
        from hookwright.emit_events_once(
          tenant_ids, event_types, bodies,
          coalesce(idempotency_keys, array_fill(null::text, array[cardinality(event_types)])),
          coalesce(only_webhook_ids, array_fill(null::bigint, array[cardinality(event_types)])),
          priorities,
          refusals) e;
      if hurries then
        perform set_config('lock_timeout', lock_timeout, true);
      end if;
      return;
    exception
      when unique_violation then
        get stacked diagnostics violated = table_name;
        if tries >= 50 or violated !~ '^(events|deliveries)_' then
          raise;
        end if;
        perform pg_sleep(0.002 * tries);
      when check_violation then
        if tries >= 3 then
          raise;
        end if;
        perform hookwright.make_partitions(2);
      when lock_not_available then
        if not hurries then
          raise;
        end if;
        busy := hookwright.refuse_busy_keys(tenant_ids, idempotency_keys, refusals);
        -- It was another lock, or is free by now: worth to wait for.
        hurries := busy is distinct from coalesce(refusals, array_fill(null::text, array[cardinality(tenant_ids)]));
        refusals := busy;
        perform set_config('lock_timeout', lock_timeout, true);
    end;
    tries := tries + 1;
  end loop;
end $$;

revoke execute on function hookwright.emit_events from public;
grant execute on function hookwright.emit_events to hookwright_api;
`;
