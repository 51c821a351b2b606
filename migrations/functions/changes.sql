-- The changes between two states that an event reports (docs/decisions/0095). src/domain/content/changes.ts finds
-- the same; a test compares.

-- Whether nothing is below a value.
create or replace function hookwright.is_leaf(value jsonb) returns boolean
language sql immutable parallel safe
return jsonb_typeof(value) not in ('object', 'array') or value in ('{}', '[]');

-- How two JSON objects differ: each value that is no object and no list, or an empty one, and is on one side alone
-- (added, removed) or another one (updated). Where one side has an object or a list and the other has something else,
-- that is updated, too. Elements of lists are compared by their places, and numbers by their value. Below a path of
-- more than 1,000 bytes nothing is looked at: a name may be as long as a payload, and each path has it again.
-- - path: names with dots between them, and places in brackets; names of other than ASCII letters, digits, "_" and "-"
--   are JSON texts
-- - field: the names alone, with a dot behind each, as filters compare them
create or replace function hookwright.changes(before jsonb, after jsonb)
returns table (change text, path text, field text)
language sql immutable as $$
  with recursive walked(path, field, before, after, is_end) as (
    select '', '', changes.before, changes.after, false where changes.before is distinct from changes.after
    union all
    select w.path || below.step, w.field || below.name, below.before, below.after,
           octet_length(w.path || below.step) > 1000
    from walked w cross join lateral (
      select case when w.path = '' then '' else '.' end || named.name as step, named.name || '.' as name,
             named.before, named.after
      from (select b.value as before, a.value as after, case
                     when coalesce(a.key, b.key) collate "C" ~ '^[A-Za-z0-9_-]+$' then coalesce(a.key, b.key)
                     else to_jsonb(coalesce(a.key, b.key))::text end as name
            from jsonb_each(case when jsonb_typeof(w.before) = 'object' and not w.is_end then w.before end) b
            full join jsonb_each(case when jsonb_typeof(w.after) = 'object' and not w.is_end then w.after end) a
              on a.key = b.key
            where b.value is distinct from a.value) named
      union all
      select '[' || coalesce(a.place, b.place) - 1 || ']', '', b.value, a.value
      from jsonb_array_elements(case when jsonb_typeof(w.before) = 'array' and not w.is_end then w.before end)
             with ordinality as b(value, place)
      full join jsonb_array_elements(case when jsonb_typeof(w.after) = 'array' and not w.is_end then w.after end)
             with ordinality as a(value, place) on a.place = b.place
      where b.value is distinct from a.value) below)
  select case when w.before is null then 'added' when w.after is null then 'removed' else 'updated' end,
         w.path, w.field
  from walked w
  where w.path <> '' and case
    when w.is_end then true
    when w.before is null or w.after is null then hookwright.is_leaf(coalesce(w.before, w.after))
    else jsonb_typeof(w.before) <> jsonb_typeof(w.after) or jsonb_typeof(w.after) not in ('object', 'array') end
$$;

-- The variables of filters besides the body of the event: $changed and $previous. Null when jsonb cannot
-- have it, or when it has so many values that the comparisons would take long (readable_body).
create or replace function hookwright.filter_change(previous text, body jsonb, comparisons bigint) returns jsonb
language plpgsql immutable as $$
declare
  before jsonb := hookwright.readable_body(previous, comparisons);
begin
  return case when before is not null and body is not null then jsonb_build_object('previous', before, 'changed',
    coalesce((select jsonb_agg(distinct c.field) from hookwright.changes(before, body) c), '[]')) end;
end $$;

-- The same for an event without a former state.
create or replace function hookwright.no_change() returns jsonb
language sql immutable parallel safe
return '{"changed": [], "previous": {}}'::jsonb;

grant execute on function hookwright.filter_change, hookwright.no_change to hookwright_api;
