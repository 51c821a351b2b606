-- Keys and sessions that are made with another key: they end with the session in which they were made.

-- The key that makes another key or session for the current tenant. It is locked, so that it is not revoked before the
-- new one is there to be revoked with it. No row: it was revoked or has expired. made_in is the session of the new one,
-- settings those of the portal session in which the maker works, or was made itself.
create or replace function hookwright.lock_maker(key_id bigint)
returns table (ends_at timestamptz, made_in bigint, is_portal boolean, settings text)
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  with maker as (
    select k.* from hookwright.api_keys k
    where k.id = key_id and coalesce(k.tenant_id, hookwright.current_tenant()) = hookwright.current_tenant()
      and k.revoked_at is null and coalesce(k.expires_at, 'infinity') > now()
    for share)
  select m.expires_at, case when m.portal_id is null and not m.console_session then m.made_in else m.id end,
    m.portal_id is not null, coalesce(m.portal_settings, s.portal_settings)
  from maker m left join hookwright.api_keys s on s.id = m.made_in
$$;

-- Revokes what was made in a session that is revoked, with an entry in the audit log for each. A key that is being made
-- meanwhile has locked its maker, so the next round sees it.
create or replace function hookwright.revoke_made_in() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp set enable_seqscan = off as $$
begin
  loop
    with recursive made as (
      select k.id from hookwright.api_keys k where k.made_in = new.id
      -- offset 0: by the index, one session after the other, however long the chain is.
      union select k.id from made m, lateral (
        select k.id from hookwright.api_keys k where k.made_in = m.id offset 0) k),
    revoked as (
      update hookwright.api_keys k set revoked_at = new.revoked_at
      where k.id in (select id from made) and k.revoked_at is null and coalesce(k.expires_at, 'infinity') > now()
      returning k.id, k.tenant_id, k.name, k.portal_id)
    insert into hookwright.audit_log (tenant_id, actor, action, target_type, target_id, before)
    select r.tenant_id, 'SERVICE', kind || '_REVOKED', kind, r.id::text,
      case when r.portal_id is null then json_build_object('name', r.name)::text end
    from revoked r, lateral (select case when r.portal_id is null then 'API_KEY' else 'PORTAL_SESSION' end as kind) k;
    exit when not found;
  end loop;
  return null;
end
$$;

grant execute on function hookwright.lock_maker to hookwright_api;
