-- Turns in the queues of keys (docs/decisions/0058).

-- Ends the turns of deliveries that have ended, and wakes the next one of each key. Deliveries without a turn are left
-- out. Where a key is busy, a job goes on (pass_turns). One that has failed blocks its key, if its webhook says so: it
-- keeps its turn. Returns the jobs that were claimed (wake_waiting).
create or replace function hookwright.end_turns(
  tenant_ids bigint[], delivery_ids bigint[], failed boolean[] default null,
  worker_pool text default null, claim_max integer default null
) returns json
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  ended record;
  passed record;
begin
  if true = any(failed) then
    update hookwright.ordering_queue q set blocked_at = clock_timestamp()
    from unnest(tenant_ids, delivery_ids, failed) as e(tenant_id, id, failed), hookwright.webhook_options o
    where q.tenant_id = e.tenant_id and q.delivery_id = e.id and e.failed
      and o.webhook_id = q.webhook_id and o.ordering_by <> 'NONE' and o.ordering_on_failure = 'BLOCK';
  end if;
  with gone as (
    delete from hookwright.ordering_queue q using unnest(tenant_ids, delivery_ids) as e(tenant_id, id)
    where q.tenant_id = e.tenant_id and q.delivery_id = e.id and q.blocked_at is null
    returning q.webhook_id, q.key, q.position, q.tenant_id),
  by_key as (
    select g.webhook_id, g.key, min(g.position) as position from gone g group by g.webhook_id, g.key)
  select array_agg(b.webhook_id) as webhook_ids, array_agg(b.key) as keys, array_agg(b.position) as positions
  into ended from by_key b;
  if ended.keys is null then
    return null;
  end if;
  select * into passed
  from hookwright.pass_turns(ended.webhook_ids, ended.keys, ended.positions, worker_pool, claim_max);
  perform hookwright.enqueue_turn(busy.webhook_id, busy.key)
  from unnest(passed.busy_webhook_ids, passed.busy_keys) as busy(webhook_id, key);
  return passed.claimed;
end $$;

-- Ends the turn of a delivery, if it blocks its key. Returns whether it did: somebody else may just have sent it again.
create or replace function hookwright.skip_turn(tenant bigint, delivery bigint) returns boolean
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  update hookwright.ordering_queue q set blocked_at = null
  where q.tenant_id = tenant and q.delivery_id = delivery and q.blocked_at is not null;
  if not found then
    return false;
  end if;
  perform hookwright.end_turns(array[tenant], array[delivery]);
  return true;
end $$;

-- Wakes the first delivery behind a position in each of these queues: it becomes due. Where none is left, the key ends.
-- Plans go by indexes even if the tables were empty when they were made.
-- It waits for no lock. A next one that is committed is woken even if the key is locked: only an
-- end needs the key itself.
--
-- Returns the busy keys: another transaction has the key and may add to it, or has the next delivery locked. And the
-- jobs that were claimed (wake_waiting).
create or replace function hookwright.pass_turns(
  webhook_ids bigint[], keys text[], positions bigint[], worker_pool text default null, claim_max integer default null,
  out busy_webhook_ids bigint[], out busy_keys text[], out claimed json)
language plpgsql
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
set enable_hashjoin = off set enable_mergejoin = off as $$
#variable_conflict use_column
declare
  ahead record;
  woken record;
  verdict record;
begin
  busy_webhook_ids := '{}';
  busy_keys := '{}';
  -- Another turn may have ended meanwhile, or its delivery have ended without it.
  for round in 1..10 loop
    select array_agg(e.webhook_id) filter (where n.delivery_id is not null) as webhook_ids,
           array_agg(e.key) filter (where n.delivery_id is not null) as keys,
           array_agg(n.position) filter (where n.delivery_id is not null) as positions,
           array_agg(n.delivery_id) filter (where n.delivery_id is not null) as delivery_ids,
           array_agg(e.webhook_id) filter (where n.delivery_id is null) as empty_webhook_ids,
           array_agg(e.key) filter (where n.delivery_id is null) as empty_keys,
           array_agg(e.position) filter (where n.delivery_id is null) as empty_positions
    into ahead
    from unnest(webhook_ids, keys, positions) as e(webhook_id, key, position)
    left join lateral (
      select q.delivery_id, q.position from hookwright.ordering_queue q
      where q.webhook_id = e.webhook_id and q.key = e.key and q.position > e.position
      order by q.position limit 1) n on true;
    webhook_ids := '{}';
    keys := '{}';
    positions := '{}';
    if ahead.delivery_ids is not null then
      -- In later rounds, which are rare, nothing is claimed.
      select * into woken from hookwright.wake_waiting(
        ahead.delivery_ids, worker_pool, case when round = 1 then claim_max end);
      claimed := coalesce(claimed, woken.claimed);
      if woken.count < cardinality(ahead.delivery_ids) then
        select * into verdict from hookwright.judge_turns(
          ahead.webhook_ids, ahead.keys, ahead.positions, ahead.delivery_ids);
        busy_webhook_ids := busy_webhook_ids || verdict.busy_webhook_ids;
        busy_keys := busy_keys || verdict.busy_keys;
        webhook_ids := webhook_ids || verdict.again_webhook_ids;
        keys := keys || verdict.again_keys;
        positions := positions || verdict.again_positions;
      end if;
    end if;
    if ahead.empty_keys is not null then
      select * into verdict from hookwright.end_keys(ahead.empty_webhook_ids, ahead.empty_keys, ahead.empty_positions);
      busy_webhook_ids := busy_webhook_ids || verdict.busy_webhook_ids;
      busy_keys := busy_keys || verdict.busy_keys;
      webhook_ids := webhook_ids || verdict.again_webhook_ids;
      keys := keys || verdict.again_keys;
      positions := positions || verdict.again_positions;
    end if;
    exit when cardinality(keys) = 0;
  end loop;
  busy_webhook_ids := busy_webhook_ids || webhook_ids;
  busy_keys := busy_keys || keys;
end $$;

-- Makes waiting deliveries due, with jobs in the lane of first attempts. Those of inactive webhooks are held, and those
-- that count as held since their webhook was enabled (docs/decisions/0021). One that settles is due when its key
-- has been quiet from now on (docs/decisions/0093), and is not claimed. One that another transaction has locked is left
-- as it is.
-- - worker_pool: has up to claim_max of them claimed for the workers of this name, as a fetch locks jobs; null: none.
--   None is claimed beside one of a tenant that moves to another cell
--
-- Returns how many it woke, and the jobs that were claimed: [id, payload, priority], …
create or replace function hookwright.wake_waiting(
  delivery_ids bigint[], worker_pool text, claim_max integer, out count integer, out claimed json)
language plpgsql
set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  low bigint := (select min(id) from unnest(delivery_ids) id);
  high bigint := (select max(id) from unnest(delivery_ids) id);
  due record;
begin
  with free as materialized (
    select d.id, case when d.settling_since is not null then (
             select make_interval(secs => o.ordering_settle_seconds) from hookwright.webhook_options o
             where o.webhook_id = d.webhook_id and o.ordering_keep = 'LATEST') end as settle,
           w.active and not
           case when d.id <= (greatest(w.keep_held_up_to, w.discard_held_up_to) | 1048575)
             then hookwright.open_since(d.id, d.attempt_count, d.attempts_before,
                                        least(d.due_at, d.settling_since),
                                        greatest(w.keep_held_up_to, w.discard_held_up_to))
             else false end as may_go, w.moving
    from hookwright.deliveries d join hookwright.webhooks w on w.id = d.webhook_id
    where d.id = any(delivery_ids) and d.id between low and high and (d.status = 'WAITING') is true
    order by d.id for update of d skip locked),
  woken as (
    update hookwright.deliveries d
    set status = case when may_go then 'PENDING' else 'HELD' end::hookwright.delivery_status,
        due_at = case when may_go then clock_timestamp() + coalesce(settle, interval '0') else d.due_at end,
        settling_since = case when d.settling_since is not null and (not may_go or settle is not null)
                           then clock_timestamp() end
    from free
    where d.id = free.id and d.id = any(delivery_ids) and d.id between low and high
    returning d.id, d.attempt_count, d.status, d.due_at, d.settling_since is not null as settles, free.moving)
  select array_agg(id) filter (where status = 'PENDING' and not settles) as ids,
         array_agg(attempt_count + 1) filter (where status = 'PENDING' and not settles) as attempts,
         array_agg(0) filter (where status = 'PENDING' and not settles) as priorities,
         array_agg(id) filter (where status = 'PENDING' and settles) as settling_ids,
         array_agg(due_at) filter (where status = 'PENDING' and settles) as settling_due,
         count(*)::integer as woken, bool_or(moving) as moves
  into due from woken;
  if due.moves then
    claim_max := 0;
  end if;
  -- A job that is claimed needs no notice, so it is not due when it is written.
  perform hookwright.enqueue_deliveries(due.ids, due.attempts, array(
    select case when nth <= claim_max then now() + interval '1 second' else now() end
    from generate_subscripts(due.ids, 1) nth order by nth), due.priorities);
  if due.settling_ids is not null then
    perform hookwright.enqueue_settling(due.settling_ids, due.settling_due,
      array_fill(0, array[cardinality(due.settling_ids)]));
  end if;
  if claim_max > 0 then
    claimed := hookwright.claim_jobs(due.ids[:claim_max], worker_pool);
  end if;
  count := due.woken;
end $$;

-- What has become of the first turns of some keys: which keys are busy, and which have to be looked at again, behind a
-- turn whose delivery has ended (that turn is ended here) or which is gone itself.
create or replace function hookwright.judge_turns(
  webhook_ids bigint[], keys text[], positions bigint[], delivery_ids bigint[],
  out busy_webhook_ids bigint[], out busy_keys text[],
  out again_webhook_ids bigint[], out again_keys text[], out again_positions bigint[])
language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
  low bigint := (select min(id) from unnest(delivery_ids) id);
  high bigint := (select max(id) from unnest(delivery_ids) id);
begin
  with first_ones as materialized (
    select f.*, d.status::text as status,
           d.status is null or (q.blocked_at is null and d.status in ('SUCCEEDED', 'FAILED', 'CANCELED')) as is_over
    from unnest(webhook_ids, keys, positions, delivery_ids) as f(webhook_id, key, position, delivery_id)
    left join hookwright.ordering_queue q
      on q.webhook_id = f.webhook_id and q.key = f.key and q.position = f.position
    left join hookwright.deliveries d on d.id = f.delivery_id and d.id between low and high),
  left_over as (
    delete from hookwright.ordering_queue q using first_ones f
    where q.webhook_id = f.webhook_id and q.key = f.key and q.position = f.position and f.is_over)
  select coalesce(array_agg(webhook_id) filter (where status = 'WAITING'), '{}'),
         coalesce(array_agg(key) filter (where status = 'WAITING'), '{}'),
         coalesce(array_agg(webhook_id) filter (where is_over), '{}'),
         coalesce(array_agg(key) filter (where is_over), '{}'),
         coalesce(array_agg(position) filter (where is_over), '{}')
  into busy_webhook_ids, busy_keys, again_webhook_ids, again_keys, again_positions
  from first_ones;
end $$;

-- Ends keys in whose queues nothing stands behind a position. While another transaction has a key it may be adding to
-- it: then the key is busy. Where something was added just before, the key has to be looked at again.
-- An API of 0.1.0 may have sent one out of turn: then something stands before it.
create or replace function hookwright.end_keys(
  webhook_ids bigint[], keys text[], positions bigint[],
  out busy_webhook_ids bigint[], out busy_keys text[],
  out again_webhook_ids bigint[], out again_keys text[], out again_positions bigint[])
language plpgsql
set plan_cache_mode = force_generic_plan as $$
declare
  locked record;
begin
  select array_agg(k.webhook_id) as webhook_ids, array_agg(k.key) as keys, array_agg(e.position) as positions
  into locked
  from unnest(webhook_ids, keys, positions) as e(webhook_id, key, position)
  cross join lateral (
    select k.webhook_id, k.key from hookwright.ordering_keys k
    where k.webhook_id = e.webhook_id and k.key = e.key for update skip locked) k;
  -- With a snapshot of its own, which has what was committed before the lock.
  delete from hookwright.ordering_keys k
  using unnest(locked.webhook_ids, locked.keys, locked.positions) as l(webhook_id, key, position)
  where k.webhook_id = l.webhook_id and k.key = l.key and not exists (
    select from hookwright.ordering_queue q
    where q.webhook_id = l.webhook_id and q.key = l.key);
  select coalesce(array_agg(e.webhook_id) filter (where l.key is null), '{}'),
         coalesce(array_agg(e.key) filter (where l.key is null), '{}'),
         coalesce(array_agg(e.webhook_id) filter (where l.key is not null), '{}'),
         coalesce(array_agg(e.key) filter (where l.key is not null), '{}'),
         coalesce(array_agg(e.position) filter (where l.key is not null), '{}')
  into busy_webhook_ids, busy_keys, again_webhook_ids, again_keys, again_positions
  from unnest(webhook_ids, keys, positions) as e(webhook_id, key, position)
  join hookwright.ordering_keys k on k.webhook_id = e.webhook_id and k.key = e.key
  left join unnest(locked.webhook_ids, locked.keys) as l(webhook_id, key)
    on l.webhook_id = e.webhook_id and l.key = e.key;
end $$;

grant execute on function hookwright.end_turns, hookwright.skip_turn to hookwright_api;
