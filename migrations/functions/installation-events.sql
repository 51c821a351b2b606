-- The events of webhooks of the installation, besides the operational ones of all tenants (docs/decisions/0085).

-- The tenant that webhooks of the installation belong to. Its row is made with the first of them; no list shows it, no
-- key of a tenant acts for it, and its number is not that of another one: tenants count from 1, and 0 stands for what
-- has no tenant.
create or replace function hookwright.installation_tenant() returns bigint
language sql immutable parallel safe
return -1;

-- Whether a webhook of the installation gets events of this type. Where there is none this looks into the index of
-- living webhooks once.
create or replace function hookwright.installation_hears(type text) returns boolean
language sql stable as $$
  select exists (select from hookwright.subscribers(hookwright.installation_tenant(), type, null))
$$;

-- A JSON object with the fields that name a tenant in the installation's events; null and that of the installation: no
-- tenant. A deleted tenant has given its external id back, and the caller may know it.
create or replace function hookwright.with_tenant(
  content text, tenant bigint, former_external_id text default null
) returns text
language sql stable as $$
  select left(content, -1) || ',' || substr(row_to_json(named)::text, 2)
  from (select case when tenant <> hookwright.installation_tenant() then tenant::text end as tenant_id,
               coalesce(former_external_id, (
                 select t.external_id from hookwright.tenants t
                 where t.id = tenant and tenant <> hookwright.installation_tenant())) as tenant_external_id) named
$$;

-- A time as all payloads have it.
create or replace function hookwright.time_text(at timestamptz) returns text
language sql stable
return to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"');

-- After each new entry of the audit log: raises audit.entry, and tenant.created or tenant.deleted. What the service
-- itself notes about one of the installation's webhooks is left out: a delivery may have caused it, and would cause the
-- next one. So are entries that a tenant brings from another cell, which has raised its events.
create or replace function hookwright.note_entry() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  is_own boolean := new.tenant_id is not distinct from hookwright.installation_tenant();
  tenant bigint := case when not is_own then new.tenant_id end;
begin
  if is_own and new.actor = 'SERVICE' or current_setting('app.brings_tenant', true) = 'true' then
    return null;
  end if;
  if hookwright.installation_hears('audit.entry') then
    perform hookwright.write_own_event(hookwright.installation_tenant(), null, 'audit.entry', (
      select hookwright.with_tenant(row_to_json(entry)::text, tenant)
      from (select new.id::text as entry_id, new.actor, new.api_key_id::text as api_key_id, new.action, new.target_type,
                   new.target_id, new.before::json as before, new.after::json as after, new.request_id,
                   hookwright.time_text(new.created_at) as created_at) entry));
  end if;
  if new.action in ('TENANT_CREATED', 'TENANT_DELETED') then
    perform hookwright.note_tenant(new);
  end if;
  return null;
end $$;

-- Raises the event of a tenant that was created or deleted, as an entry of the audit log has it.
create or replace function hookwright.note_tenant(entry hookwright.audit_log) returns void
language plpgsql as $$
declare
  raised_type text := case entry.action when 'TENANT_CREATED' then 'tenant.created' else 'tenant.deleted' end;
  noted json := coalesce(entry.after, entry.before)::json;
begin
  if hookwright.installation_hears(raised_type) then
    perform hookwright.write_own_event(hookwright.installation_tenant(), null, raised_type, (
      select hookwright.with_tenant(row_to_json(event)::text, entry.target_id::bigint, noted ->> 'externalId')
      from (select noted ->> 'name' as name, hookwright.time_text(entry.created_at) as at) event));
  end if;
end $$;

-- Raises doctor.finding for checks of the doctor that have another status than when they were last sent, each at most
-- once a minute. A webhook that begins to listen while none did gets everything that is not in order. Two processes may
-- note the same: the one that comes second finds no difference. Of checks with one name the worst counts.
--
-- Returns how many events it has raised.
create or replace function hookwright.note_findings(names text[], statuses text[], texts text[]) returns integer
language plpgsql as $$
declare
  finding record;
  raised integer := 0;
begin
  if not hookwright.installation_hears('doctor.finding') then
    delete from hookwright.doctor_findings;
    return 0;
  end if;
  for finding in
    with worst as materialized (
      select distinct on (name) name, status, text
      from unnest(names, statuses, texts) as c(name, status, text)
      order by name, array_position(array['fail', 'warn', 'ok'], status)
    ),
    changed as (
      insert into hookwright.doctor_findings as known (name, status)
      select w.name, w.status from worst w
      where w.status <> 'ok' or exists (select from hookwright.doctor_findings k where k.name = w.name)
      order by w.name
      on conflict (name) do update set status = excluded.status, sent_at = clock_timestamp()
        where known.status <> excluded.status
          and known.sent_at not between clock_timestamp() - interval '1 minute' and clock_timestamp()
      returning known.name
    )
    select w.* from worst w join changed c on c.name = w.name order by w.name
  loop
    perform hookwright.write_own_event(hookwright.installation_tenant(), null, 'doctor.finding', (
      select row_to_json(event)::text
      from (select finding.name as "check", finding.status, finding.text,
                   hookwright.time_text(clock_timestamp()) as found_at) event));
    raised := raised + 1;
  end loop;
  return raised;
end $$;
