-- Events and options of all tenants that another schema of an event type may break (docs/decisions/0067).

-- The newest events of a type over all tenants, without their payloads: a list of [id, tenant, bytes]. Events for one
-- webhook, such as tests, are left out. No index leads to a type, and a partition has its rows nearly in the order of
-- ids, so the search goes backwards through the pages: small rows fill gaps of the last 4,000 pages or so. After ms_max
-- it returns where it has come to: the partition, and the number of its pages that are left, for the next call. Null:
-- it is over. Empty in a transaction for a tenant.
create or replace function hookwright.newest_of_type(of_type text, events_max integer, bytes_max bigint,
  ms_max integer, inout part text, inout pages bigint, out newest jsonb)
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  pages_at_once constant bigint := 4096;
  ends_at timestamptz := clock_timestamp() + ms_max * interval '1 millisecond';
  partition record;
  next_page bigint;
  more jsonb;
  more_bytes bigint;
  all_fit boolean;
begin
  newest := '[]';
  for partition in
    select c.oid, c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'hookwright.events'::regclass and hookwright.current_tenant() = 0
      and (part is null or c.relname <= part)
    order by c.relname desc
  loop
    if partition.relname is distinct from part then
      pages := pg_relation_size(partition.oid) / current_setting('block_size')::bigint;
    end if;
    while pages > 0 loop
      next_page := greatest(pages - pages_at_once, 0);
      begin
        execute format(
          'select coalesce(jsonb_agg(jsonb_build_array(id, tenant_id, bytes) order by id desc)
                             filter (where total <= $3), ''[]''),
                  coalesce(sum(bytes) filter (where total <= $3), 0), coalesce(bool_and(total <= $3), true)
           from (select id, tenant_id, octet_length(body) as bytes,
                        sum(octet_length(body)) over (order by id desc rows unbounded preceding) as total
                 from hookwright.%I
                 where ctid >= %L::tid and ctid < %L::tid and event_type = $1 and only_webhook_id is null
                       and erased_at is null
                 order by id desc limit $2) found',
          partition.relname, format('(%s,0)', next_page), format('(%s,0)', pages))
        into more, more_bytes, all_fit
        using of_type, events_max - jsonb_array_length(newest), bytes_max;
      exception when undefined_table then
        exit; -- its day is over, and the partition was dropped
      end;
      newest := newest || more;
      bytes_max := bytes_max - more_bytes;
      pages := next_page;
      if not all_fit or jsonb_array_length(newest) >= events_max then
        part := null;
        return;
      end if;
      if clock_timestamp() > ends_at then
        part := partition.relname;
        return;
      end if;
    end loop;
  end loop;
  part := null;
end $$;

-- The number of webhooks that get events of a type, over all tenants, and the ids of those whose options may have
-- paths. Zero and none in a transaction for a tenant.
create or replace function hookwright.webhooks_of_type(of_type text, out webhooks integer, out with_paths jsonb)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select count(*)::integer,
         coalesce(jsonb_agg(w.id order by w.id) filter (where o.filter is not null or o.shape is not null
                                                              or o.format is not null or o.key_path is not null), '[]')
  from hookwright.webhooks w
  join hookwright.tenants t on t.id = w.tenant_id and t.deleted_at is null and t.id <> hookwright.installation_tenant()
  left join hookwright.webhook_options o on o.webhook_id = w.id
  where hookwright.current_tenant() = 0 and w.deleted_at is null and w.event_types && array[of_type, '*']
$$;

-- The options with paths of some webhooks, whose tenants may be any. None of them has a secret. Empty in a transaction
-- for a tenant.
create or replace function hookwright.options_with_paths(webhooks bigint[])
returns table (webhook_id bigint, tenant_id bigint, filter jsonb, release text, shape json, format text, "text" text,
               template json, key_path text)
language sql stable security definer set search_path = pg_catalog, hookwright, pg_temp as $$
  select o.webhook_id, o.tenant_id, o.filter, o.release, o.shape, o.format, o.text, o.template,
         case when o.ordering_by = 'KEY' then o.key_path end
  from hookwright.webhook_options o
  where hookwright.current_tenant() = 0 and o.webhook_id = any(webhooks)
  order by o.webhook_id
$$;

grant execute on function hookwright.newest_of_type, hookwright.webhooks_of_type, hookwright.options_with_paths
  to hookwright_api;
