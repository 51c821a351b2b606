-- The way of an event that is alone in its transaction, which is the usual case (docs/decisions/0078).

-- emit_events_once with a worker pool, for one event that up to 20 webhooks get, and up to 100 subscribe to if one of
-- them has a filter, a content or an order. It writes and answers the same in less than half of the time, since it goes
-- through no sets of events: a test compares them. Other events (for no webhook or for more, refused, of a tenant
-- that moves, without room in the pool) go to emit_events_once. Filters are judged as match_flow does it.
--
-- The answer has what the pool needs of contents and orders, too. Its deliveries are
-- [id, 0, webhook's id, content, whether it is ordered], …
create or replace function hookwright.emit_lone_event(
  tenant bigint, type text, event_body text, lane integer, worker_pool text, claim_priority integer, claim_max integer,
  idempotency_key text default null, ordering_key text default null, type_version integer default null
) returns table (event_id bigint, delivery_count integer, duplicate boolean, error_code text, claimed json)
language plpgsql as $$
#variable_conflict use_column
declare
  found record; -- arrays with an element for each webhook that gets the event
  first_id bigint; -- the event that has the idempotency key
  delivery bigint;
  job bigint;
begin
  select array_agg(w.id) as ids, array_agg(w.active) as actives, bool_and(w.plain) as plain,
         array_agg(case when hookwright.is_sendable(w) then hookwright.webhook_to_send(w) end) as to_send,
         null::bigint[] as contents, null::text[] as keys
  into found
  from hookwright.tenants t
  join hookwright.event_types et on et.name = type and not et.reserved and et.deprecated_at is null
  cross join hookwright.subscribers(t.id, type, null) w
  where t.id = tenant and t.deleted_at is null and t.moving is null;
  if not found.plain and cardinality(found.ids) <= 100 then
    select coalesce(array_agg(w.id), '{}') as ids, array_agg(w.active) as actives, array_agg(w.to_send) as to_send,
           array_agg(o.content_id) as contents,
           array_agg(hookwright.ordering_key_in(o.ordering_by, o.ordering_path, ordering_key, event_body)) as keys
    into found
    from (select case when sum(f.filter_compiling) <= 1000000
                   then hookwright.readable_body(event_body, sum(f.filter_comparisons)) end as body
          from hookwright.webhook_options f where f.webhook_id = any(found.ids) and f.filter_path is not null) readable
    cross join unnest(found.ids, found.actives, found.to_send) as w(id, active, to_send)
    left join hookwright.webhook_options o on o.webhook_id = w.id
    where o.callback is not true and (o.filter_path is null or hookwright.meets_filter(
      readable.body, o.filter_path, type, case when o.filter_changes then hookwright.no_change() end));
  end if;
  delivery_count := cardinality(found.ids);
  -- The pool has a worker for each job if four deliveries share one. Ordered ones share none.
  if not (delivery_count <= 20 and lane <= claim_priority
          and delivery_count + 3 * coalesce(cardinality(array_remove(found.keys, null)), 0) <= claim_max) is true then
    return query select e.event_id, e.delivery_count, e.duplicate, e.error_code, e.claimed
      from hookwright.emit_events_once(
        array[tenant], array[type], array[event_body], array[idempotency_key], array[null::bigint], array[lane], null,
        worker_pool, claim_priority, claim_max, case when ordering_key is not null then array[ordering_key] end,
        array[type_version]) e;
    return;
  end if;
  event_id := hookwright.next_id();
  if idempotency_key is not null then
    perform set_config('lock_timeout', '50ms', true);
    select k.owners[1], k.errors[1] into first_id, error_code from hookwright.remember_keys(
      array[tenant], array[type], array[event_body], array[idempotency_key], array[event_id], array[null::text],
      array[ordering_key]) k;
  end if;
  duplicate := coalesce(error_code is null and first_id <> event_id, false);
  if duplicate or error_code is not null then
    event_id := case when duplicate then first_id end;
    delivery_count := case when duplicate then hookwright.count_deliveries(tenant, first_id) else 0 end;
    return next;
    return;
  end if;
  insert into hookwright.events (id, tenant_id, event_type, body, ordering_key, type_version)
  values (event_id, tenant, type, event_body, ordering_key, emit_lone_event.type_version);
  if delivery_count = 1 and found.actives[1] and found.keys[1] is null then
    delivery := hookwright.next_id();
    insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, due_at, content_id)
    values (delivery, tenant, event_id, found.ids[1], type, 'PENDING', clock_timestamp(), found.contents[1]);
    insert into hookwright_jobs._private_jobs
      (task_id, payload, max_attempts, key, priority, attempts, locked_by, locked_at)
    values ((select t.id from hookwright_jobs._private_tasks t where t.identifier = 'deliver'),
            json_build_object('id', delivery, 'attempt', 1), 25, 'd:' || delivery, lane, 1, worker_pool, now())
    returning id into job;
    claimed := json_build_object(
      'jobs', json_build_array(json_build_array(job, json_build_object('id', delivery, 'attempt', 1), lane)),
      'deliveries', json_build_array(json_build_array(
        delivery, 0, found.ids[1], hookwright.content_to_send(found.contents[1], event_id), false)),
      'webhooks', case when found.to_send[1] is null then '[]' else json_build_array(found.to_send[1]) end);
  elsif delivery_count > 0 then
    claimed := hookwright.write_lone_deliveries(tenant, event_id, type, lane, worker_pool, found.ids, found.actives,
      found.to_send, found.contents, found.keys);
  end if;
  return next;
end $$;

-- The deliveries of such an event, and their jobs, which the worker pool has locked. The arrays have an element for
-- each delivery. to_send: null where nothing may be sent to the webhook now. contents, keys: null where none has one.
--
-- Returns "claimed"; null: no delivery is due.
create or replace function hookwright.write_lone_deliveries(
  tenant bigint, event bigint, type text, lane integer, worker_pool text, webhook_ids bigint[], actives boolean[],
  to_send json[], contents bigint[], keys text[]
) returns json
language plpgsql as $$
declare
  ids bigint[] := '{}'::bigint[];
  shared bigint[] := '{}'::bigint[]; -- those that are due and without a key: they share jobs
  heads bigint[] := '{}'::bigint[]; -- those whose turn it is, of the ones with a key
  due bigint[];
  job_group bigint;
  groups bigint[];
  size integer;
  first integer;
  deliveries json[];
  webhooks json[];
  jobs json[];
  lock_timeout text := current_setting('lock_timeout');
  settling record;
  waits boolean;
begin
  for i in 1..cardinality(webhook_ids) loop
    ids := ids || hookwright.next_id();
    if actives[i] and keys[i] is null then
      shared := shared || ids[i];
    end if;
  end loop;
  if cardinality(array_remove(keys, null)) > 0 then
    heads := hookwright.take_turns_soon(array_fill(tenant, array[cardinality(ids)]), webhook_ids, keys, ids);
  end if;
  select null::bigint[] as settling_ids, null::timestamptz[] as since, null::timestamptz[] as due into settling;
  if cardinality(array_remove(keys, null)) > 0 and hookwright.settles(webhook_ids) then
    settling := hookwright.settle_turns(webhook_ids, keys, ids, heads);
    heads := settling.heads;
  end if;
  due := shared;
  size := hookwright.job_size(cardinality(shared));
  for i in 1..cardinality(ids) loop
    job_group := null;
    waits := keys[i] is not null and (ids[i] <> all(heads) or ids[i] = any(settling.settling_ids) is true);
    if actives[i] and not waits then
      if keys[i] is null then
        first := (array_position(shared, ids[i]) - 1) / size * size + 1;
        job_group := case when first < cardinality(shared) then shared[first] end;
      else
        due := due || ids[i];
      end if;
      deliveries := deliveries || json_build_array(
        ids[i], 0, webhook_ids[i], hookwright.content_to_send(contents[i], event), keys[i] is not null);
      webhooks := case when to_send[i] is null then webhooks else webhooks || to_send[i] end;
    end if;
    groups := groups || job_group;
  end loop;
  insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status, job_group, due_at,
                                     content_id, ordering_key, settling_since)
  select d.id, tenant, event, d.webhook_id, type,
         case when d.key is not null and d.id <> all(heads) then 'WAITING' when d.active then 'PENDING' else 'HELD'
         end::hookwright.delivery_status, d.job_group,
         case when d.active and s.id = any(heads) then s.due_at else clock_timestamp() end, d.content_id, d.key, s.since
  from unnest(ids, webhook_ids, actives, groups, contents, keys)
       as d(id, webhook_id, active, job_group, content_id, key)
  left join unnest(settling.settling_ids, settling.since, settling.due) as s(id, since, due_at) on s.id = d.id;
  jobs := hookwright.write_claimed_jobs(due, cardinality(shared), size, lane, worker_pool);
  if cardinality(array_remove(keys, null)) > 0 then
    if settling.settling_ids is not null then
      perform hookwright.enqueue_settling_heads(ids, actives, array_fill(lane, array[cardinality(ids)]), heads,
        settling.settling_ids, settling.due);
    end if;
    perform hookwright.supersede(webhook_ids, keys);
    perform set_config('lock_timeout', lock_timeout, true);
  end if;
  return case when jobs is not null then json_build_object(
    'jobs', to_json(jobs), 'deliveries', to_json(deliveries), 'webhooks', coalesce(to_json(webhooks), '[]')) end;
end $$;

-- Writes the jobs of due deliveries, which are claimed for the workers of this name: the first ones, as many as
-- `shared` says, share jobs of this size. Returns [id, payload, priority], …
create or replace function hookwright.write_claimed_jobs(
  due bigint[], shared integer, size integer, lane integer, worker_pool text) returns json[]
language plpgsql as $$
declare
  first integer := 1;
  last integer;
  payload json;
  job bigint;
  jobs json[];
begin
  while first <= cardinality(due) loop
    last := case when first <= shared then least(first + size - 1, shared) else first end;
    payload := case when first = last then json_build_object('id', due[first], 'attempt', 1)
                    else json_build_object('group', due[first], 'ids', due[first:last]) end;
    insert into hookwright_jobs._private_jobs
      (task_id, payload, max_attempts, key, priority, attempts, locked_by, locked_at)
    values ((select t.id from hookwright_jobs._private_tasks t
             where t.identifier = case when first = last then 'deliver' else 'deliver-group' end),
            payload, 25, case when first = last then 'd:' else 'g:' end || due[first], lane, 1, worker_pool, now())
    returning id into job;
    jobs := jobs || json_build_array(job, payload, lane);
    first := last + 1;
  end loop;
  return jobs;
end $$;

-- The content of a delivery as loading gives it; null: it sends the event's body.
create or replace function hookwright.content_to_send(content bigint, event bigint) returns json
language sql stable
return case when content is not null then json_build_object('id', content, 'eventId', event) end;
