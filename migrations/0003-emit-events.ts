import { Migration } from '@mikro-orm/migrations';

/**
 * `hookwright.emit_events`: the one door through which events enter. Event, deliveries, jobs and idempotency
 * key commit together, in the caller's transaction if it has one.
 */
export class EmitEvents extends Migration {
  override up(): void {
    this.addSql(`
      -- With enqueue_new_deliveries the only SQL of ours that adds delivery jobs. A job is a hint that a row is due: it
      -- names the delivery and the attempt that it is meant for, nothing else. max_attempts is high because graphile-worker counts
      -- a fetch as an attempt, and a job whose process died must stay available.
      create function hookwright.enqueue_deliveries(
        delivery_ids bigint[], attempt_numbers integer[], run_ats timestamptz[], priorities integer[]
      ) returns integer
      -- A plan that add_jobs made while there were no jobs would read all of them, once for each new one.
      language plpgsql set plan_cache_mode = force_custom_plan as $$
      begin
        if coalesce(array_length(delivery_ids, 1), 0) = 0 then
          return 0;  -- add_jobs notifies every listener even for an empty list
        end if;
        perform hookwright_jobs.add_jobs(array(
          select ('deliver', json_build_object('id', id, 'attempt', attempt), null, run_at, 25, 'd:' || id,
                  priority, null)::hookwright_jobs.job_spec
          from unnest(delivery_ids, attempt_numbers, run_ats, priorities) as due(id, attempt, run_at, priority)));
        return array_length(delivery_ids, 1);
      end $$;

      -- As enqueue_deliveries, for first attempts of deliveries that were written just now: no job can know them yet, so
      -- nothing has to be looked up, replaced or locked, and the rows go in as they are (add_jobs takes twice as long).
      -- Those of one group share a job; whose group is null has one of its own.
      create function hookwright.enqueue_new_deliveries(
        delivery_ids bigint[], job_groups bigint[], priorities integer[]
      ) returns integer
      language plpgsql as $$
      declare
        single_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
        group_task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver-group');
      begin
        if coalesce(array_length(delivery_ids, 1), 0) = 0 then
          return 0;
        end if;
        if single_task is null or group_task is null then
          insert into hookwright_jobs._private_tasks (identifier) values ('deliver'), ('deliver-group')
          on conflict do nothing;
          return hookwright.enqueue_new_deliveries(delivery_ids, job_groups, priorities);
        end if;
        insert into hookwright_jobs._private_jobs (task_id, payload, max_attempts, key, priority)
        select case when job_group is null then single_task else group_task end,
               case when job_group is null then json_build_object('id', min(id), 'attempt', 1)
                    else json_build_object('group', job_group, 'ids', json_agg(id order by id)) end,
               25, coalesce('g:' || job_group, 'd:' || min(id)), min(priority)
        from unnest(delivery_ids, job_groups, priorities) as due(id, job_group, priority)
        group by job_group, case when job_group is null then id end;
        perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', cardinality(delivery_ids))::text);
        return cardinality(delivery_ids);
      end $$;

      -- A function, so that the partitions are only opened when somebody repeats an idempotency key.
      create function hookwright.count_deliveries(event_id bigint) returns integer
      language plpgsql stable as $$
      begin
        return (select count(*) from hookwright.deliveries d where d.event_id = count_deliveries.event_id);
      end $$;

      -- One try. Each item: a tenant, an event type, a body (JSON text), perhaps an idempotency key, and
      -- perhaps the one webhook that it is for (a test: whatever that webhook subscribed to), and the priority of its
      -- jobs (src/domain/lanes.ts; 0: first attempts).
      -- error_code: TENANT_UNKNOWN, EVENT_TYPE_UNKNOWN, EVENT_TYPE_RESERVED, WEBHOOK_NOT_ACTIVE,
      -- IDEMPOTENCY_KEY_REUSED. An item with an error writes nothing.
      create function hookwright.emit_events_once(
        tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
        priorities integer[]
      ) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text)
      language plpgsql as $$
      #variable_conflict use_column
      declare
        ids bigint[];
        errors text[];
        owners bigint[];   -- per item: the event that its idempotency key belongs to, else its own
      begin
        select array_agg(case when problem is null then hookwright.next_id() end order by ord),
               array_agg(problem order by ord)
        into ids, errors
        from (
          select i.ord,
                 case
                   when t.id is null then 'TENANT_UNKNOWN'
                   when et.name is null then 'EVENT_TYPE_UNKNOWN'
                   when et.reserved and i.only_webhook_id is null then 'EVENT_TYPE_RESERVED'
                   when i.only_webhook_id is not null and not exists (
                     select from hookwright.webhooks w
                     where w.id = i.only_webhook_id and w.tenant_id = i.tenant_id and w.active and w.deleted_at is null
                   ) then 'WEBHOOK_NOT_ACTIVE'
                 end as problem
          from unnest(tenant_ids, event_types, only_webhook_ids)
                 with ordinality as i(tenant_id, event_type, only_webhook_id, ord)
          left join hookwright.tenants t on t.id = i.tenant_id
          left join hookwright.event_types et on et.name = i.event_type
        ) judged;
        owners := ids;

        if exists (select from unnest(idempotency_keys) k where k is not null) then
          -- In key order, so that two batches that share keys cannot wait for each other in a ring. A key that
          -- another transaction is just writing makes us wait for its end: both answers then name one event.
          insert into hookwright.idempotency_keys as known (tenant_id, key, event_id, request_hash)
          select distinct on (i.tenant_id, i.key) i.tenant_id, i.key, i.id,
                 sha256(convert_to(i.event_type || E'\\n' || i.body, 'UTF8'))
          from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids)
                 with ordinality as i(tenant_id, event_type, body, key, id, ord)
          where i.key is not null and i.id is not null
          order by i.tenant_id, i.key, i.ord
          on conflict (tenant_id, key) do update
            set event_id = excluded.event_id, request_hash = excluded.request_hash, created_at = now()
            where known.created_at < now() - interval '7 days';

          select array_agg(coalesce(known.event_id, i.id) order by i.ord),
                 array_agg(coalesce(i.error, case
                   when known.request_hash <> sha256(convert_to(i.event_type || E'\\n' || i.body, 'UTF8'))
                   then 'IDEMPOTENCY_KEY_REUSED' end) order by i.ord)
          into owners, errors
          from unnest(tenant_ids, event_types, bodies, idempotency_keys, ids, errors)
                 with ordinality as i(tenant_id, event_type, body, key, id, error, ord)
          left join hookwright.idempotency_keys known
            on i.id is not null and known.tenant_id = i.tenant_id and known.key = i.key;
        end if;

        return query
        with fresh as materialized (
          select i.ord, i.id, i.tenant_id, i.event_type, i.body, i.only_webhook_id, coalesce(i.priority, 0) as priority
          from unnest(tenant_ids, event_types, bodies, only_webhook_ids, ids, owners, errors, priorities)
                 with ordinality
                 as i(tenant_id, event_type, body, only_webhook_id, id, owner, error, priority, ord)
          where i.error is null and i.owner = i.id
        ),
        written as (
          insert into hookwright.events (id, tenant_id, event_type, body)
          select id, tenant_id, event_type, body from fresh
        ),
        matched as materialized (
          select hookwright.next_id() as id, f.ord, f.id as event_id, f.tenant_id, f.event_type, f.priority,
                 w.id as webhook_id, w.active
          from fresh f
          join hookwright.webhooks w on w.tenant_id = f.tenant_id and w.deleted_at is null
           and case when f.only_webhook_id is null
                 then (w.event_types = '{*}' or f.event_type = any(w.event_types))
                      and (w.active or w.hold_until > now())
                 else w.id = f.only_webhook_id
               end
        ),
        -- First attempts of one lane share jobs, a few each (docs/decisions/0007).
        numbered as (
          select *, (row_number() over (partition by active, priority order by id) - 1) / 4 as part from matched
        ),
        grouped as materialized (
          select *,
                 case when active and count(*) over fellows > 1 then min(id) over fellows end as job_group
          from numbered window fellows as (partition by active, priority, part)
        ),
        fanned_out as (
          insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group)
          select id, tenant_id, event_id, webhook_id, event_type,
                 case when active then 'PENDING' else 'HELD' end::hookwright.delivery_status, job_group
          from grouped
        ),
        queued as (
          select hookwright.enqueue_new_deliveries(array_agg(id), array_agg(job_group), array_agg(priority))
          from grouped where active
        ),
        -- Counted without a join: one of a few hundred items with as many deliveries would go through all pairs.
        counted as (
          select ord, count(*)::integer - 1 as deliveries
          from (select ord from matched union all select generate_series(1, cardinality(ids))) items group by ord
        ),
        answered as (
          select ord, ids[ord] as id, owners[ord] as owner, errors[ord] as error, deliveries from counted
        )
        select i.ord::integer - 1,
               case when i.error is null then i.owner end,
               case
                 when i.error is not null then 0
                 when i.owner = i.id then i.deliveries
                 -- A repetition: of an item of this batch, which its own rows do not show yet, or of an older event.
                 when i.owner = any(ids) then (select deliveries from counted where ord = array_position(ids, i.owner))
                 else hookwright.count_deliveries(i.owner)
               end,
               coalesce(i.error is null and i.owner <> i.id, false),
               i.error
        from answered i
        where (select count(*) from queued) >= 0
        order by i.ord;
      end $$;

      -- Two ids can meet when the clock is set back, and a day's partition can be missing when no daemon has run
      -- for two weeks. Neither may cost the caller an event: take new ids, or make the partition, and go again.
      create function hookwright.emit_events(
        tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[] default null,
        only_webhook_ids bigint[] default null, priorities integer[] default null
      ) returns table (item integer, event_id bigint, delivery_count integer, duplicate boolean, error_code text)
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
      -- Planning takes twice as long as running it, and no arguments make another plan better.
      set plan_cache_mode = force_generic_plan as $$
      declare
        tries integer := 0;
        violated text;
      begin
        loop
          begin
            return query select * from hookwright.emit_events_once(
              tenant_ids, event_types, bodies,
              coalesce(idempotency_keys, array_fill(null::text, array[cardinality(event_types)])),
              coalesce(only_webhook_ids, array_fill(null::bigint, array[cardinality(event_types)])),
              coalesce(priorities, array_fill(0, array[cardinality(event_types)])));
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
          end;
          tries := tries + 1;
        end loop;
      end $$;
    `);
  }
}
