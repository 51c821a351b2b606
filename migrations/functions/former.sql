-- Functions that have other arguments, or columns, now are dropped first. Roles that may call them get the right back
-- (rights.sql).

select set_config('hookwright.grants', coalesce(string_agg(
  format('grant execute on function hookwright.%I to %s', p.proname, a.grantee::regrole), '; '), 'select'), true)
from pg_proc p, aclexplode(p.proacl) a
where p.pronamespace = 'hookwright'::regnamespace and p.proname ~ '^(emit(_events|_traced_events)?|schedule)$'
  and a.grantee <> 0 and a.grantee <> p.proowner;

drop function if exists hookwright.emit(bigint, text, text, text, boolean);
drop function if exists hookwright.emit(bigint, text, text, text, boolean, text);
drop function if exists hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[], boolean);
drop function if exists hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[], boolean,
  text[]);
drop function if exists hookwright.emit_traced_events(bigint[], text[], text[], text[], bigint[], integer[], text[],
  text[]);
drop function if exists hookwright.emit_kept_events;
drop function if exists hookwright.emit_events_once(bigint[], text[], text[], text[], bigint[], integer[], text[],
  text, integer, integer);
drop function if exists hookwright.emit_events_once(bigint[], text[], text[], text[], bigint[], integer[], text[],
  text, integer, integer, text[]);
drop function if exists hookwright.remember_keys(bigint[], text[], text[], text[], bigint[], text[], text[]);
drop function if exists hookwright.hash_of_emit(text, text, text);
drop function if exists hookwright.require_arguments(bigint[], text[], text[], text[], bigint[], integer[], boolean);
drop function if exists hookwright.write_events_flow(bigint[], text[], text[], bigint[], integer[], bigint[],
  bigint[], text[], timestamptz, text, integer, integer, text[]);
drop function if exists hookwright.match_flow(bigint[], text[], text[], bigint[], bigint[], bigint[], text[],
  integer[], text[]);
drop function if exists hookwright.insert_deliveries(bigint[], bigint[], bigint[], bigint[], text[], boolean[],
  bigint[], integer[], timestamptz, integer[], text, integer, integer, text[]);
drop function if exists hookwright.schedule(bigint, text, text, timestamptz, text, boolean, text);
drop function if exists hookwright.write_flow_events;
drop function if exists hookwright.place_deliveries;
drop function if exists hookwright.emit_lone_event(bigint, text, text, integer, text, integer, integer);
drop function if exists hookwright.write_scheduled_event(bigint, text, text, timestamptz, text, text);
drop function if exists hookwright.emit_kept_events(bigint[], text[], text[], text[], bigint[], integer[], text[],
  text[], integer[]);
drop function if exists hookwright.write_events_plain;
drop function if exists hookwright.write_events_flow;
drop function if exists hookwright.emit_lone_event(bigint, text, text, integer, text, integer, integer, text, text);
drop function if exists hookwright.judge_emits;
drop function if exists hookwright.write_scheduled_event(bigint, text, text, timestamptz, text, text, integer);
drop function if exists hookwright.options_with_paths;
