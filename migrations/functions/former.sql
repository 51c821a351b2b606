-- Functions that have other arguments now are dropped first. Roles that may call them get the right back (rights.sql).

select set_config('hookwright.grants', coalesce(jsonb_agg(
  jsonb_build_object('function', p.proname, 'role', a.grantee::regrole)), '[]')::text, true)
from pg_proc p, aclexplode(p.proacl) a
where p.pronamespace = 'hookwright'::regnamespace and p.proname ~ '^emit(_events|_traced_events)?$'
  and a.grantee <> 0 and a.grantee <> p.proowner;

do $$
declare
  former oid;
begin
  -- Those of 0.1.0 have defaults, and the ones that take their place (emit.sql) have none.
  for former in
    select p.oid from pg_proc p
    where p.pronargdefaults > 0 and p.oid in (
      to_regprocedure('hookwright.emit(bigint, text, text, text, boolean)'),
      to_regprocedure('hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[], boolean)'))
  loop
    execute format('drop function %s', former::regprocedure);
  end loop;
end $$;
drop function if exists hookwright.emit_traced_events(bigint[], text[], text[], text[], bigint[], integer[], text[]);
drop function if exists hookwright.emit_events_once(bigint[], text[], text[], text[], bigint[], integer[], text[], text,
  integer, integer);
drop function if exists hookwright.write_flow_events;
drop function if exists hookwright.place_deliveries;
