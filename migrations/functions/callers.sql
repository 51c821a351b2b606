-- The current tenant, and lookups before the API knows it, which row-level security would hide.

-- The tenant that the transaction names in app.tenant, which every row-level policy compares with. Null: none is
-- named. 0: the installation itself (platform keys, and what they do).
create or replace function hookwright.current_tenant() returns bigint
language sql stable parallel safe
return nullif(current_setting('app.tenant', true), '')::bigint;

create or replace function hookwright.find_api_key(key_id bigint)
returns table (id bigint, tenant_id bigint, hash bytea, scopes text[], expires_at timestamptz,
               revoked_at timestamptz, last_used_at timestamptz, is_portal_session boolean)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select k.id, k.tenant_id, k.hash, k.scopes, k.expires_at, k.revoked_at, k.last_used_at, k.portal_id is not null
  from hookwright.api_keys k where k.id = key_id
$$;

create or replace function hookwright.find_portal_session(public_id text)
returns table (id bigint, tenant_id bigint, settings text, code_hash bytea, exchanged boolean, code_expired boolean,
               ended boolean)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select k.id, k.tenant_id, k.portal_settings, k.portal_code_hash, k.portal_exchanged_at is not null,
    k.portal_code_expires_at <= now(), k.revoked_at is not null or k.expires_at <= now()
  from hookwright.api_keys k where k.portal_id = public_id
$$;

-- Gives a portal session of the current tenant its key, once. Returns when the session ends; null when it began before,
-- is over, or its code has expired. The session of an invitation begins now: until then its end is the latest possible.
create or replace function hookwright.begin_portal_session(session_id bigint, key_hash bytea) returns timestamptz
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  update hookwright.api_keys set hash = key_hash, portal_exchanged_at = now(), expires_at = least(expires_at,
    now() + (portal_settings::json ->> 'secondsOnceOpened')::integer * interval '1 second')
  where id = session_id and tenant_id = hookwright.current_tenant() and portal_exchanged_at is null
    and portal_code_expires_at > now() and revoked_at is null and expires_at > now()
  returning expires_at
$$;

-- Notes when an API key of the current tenant was used, but never a time in the future.
create or replace function hookwright.note_api_key_use(key_id bigint, used_at timestamptz) returns void
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  update hookwright.api_keys set last_used_at = greatest(last_used_at, least(used_at, now()))
  where id = key_id and coalesce(tenant_id, 0) = hookwright.current_tenant()
$$;

-- The event of an idempotency key that the caller knows. The API may not read keys, not even those of its tenant.
create or replace function hookwright.event_of_key(wanted text) returns bigint
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select k.event_id from hookwright.idempotency_keys k
  where k.tenant_id = hookwright.current_tenant() and k.key = wanted
$$;

-- For each encryption key in use: the number of its tenants, and the wrapped data keys of the oldest and the newest,
-- which a process opens at its start to see whether its keys are right: two different keys may have had one name.
-- The installation's, of tenant -1, is tried after them and counts as no tenant.
create or replace function hookwright.data_key_samples()
returns table (kid text, tenants integer, tenant_id bigint, data_key bytea)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select used.kid, used.tenants, t.id, t.data_key
  from (
    select data_key_kid as kid, (count(*) filter (where id > 0))::integer as tenants,
           min(id) filter (where id > 0) as oldest, max(id) as newest
    from hookwright.tenants group by 1) used
  join hookwright.tenants t on t.data_key_kid = used.kid and t.id in (used.oldest, used.newest, -1)
  order by used.kid, t.id < 0, t.id
$$;

grant execute on function hookwright.current_tenant, hookwright.find_api_key, hookwright.find_portal_session,
  hookwright.begin_portal_session, hookwright.note_api_key_use, hookwright.event_of_key, hookwright.data_key_samples
  to hookwright_api;
