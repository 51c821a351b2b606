-- Tenants by a part of their names, for a platform key.

-- All texts of one to three letters in a text, in small letters: a name that contains another text has all of that.
create or replace function hookwright.parts_of(name text) returns text[]
language sql immutable parallel safe
return (select array_agg(distinct substr(lower(name), place, letters))
        from generate_series(1, length(lower(name))) as place, generate_series(1, 3) as letters
        where place + letters <= length(lower(name)) + 1);

-- The first ids between two others of tenants whose name contains a text, ignoring case. Row-level security lets no
-- index help there, so it is a function. Empty in a transaction for a tenant.
create or replace function hookwright.tenants_named(part text, above bigint, below bigint, forward boolean,
  rows_max integer) returns setof bigint
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select t.id from hookwright.tenants t
  where hookwright.current_tenant() = 0 and t.deleted_at is null and t.id > above and t.id < below
    and hookwright.parts_of(t.name) @> hookwright.parts_of(part)
    and t.name ilike '%' || regexp_replace(part, '([%_\\])', '\\\1', 'g') || '%'
  order by case when forward then -t.id else t.id end limit rows_max
$$;

-- Who writes a name has its parts written to the index.
grant execute on function hookwright.parts_of, hookwright.tenants_named to hookwright_api;
