-- Which webhooks are plain (docs/decisions/0056).

-- Whether emits to the webhook may take the plain way, by its options.
create or replace function hookwright.is_plain(id bigint) returns boolean
language plpgsql stable as $$
begin
  return not exists (select from hookwright.webhook_options o
                     where o.webhook_id = id and (o.filter_path is not null or o.content_id is not null
                                                  or o.ordering_by <> 'NONE' or o.callback));
end $$;

-- After changes of webhook_options: keeps webhooks.plain, and tenants.uses_flow while a webhook of the tenant is not
-- plain; and notes since when a webhook has another content, whose row is kept for its deliveries. A trigger, so that
-- no change past the API leaves a filter, a content, an order or a callback ignored.
create or replace function hookwright.note_flow() returns trigger
language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
declare
  tenants bigint[];
begin
  update hookwright.webhook_contents k set ended_at = now()
  from changed c
  where k.webhook_id = c.webhook_id and k.ended_at is null
    and (tg_op = 'DELETE' or c.content_id is distinct from k.id);
  with wanted as (
    select c.webhook_id, c.tenant_id, hookwright.is_plain(c.webhook_id) as plain from changed c
  ),
  turned as (
    update hookwright.webhooks w set plain = wanted.plain
    from wanted where w.id = wanted.webhook_id and w.plain <> wanted.plain
    returning w.tenant_id
  )
  select array_agg(tenant_id) into tenants
  from (select tenant_id from turned union select tenant_id from wanted where tg_op = 'DELETE') concerned;
  if tenants is null then
    return null;
  end if;
  -- One transaction after the other: each could find that the webhook of the other one is still plain.
  perform from hookwright.tenants t where t.id = any(tenants) order by t.id for no key update;
  update hookwright.tenants t set uses_flow = not t.uses_flow
  where t.id = any(tenants)
    and t.uses_flow <> exists (select from hookwright.webhooks w where w.tenant_id = t.id and not w.plain);
  return null;
end $$;
