-- The queues of deliveries that go in the order of a key (docs/decisions/0058).

-- The key that orders an event at a webhook; null: none.
create or replace function hookwright.ordering_key_of(ordering_by text, path jsonpath, emitted_key text, body jsonb)
returns text
language sql immutable
return case ordering_by
  when 'ENDPOINT' then ''
  when 'KEY' then coalesce(emitted_key, (
    select case when jsonb_typeof(found) in ('string', 'number', 'boolean')
                     and length(found #>> '{}') between 1 and 255 then found #>> '{}' end
    from jsonb_path_query_first(body, path, silent => true) found))
end;

-- The same by the event's body as it is stored, which is read only if the key may be in it.
create or replace function hookwright.ordering_key_in(ordering_by text, path jsonpath, emitted_key text, body text)
returns text
language plpgsql immutable as $$
begin
  if ordering_by is null or ordering_by = 'NONE' then
    return null;
  end if;
  return hookwright.ordering_key_of(ordering_by, path, emitted_key, case
    when emitted_key is null and path is not null then hookwright.readable_body(body, 0) end);
end $$;

-- Appends deliveries to the queues of their keys, in the order of the arrays. It locks the keys until the caller's
-- transaction ends, so positions are in the order of commits. Null is no key.
--
-- Returns the deliveries whose turn it is. The others wait.
create or replace function hookwright.take_turns(
  tenant_ids bigint[], webhook_ids bigint[], keys text[], delivery_ids bigint[]
) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
#variable_conflict use_column
declare
  heads bigint[];
begin
  with asked as materialized (
    select a.* from unnest(tenant_ids, webhook_ids, keys, delivery_ids)
      with ordinality as a(tenant_id, webhook_id, key, delivery_id, ord)
    where a.key is not null),
  locked as (
    insert into hookwright.ordering_keys as k (webhook_id, key, tenant_id)
    select distinct on (webhook_id, key collate "C") webhook_id, key, tenant_id
    from asked order by webhook_id, key collate "C"
    on conflict (webhook_id, key) do update set is_new = false
    returning k.webhook_id, k.key, k.is_new)
  select array_agg(first_one) into heads
  from (select (array_agg(a.delivery_id order by a.ord))[1] as first_one
        from locked l join asked a on a.webhook_id = l.webhook_id and a.key = l.key
        where l.is_new group by a.webhook_id, a.key) firsts;
  insert into hookwright.ordering_queue (webhook_id, key, position, delivery_id, tenant_id)
  select webhook_id, key, nextval('hookwright.ordering_position'), delivery_id, tenant_id
  from (select a.* from unnest(tenant_ids, webhook_ids, keys, delivery_ids)
          with ordinality as a(tenant_id, webhook_id, key, delivery_id, ord)
        where a.key is not null order by a.ord) asked;
  return coalesce(heads, '{}');
end $$;

-- Takes deliveries out of their queues that have ended before their turn.
create or replace function hookwright.leave_queues(tenant_ids bigint[], delivery_ids bigint[]) returns void
language sql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  delete from hookwright.ordering_queue q using unnest(tenant_ids, delivery_ids) as left_by(tenant_id, id)
  where q.tenant_id = left_by.tenant_id and q.delivery_id = left_by.id
$$;

-- Cancels deliveries whose place newer ones of their key take, where the webhook keeps the latest: those that wait, and
-- a held first one that was never attempted. The next one has its turn then, and is held or sent. The caller has the
-- keys. A queue from before the webhook kept the latest may be long: it is shortened with each emit.
-- A held one that is locked is being released, discarded or probed: it is passed over.
create or replace function hookwright.supersede(webhook_ids bigint[], keys text[]) returns void
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  ended record;
begin
  if not exists (select from hookwright.webhook_options o
                 where o.webhook_id = any(webhook_ids) and o.ordering_keep = 'LATEST') then
    return;
  end if;
  with newest as materialized (
    select e.webhook_id, e.key, n.position, n.delivery_id
    from (select distinct a.webhook_id, a.key from unnest(webhook_ids, keys) as a(webhook_id, key)
          where a.key is not null) e
    join hookwright.webhook_options o on o.webhook_id = e.webhook_id and o.ordering_keep = 'LATEST'
    left join lateral (
      select q.position, q.delivery_id from hookwright.ordering_queue q
      where q.webhook_id = e.webhook_id and q.key = e.key order by q.position desc limit 1) n on true),
  held as materialized (
    select d.id from hookwright.deliveries d
    where (d.status = 'HELD' and d.attempt_count = 0) is true and d.id = any(array(
      select head.delivery_id from newest n cross join lateral (
        select q.delivery_id, q.position from hookwright.ordering_queue q
        where q.webhook_id = n.webhook_id and q.key = n.key order by q.position limit 1) head
      where head.position < n.position))
    order by d.id for update skip locked),
  canceled as (
    update hookwright.deliveries d
    set status = 'CANCELED', cancel_reason = 'SUPERSEDED', finished_at = clock_timestamp(),
        superseded_by = (select n.delivery_id from newest n
                         where n.webhook_id = d.webhook_id and n.key = d.ordering_key)
    where (d.status = 'WAITING' or d.id = any(array(select id from held))) is true and d.id = any(array(
      select older.delivery_id from newest n cross join lateral (
        select q.delivery_id from hookwright.ordering_queue q
        where q.webhook_id = n.webhook_id and q.key = n.key and q.position < n.position
        order by q.position limit 1000) older))
    returning d.tenant_id, d.id, d.id = any(array(select id from held)) as had_turn)
  select array_agg(tenant_id) filter (where not had_turn) as waiting_tenant_ids,
         array_agg(id) filter (where not had_turn) as waiting_ids,
         array_agg(tenant_id) filter (where had_turn) as held_tenant_ids,
         array_agg(id) filter (where had_turn) as held_ids
  into ended from canceled;
  if ended.waiting_ids is not null then
    perform hookwright.leave_queues(ended.waiting_tenant_ids, ended.waiting_ids);
  end if;
  if ended.held_ids is not null then
    perform hookwright.end_turns(ended.held_tenant_ids, ended.held_ids);
  end if;
end $$;

-- The key by which a delivery is ordered when it is sent again; null: none, as for tests and operational events.
create or replace function hookwright.ordering_key_again(tenant bigint, webhook bigint, event bigint) returns text
language plpgsql stable as $$
begin
  return (
    select hookwright.ordering_key_in(o.ordering_by, o.ordering_path, e.ordering_key, e.body)
    from hookwright.webhook_options o
    join hookwright.events e on e.tenant_id = tenant and e.id = event
    join hookwright.event_types t on t.name = e.event_type and not t.reserved
    where o.webhook_id = webhook and o.tenant_id = tenant and o.ordering_by <> 'NONE'
      and e.only_webhook_id is null);
end $$;

-- Sends deliveries again that the caller has just made pending: they go to the ends of their queues, in the order of
-- the array. One that blocks its key is sent in its place. Returns those that are due now.
create or replace function hookwright.queue_again(tenant bigint, delivery_ids bigint[]) returns bigint[]
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
declare
  low bigint := (select min(id) from unnest(delivery_ids) id);
  high bigint := (select max(id) from unnest(delivery_ids) id);
  again record;
  heads bigint[];
  in_place bigint[];
begin
  if not exists (
    select from hookwright.webhook_options o
    where o.tenant_id = tenant and o.ordering_by <> 'NONE' and o.webhook_id = any(array(
      select d.webhook_id from hookwright.deliveries d
      where d.id = any(delivery_ids) and d.id between low and high and (d.tenant_id = tenant) is true))
  ) and not exists (
    select from hookwright.deliveries d
    where d.id = any(delivery_ids) and d.id between low and high and (d.ordering_key is not null) is true) then
    return delivery_ids;
  end if;
  with unblocked as (
    update hookwright.ordering_queue q set blocked_at = null from unnest(delivery_ids) as id
    where q.tenant_id = tenant and q.delivery_id = id returning q.delivery_id)
  select coalesce(array_agg(delivery_id), '{}') into in_place from unblocked;
  select array_agg(tenant order by ord) as tenant_ids, array_agg(webhook_id order by ord) as webhook_ids,
         array_agg(key order by ord) as keys, array_agg(id order by ord) as ids
  into again
  from (select asked.ord, d.id, d.webhook_id,
               hookwright.ordering_key_again(tenant, d.webhook_id, d.event_id) as key
        from unnest(delivery_ids) with ordinality as asked(id, ord)
        join hookwright.deliveries d on d.id = asked.id and d.id between low and high
        where asked.id <> all(in_place)) judged;
  if again.ids is null then
    return delivery_ids;
  end if;
  heads := hookwright.take_turns(again.tenant_ids, again.webhook_ids, again.keys, again.ids);
  update hookwright.deliveries d
  set ordering_key = judged.key, settling_since = null,
      status = case when judged.key is null or judged.id = any(heads) then d.status else 'WAITING' end
  from unnest(again.ids, again.keys) as judged(id, key)
  where d.id = judged.id and d.id = any(delivery_ids) and d.id between low and high;
  return in_place || array(
    select judged.id from unnest(again.ids, again.keys) with ordinality as judged(id, key, ord)
    where judged.key is null or judged.id = any(heads) order by judged.ord);
end $$;

grant execute on function hookwright.leave_queues, hookwright.queue_again to hookwright_api;
