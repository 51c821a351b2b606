-- Jobs of graphile-worker. All SQL that adds delivery jobs is here and in new-deliveries.ts.

-- Locks the jobs of these keys before others take their place, in an order that is always the same: the work would
-- be left to a job that is being fetched meanwhile and may have read its rows too early. Fetches pass over jobs that
-- are locked here. The only plan is by the index of keys, and is kept (docs/decisions/0017).
create or replace function hookwright.lock_jobs(keys text[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
begin
  perform from hookwright_jobs._private_jobs where key = any(keys) order by key for update;
end $$;

-- Adds jobs for deliveries that wait, with the time and priority of each, and returns their number. A delivery's job
-- that is not running yet is replaced. A job may be fetched 25 times, so that the job of a process that died stays
-- available.
--
-- The rows are written as add_jobs writes them, but a notice, which lets no two transactions commit at the same time,
-- is sent only when a job is due (docs/decisions/0022).
create or replace function hookwright.enqueue_deliveries(
  delivery_ids bigint[], attempt_numbers integer[], run_ats timestamptz[], priorities integer[]
) returns integer
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
-- A plan that was made while there were no jobs would read all of them, once for each new one.
set plan_cache_mode = force_custom_plan as $$
declare
  keys text[] := array(select 'd:' || id from unnest(delivery_ids) as due(id));
  task integer := (select id from hookwright_jobs._private_tasks where identifier = 'deliver');
begin
  if cardinality(keys) = 0 then
    return 0;
  end if;
  perform hookwright.lock_jobs(keys);
  -- A worker may have read its delivery before: another job takes the place of one that is running.
  update hookwright_jobs._private_jobs set key = null, attempts = max_attempts, updated_at = now()
  where key = any(keys) and is_available is not true;
  insert into hookwright_jobs._private_jobs as jobs (task_id, payload, run_at, max_attempts, key, priority)
  select task, json_build_object('id', id, 'attempt', attempt), run_at, 25, 'd:' || id, priority
  from unnest(delivery_ids, attempt_numbers, run_ats, priorities) as due(id, attempt, run_at, priority)
  on conflict (key) do update set
    job_queue_id = null, task_id = excluded.task_id, payload = excluded.payload, run_at = excluded.run_at,
    max_attempts = excluded.max_attempts, attempts = 0, last_error = null, priority = excluded.priority,
    flags = null, revision = jobs.revision + 1, updated_at = now()
  where jobs.locked_at is null;
  if exists (select from unnest(run_ats) as due(run_at) where run_at <= now()) then
    perform pg_notify('jobs:insert', json_build_object('r', random(), 'count', cardinality(keys))::text);
  end if;
  return cardinality(keys);
end $$;

-- Adds the jobs of heads that settle. As retries, they have one only when their time is near (docs/decisions/0006).
create or replace function hookwright.enqueue_settling(
  delivery_ids bigint[], due timestamptz[], priorities integer[]
) returns void
language sql as $$
  select hookwright.enqueue_deliveries(array_agg(d.id order by d.id), array_agg(1), array_agg(d.due order by d.id),
           array_agg(d.priority order by d.id))
  from unnest(delivery_ids, due, priorities) as d(id, due, priority)
  where d.due <= clock_timestamp() + interval '1 minute' having count(*) > 0
$$;

-- The same for new deliveries of which some settle: of those that are heads of active webhooks.
create or replace function hookwright.enqueue_settling_heads(
  delivery_ids bigint[], actives boolean[], priorities integer[], heads bigint[], settling_ids bigint[],
  due timestamptz[]
) returns void
language sql as $$
  select hookwright.enqueue_settling(array_agg(s.id), array_agg(s.due_at), array_agg(d.priority))
  from unnest(delivery_ids, actives, priorities) as d(id, active, priority)
  join unnest(settling_ids, due) as s(id, due_at) on s.id = d.id
  where d.active and d.id = any(heads)
$$;

-- Deletes the jobs of deliveries that have ended before they were due. A worker that has one finds nothing to do.
create or replace function hookwright.drop_jobs(delivery_ids bigint[]) returns void
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  job_keys text[] := array(select 'd:' || id from unnest(delivery_ids) as ended(id));
begin
  delete from hookwright_jobs._private_jobs
  where id = any(array(
    select j.id from hookwright_jobs._private_jobs j
    where j.key = any(job_keys) and j.locked_at is null order by j.key for update skip locked));
end $$;

-- Locks jobs that the same transaction has written for a worker pool, as graphile-worker's fetch locks them. Returns
-- those: [id, payload, priority], …
create or replace function hookwright.claim_jobs(delivery_ids bigint[], worker_pool text) returns json
language plpgsql set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
  claimed json;
begin
  with locked as (
    update hookwright_jobs._private_jobs
    set run_at = now(), locked_at = now(), locked_by = worker_pool, attempts = attempts + 1
    where key = any(array(select 'd:' || id from unnest(delivery_ids) as due(id))) and locked_at is null
    returning id, payload, priority)
  select json_agg(json_build_array(id, payload, priority)) into claimed from locked;
  return claimed;
end $$;

-- Makes pending deliveries of a tenant due now, with jobs in place of theirs, and returns the ids of those. The caller
-- has locked them in the order of ids. A delivery whose job is in hand is left out: its attempt is being made. A pause
-- that the endpoint asked for still holds.
create or replace function hookwright.attempt_now(tenant bigint, delivery_ids bigint[], priorities integer[])
returns bigint[]
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  job_keys text[] := array(
    select unnest(array['d:' || d.id, 'g:' || d.job_group]) from hookwright.deliveries d
    where d.id = any(delivery_ids) and (d.tenant_id = tenant) is true);
  free_keys text[] := array(
    select key from hookwright_jobs._private_jobs where key = any(job_keys) and locked_at is null
    order by key for update skip locked);
  keys_in_hand text[] := array(
    select key from hookwright_jobs._private_jobs
    where key = any(job_keys) and key <> all(free_keys) and attempts < max_attempts);
  due record;
begin
  with moved as (
    update hookwright.deliveries d
    set due_at = least(d.due_at, clock_timestamp()), job_group = null, settling_since = null
    from unnest(delivery_ids, priorities) as asked(id, priority)
    where d.id = asked.id and d.id = any(delivery_ids) and (d.tenant_id = tenant) is true
      and (d.status = 'PENDING') is true
      and 'd:' || d.id <> all(keys_in_hand) and coalesce('g:' || d.job_group, '') <> all(keys_in_hand)
    returning d.id, d.attempt_count + 1 as attempt, asked.priority,
              greatest(now(), hookwright.opens_at(d.webhook_id)) as run_at)
  select array_agg(id order by id) as ids, array_agg(attempt order by id) as attempts,
         array_agg(run_at order by id) as run_ats, array_agg(priority order by id) as priorities
  into due from moved;
  perform hookwright.enqueue_deliveries(due.ids, due.attempts, due.run_ats, due.priorities);
  return coalesce(due.ids, '{}');
end $$;

-- Puts a delivery off whose job is running: another job, due later, takes its place in the same lane, with this number
-- of fetches. job_id: the running job; when another job has taken its key, nothing is done. Null: any job of the key.
create or replace function hookwright.set_job_aside(
  delivery_id bigint, attempt_number integer, job_id bigint, run_at timestamptz, fetches integer
) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  job_key text := 'd:' || delivery_id;
  known_priority integer;
begin
  perform hookwright.lock_jobs(array[job_key]);
  select priority into known_priority from hookwright_jobs._private_jobs
  where key = job_key and (job_id is null or id = job_id);
  if found or job_id is null then
    perform hookwright.enqueue_deliveries(
      array[delivery_id], array[attempt_number], array[run_at], array[coalesce(known_priority, 0)]);
    -- Far below max_attempts, at which nobody would fetch it.
    update hookwright_jobs._private_jobs set attempts = least(fetches, max_attempts / 2) where key = job_key;
  end if;
end $$;

-- Adds the job for a probe in place of the delivery's job, if it has one.
create or replace function hookwright.enqueue_probe(delivery_id bigint, attempt_number integer, priority integer)
returns void
language sql as $$
  select hookwright.lock_jobs(array['d:' || delivery_id]);
  select hookwright_jobs.add_job('deliver',
    json_build_object('id', delivery_id, 'attempt', attempt_number, 'probe', true),
    job_key := 'd:' || delivery_id, max_attempts := 25, priority := enqueue_probe.priority)
$$;

-- Adds the job that aligns a webhook's deliveries with its state.
-- - woken_to: put-off deliveries (put off before put_off_before) up to this id have been woken; null: none yet
-- - in_ms: how many milliseconds from now the job runs, so that webhooks share the time
-- It replaces a waiting job, and then does what both would have done.
create or replace function hookwright.enqueue_align(
  webhook_id bigint, tenant_id bigint, woken_to bigint default null, put_off_before timestamptz default null,
  in_ms double precision default 0
) returns void
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  align_key text := 'w:' || webhook_id;
  run_at timestamptz := now() + in_ms * interval '1 millisecond';
  waiting record;
begin
  perform hookwright.lock_jobs(array[align_key]);
  select j.payload, j.run_at into waiting from hookwright_jobs._private_jobs j where key = align_key and is_available;
  if found then
    run_at := least(run_at, waiting.run_at);
    if woken_to is not null and waiting.payload->>'wokenTo' is null then
      woken_to := null;
      put_off_before := null;
    elsif woken_to is not null then
      woken_to := least(woken_to, (waiting.payload->>'wokenTo')::bigint);
      put_off_before := greatest(put_off_before, (waiting.payload->>'putOffBefore')::timestamptz);
    end if;
  end if;
  perform hookwright_jobs.add_job('align-webhook',
    json_strip_nulls(json_build_object('webhookId', webhook_id, 'tenantId', tenant_id,
                                       'wokenTo', woken_to, 'putOffBefore', put_off_before)),
    job_key := align_key, run_at := run_at);
end $$;

-- Adds the job by which the webhooks of a tenant follow its defaults, after the webhook "done". in_ms: how many
-- milliseconds from now it runs. It replaces a waiting job, and does the work of both.
create or replace function hookwright.enqueue_defaults(tenant_id bigint, done bigint, in_ms double precision)
returns void
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  defaults_key text := 't:' || tenant_id;
  waiting bigint;
begin
  perform hookwright.lock_jobs(array[defaults_key]);
  select (payload->>'after')::bigint into waiting from hookwright_jobs._private_jobs
  where key = defaults_key and is_available;
  perform hookwright_jobs.add_job('follow-defaults',
    json_build_object('tenantId', tenant_id, 'after', least(done, waiting)),
    job_key := defaults_key, run_at := now() + in_ms * interval '1 millisecond');
end $$;

-- Adds the one job of a bulk operation, in place of one that waits. in_ms: how many milliseconds from now it runs, but
-- not before the operation may begin; waited_ms: for how long it has waited so far. Erasures have a task that daemons
-- of versions before do not fetch.
create or replace function hookwright.enqueue_bulk_operation(
  operation_id bigint, tenant_id bigint, in_ms double precision, waited_ms double precision
) returns void
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select hookwright.lock_jobs(array['b:' || operation_id]);
  select hookwright_jobs.add_job(case when o.kind::text = 'ERASE_EVENTS' then 'erase-events' else 'bulk-operation' end,
    json_build_object('operationId', operation_id, 'tenantId', enqueue_bulk_operation.tenant_id,
      'waitedMs', waited_ms),
    job_key := 'b:' || operation_id, run_at := greatest(now() + in_ms * interval '1 millisecond', o.begins_at))
  from (select) one left join hookwright.bulk_operations o on o.id = operation_id
$$;

-- Adds the job that wakes the next delivery of a key as soon as the key is free.
create or replace function hookwright.enqueue_turn(webhook_id bigint, key text) returns void
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select hookwright_jobs.add_job('pass-turn', json_build_object('webhookId', webhook_id, 'key', key),
    job_key := 'o:' || webhook_id || ':' || md5(key))
$$;

grant execute on function hookwright.enqueue_deliveries, hookwright.enqueue_align, hookwright.enqueue_defaults,
  hookwright.enqueue_bulk_operation,
  hookwright.attempt_now to hookwright_api;
