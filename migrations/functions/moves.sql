-- Tenants that move to another cell (docs/decisions/0099).

-- Marks a tenant and all its webhooks, deleted ones too. mark: DRAINING, CLOSED or GONE; null: it lives here. A webhook
-- is made with the tenant's row locked, so none is missed. Changes that people make end before (begin_change).
create or replace function hookwright.set_moving(tenant bigint, mark text) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('hookwright.moving.' || tenant, 0));
  update hookwright.tenants t set moving = mark where t.id = tenant;
  perform from hookwright.webhooks w
  where w.tenant_id = tenant and w.moving <> (mark is not null) order by w.id for no key update;
  update hookwright.webhooks w set moving = mark is not null
  where w.tenant_id = tenant and w.moving <> (mark is not null);
end $$;

-- Begins a change of the current tenant: no mark is set until the transaction ends. That takes a lock, because a
-- transaction that has only read the mark is seen by nobody.
--
-- Returns why there can be no change: GONE, or CLOSED, also while a mark is being set; null: there can.
create or replace function hookwright.begin_change(tenant bigint) returns text
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
begin
  if tenant <> hookwright.current_tenant() then
    return null;
  end if;
  if not pg_try_advisory_xact_lock_shared(hashtextextended('hookwright.moving.' || tenant, 0)) then
    return 'CLOSED';
  end if;
  return (select t.moving from hookwright.tenants t where t.id = tenant and t.moving in ('CLOSED', 'GONE'));
end $$;

-- Whether a tenant moves, or has moved.
create or replace function hookwright.is_moving(tenant bigint) returns boolean
language plpgsql stable as $$
begin
  return exists (select from hookwright.tenants t where t.id = tenant and t.moving is not null);
end $$;

-- The cell that a tenant has moved to; null: it lives here, or is unknown. A caller that has named a tenant learns
-- nothing of others.
create or replace function hookwright.moved_to(tenant bigint) returns integer
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select m.cell from hookwright.tenant_moves m
  where m.tenant_id = tenant and m.direction = 'OUT' and m.state in ('COMMITTING', 'OPEN', 'DONE')
    and coalesce(hookwright.current_tenant(), 0) in (0, tenant)
    and exists (select from hookwright.tenants t where t.id = tenant and t.moving = 'GONE')
  order by m.started_at desc limit 1
$$;

-- The cell of a tenant that has moved from here or to here, also when it was deleted since; null: its number says it.
create or replace function hookwright.home_of(tenant bigint) returns integer
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select coalesce(hookwright.moved_to(tenant), (
    select case m.direction when 'OUT' then m.cell else (select c.number from hookwright.cell c) end
    from hookwright.tenant_moves m
    where m.tenant_id = tenant and m.state in ('OPEN', 'DONE')
      and coalesce(hookwright.current_tenant(), 0) in (0, tenant)
    order by m.started_at desc limit 1))
$$;

-- Notes since when a move has its state: changed_at is renewed by the mover.
create or replace function hookwright.note_state_of_move() returns trigger
language plpgsql as $$
begin
  new.state_since := clock_timestamp();
  return new;
end $$;

-- Opens tenants again whose mover has died: it has renewed changed_at every few seconds. The move goes on from COPYING.
-- One that is COMMITTING may be open in the other cell, and is left. Returns how many it has opened.
create or replace function hookwright.reopen_abandoned() returns integer
language plpgsql as $$
declare
  abandoned record;
  opened integer := 0;
begin
  for abandoned in
    select m.token, m.tenant_id from hookwright.tenant_moves m
    where m.direction = 'OUT' and m.state in ('DRAINING', 'CLOSED')
      and m.changed_at < clock_timestamp() - interval '60 seconds'
    for update skip locked
  loop
    update hookwright.tenant_moves m set state = 'COPYING', changed_at = clock_timestamp()
    where m.token = abandoned.token;
    perform hookwright.set_moving(abandoned.tenant_id, null);
    opened := opened + 1;
  end loop;
  return opened;
end $$;

-- Ends what a tenant has left here when it lives in another cell: it is GONE, its keys lead there, its webhooks count
-- as deleted, and its scheduled events, bulk operations and open deliveries are canceled, without operational events.
-- It may be called again at any time.
--
-- - most: how many rows a call cancels at most; the caller commits, and goes on while the answer is not 0
--
-- Returns how many rows it has changed. Raises an error without a move that has committed.
create or replace function hookwright.leave_tenant(tenant bigint, most integer default 5000) returns integer
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  done integer;
  left_rows integer;
  ids bigint[];
  home integer := (
    select m.cell from hookwright.tenant_moves m
    where m.tenant_id = tenant and m.direction = 'OUT' and m.state in ('COMMITTING', 'OPEN', 'DONE')
    order by m.started_at desc limit 1);
begin
  if home is null then
    raise exception 'Tenant % has not moved.', tenant;
  end if;
  perform from hookwright.tenants t where t.id = tenant and t.moving = 'GONE';
  if not found then
    perform hookwright.set_moving(tenant, 'GONE');
  end if;
  insert into hookwright.moved_keys as k (key_id, cell)
  select a.id, home from hookwright.api_keys a where a.tenant_id = tenant
  on conflict (key_id) do update set cell = excluded.cell where k.cell <> excluded.cell;
  update hookwright.webhooks w set deleted_at = clock_timestamp()
  where w.tenant_id = tenant and w.deleted_at is null;
  update hookwright.bulk_operations o
  set status = 'CANCELED', error = 'The tenant lives in another cell.', finished_at = clock_timestamp(),
      sealed_field = null
  where o.tenant_id = tenant and o.finished_at is null;
  get diagnostics done = row_count;
  update hookwright.raised_events r set pending = 0, pending_body = null where r.tenant_id = tenant and r.pending > 0;
  update hookwright.scheduled_events s set status = 'CANCELED', finished_at = clock_timestamp()
  where s.id in (select o.id from hookwright.scheduled_events o
                 where o.tenant_id = tenant and o.status = 'SCHEDULED' limit most);
  get diagnostics left_rows = row_count;
  done := done + left_rows;
  ids := array(
    select d.id from hookwright.webhooks w cross join lateral (
      (select p.id from hookwright.deliveries p where p.webhook_id = w.id and p.status = 'PENDING' limit most)
      union all
      (select h.id from hookwright.deliveries h where h.webhook_id = w.id and h.status = 'HELD' limit most)
      union all
      (select q.delivery_id from hookwright.ordering_queue q where q.webhook_id = w.id limit most)) d
    where w.tenant_id = tenant limit most);
  if cardinality(ids) = 0 then
    delete from hookwright.ordering_keys k
    where k.webhook_id in (select w.id from hookwright.webhooks w where w.tenant_id = tenant);
  else
    perform hookwright.cancel_moved(tenant, ids);
  end if;
  return done + cardinality(ids);
end $$;

-- Cancels open ones of these deliveries, drops their jobs, and takes all of them out of the queues of their keys.
create or replace function hookwright.cancel_moved(tenant bigint, ids bigint[]) returns void
language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  low bigint := (select min(id) from unnest(ids) id);
  high bigint := (select max(id) from unnest(ids) id);
begin
  perform from hookwright.deliveries d
  where d.id = any(ids) and d.id between low and high order by d.id for update;
  update hookwright.deliveries d
  set status = 'CANCELED', cancel_reason = 'MOVED', finished_at = clock_timestamp()
  where d.id = any(ids) and d.id between low and high and (d.status in ('PENDING', 'HELD', 'WAITING')) is true;
  perform hookwright.drop_jobs(ids);
  delete from hookwright.ordering_queue q where q.tenant_id = tenant and q.delivery_id = any(ids);
end $$;

grant execute on function hookwright.begin_change, hookwright.moved_to, hookwright.home_of to hookwright_api;
