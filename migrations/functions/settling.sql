-- Deliveries that wait until their key is quiet (docs/decisions/0093).

-- Whether deliveries of one of these webhooks wait until their key is quiet.
create or replace function hookwright.settles(webhook_ids bigint[]) returns boolean
language plpgsql stable as $$
begin
  return exists (
    select from hookwright.webhook_options o
    where o.webhook_id = any(webhook_ids) and o.ordering_keep = 'LATEST' and o.ordering_settle_seconds > 0);
end $$;

-- Decides which of the deliveries that take_turns has just appended settle, before they are written. Of a webhook that
-- settles, the newest delivery of a key is its head, if the key is new, or if its head settles and is not due: then it
-- takes that one's place, which is canceled here. The caller has the keys.
-- - heads: those that take_turns has returned; then all whose turn it is
--
-- settling_ids: the deliveries that settle; since and due: settling_since and due_at of each. A head that another
-- transaction has locked is being sent, held or released: it stays.
create or replace function hookwright.settle_turns(
  webhook_ids bigint[], keys text[], delivery_ids bigint[], inout heads bigint[],
  out settling_ids bigint[], out since timestamptz[], out due timestamptz[])
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp
set plan_cache_mode = force_custom_plan as $$
#variable_conflict use_column
declare
  named record; -- arrays with an element for each key that settles
  locked bigint[];
  replaced record;
  called_at timestamptz;
begin
  select array_agg(e.webhook_id) as webhook_ids, array_agg(e.key) as keys, array_agg(n.delivery_id) as newest,
         array_agg(f.delivery_id) as firsts,
         array_agg(make_interval(secs => o.ordering_settle_seconds)) as settle,
         array_agg(make_interval(secs => coalesce(
           o.ordering_settle_max_seconds, least(10 * o.ordering_settle_seconds, 3600)))) as most
  into named
  from (select distinct a.webhook_id, a.key from unnest(webhook_ids, keys) as a(webhook_id, key)
        where a.key is not null) e
  join hookwright.webhook_options o
    on o.webhook_id = e.webhook_id and o.ordering_keep = 'LATEST' and o.ordering_settle_seconds > 0
  cross join lateral (
    select q.delivery_id from hookwright.ordering_queue q
    where q.webhook_id = e.webhook_id and q.key = e.key order by q.position desc limit 1) n
  cross join lateral (
    select q.delivery_id from hookwright.ordering_queue q
    where q.webhook_id = e.webhook_id and q.key = e.key order by q.position limit 1) f;
  if named.keys is null then
    return;
  end if;
  locked := array(
    select d.id from hookwright.deliveries d
    where d.id = any(named.firsts) and d.id <> all(delivery_ids)
      and (d.status = 'PENDING' and d.attempt_count = 0 and d.settling_since is not null) is true
    order by d.id for update skip locked);
  -- After the locks: a daemon that finds one of them free finds it due later, too.
  called_at := clock_timestamp();
  with taken as (
    update hookwright.deliveries d
    set status = 'CANCELED', cancel_reason = 'SUPERSEDED', finished_at = called_at, superseded_by = k.newest
    from unnest(named.newest, named.firsts) as k(newest, first)
    where d.id = k.first and d.id = any(locked) and d.due_at > called_at
    returning d.id, d.tenant_id, d.settling_since)
  select array_agg(id) as ids, array_agg(tenant_id) as tenant_ids, array_agg(settling_since) as since
  into replaced from taken;
  if replaced.ids is not null then
    perform hookwright.leave_queues(replaced.tenant_ids, replaced.ids);
    perform hookwright.drop_jobs(replaced.ids);
  end if;
  select array_agg(d.id), array_agg(d.since), array_agg(least(called_at + d.settle, d.since + d.most)),
         array(select h.id from unnest(heads) h(id) where h.id <> all(named.firsts))
         || coalesce(array_agg(d.id) filter (where d.is_head), '{}')
  into settling_ids, since, due, heads
  from (
    select a.id, k.settle, k.most, coalesce(case when a.id = k.newest then r.since end, called_at) as since,
           a.id = k.newest and (k.first = any(heads) or r.id is not null) as is_head
    from unnest(webhook_ids, keys, delivery_ids) as a(webhook_id, key, id)
    join unnest(named.webhook_ids, named.keys, named.newest, named.firsts, named.settle, named.most)
         as k(webhook_id, key, newest, first, settle, most) on k.webhook_id = a.webhook_id and k.key = a.key
    left join unnest(replaced.ids, replaced.since) as r(id, since) on r.id = k.first) d;
end $$;
