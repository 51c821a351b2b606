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
  select t.id from (
    select t.id, t.name, case when forward then -t.id else t.id end as place from hookwright.tenants t
    -- The longest parts have the shorter ones in them.
    where hookwright.current_tenant() = 0 and t.deleted_at is null and t.moving is distinct from 'GONE'
      and hookwright.parts_of(t.name) @> array(
      select p from unnest(hookwright.parts_of(part)) p where length(p) = least(3, length(lower(part))))
    order by place offset 0) t
  where t.id > above and t.id < below and t.name ilike '%' || regexp_replace(part, '([%_\\])', '\\\1', 'g') || '%'
  order by place limit rows_max
$$;

-- Who writes a name has its parts written to the index.
grant execute on function hookwright.parts_of, hookwright.tenants_named to hookwright_api;
