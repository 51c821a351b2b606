-- Limits of tenants (docs/tenant-limits.md).

-- The limits of a tenant that the API needs for emits, as {eventsPerSecond, bodyBytesMax}. Null: neither is set.
create or replace function hookwright.limits_of_tenant(id bigint) returns json
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select json_build_object('eventsPerSecond', t.events_per_second, 'bodyBytesMax', t.body_bytes_max)
  from hookwright.tenants t
  where t.id = limits_of_tenant.id and coalesce(hookwright.current_tenant(), 0) in (0, t.id)
    and (t.events_per_second is not null or t.body_bytes_max is not null)
$$;

-- Leases events to an API process that emits for a tenant.
--
-- - needed: a request has this many, and gets all or none. More than a burst is leased as soon as a burst is free, and
--   is waited for afterwards
-- - wanted: needed, and those that are likely to follow
-- - burst: the most that is free after a pause. While emits follow one another, half a second's are: a process that
--   asks five times a second is late at times
-- - leased: how many may be emitted; wait_ms: how long until one more is free
--
-- Events that applications have emitted count too, and keep the API waiting for ten seconds at most.
create or replace function hookwright.lease_events(
  id bigint, per_second double precision, burst integer, needed integer, wanted integer,
  out leased integer, out wait_ms double precision)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  every constant interval := interval '1 second' / per_second;
  next_at timestamptz;
  free integer;
  outbox integer;
begin
  loop
    select r.events_next_at into next_at from hookwright.tenant_rates r
    where r.tenant_id = lease_events.id for no key update;
    exit when found;
    insert into hookwright.tenant_rates (tenant_id) values (lease_events.id) on conflict do nothing;
  end loop;
  with counted as (
    delete from hookwright.outbox_emits e where e.tenant_id = lease_events.id returning e.events, e.emitted_at)
  select coalesce(sum(c.events), 0) into outbox from counted c where c.emitted_at > now() - interval '10 seconds';
  -- It heals when the rate rises, and when the clock of Postgres goes back.
  next_at := least(next_at, now() + 100 * every + interval '10 seconds');
  next_at := greatest(next_at, now() - case when next_at > now() - interval '1 second'
                                         then greatest(burst * every, interval '500 milliseconds')
                                         else burst * every end);
  next_at := greatest(next_at, least(next_at + outbox * every, now() + interval '10 seconds'));
  free := greatest(0, floor(extract(epoch from now() - next_at)::float8 * per_second + 1e-6));
  leased := case when free >= least(lease_events.needed, burst) then greatest(lease_events.needed, least(wanted, free))
                 else 0 end;
  next_at := next_at + leased * every;
  update hookwright.tenant_rates r set events_next_at = next_at where r.tenant_id = lease_events.id;
  wait_ms := greatest(0, extract(epoch from next_at + every - now())::float8 * 1000);
end $$;

-- Notes what an application emits for tenants with a limit of events: it counts, and is never refused.
create or replace function hookwright.note_outbox_emits(tenant_ids bigint[]) returns void
language sql as $$
  insert into hookwright.outbox_emits (tenant_id, events)
  select t.id, i.events from (select tenant_id, count(*)::integer as events from unnest(tenant_ids) as i(tenant_id)
                              group by 1) i
  join hookwright.tenants t on t.id = i.tenant_id
  where t.events_per_second is not null
$$;

grant execute on function hookwright.limits_of_tenant, hookwright.lease_events to hookwright_api;
