-- Operational events (docs/decisions/0013): at most one a minute for each webhook and type.

-- Raises operational events. Causes within a minute after the last event are counted, and raise_pending raises one
-- event for them when the minute is over. Each item is a webhook with its tenant, the type, the body as JSON without
-- the count, and the number of causes; at most one item for each webhook and type.
create or replace function hookwright.raise_events(
  tenant_ids bigint[], webhook_ids bigint[], event_types text[], bodies text[], counts integer[]
) returns void
language plpgsql as $$
#variable_conflict use_column
declare
  cause record;
  known hookwright.raised_events;
begin
  for cause in
    select * from unnest(tenant_ids, webhook_ids, event_types, bodies, counts)
             as c(tenant_id, webhook_id, event_type, body, count)
    order by webhook_id, event_type
  loop
    insert into hookwright.raised_events as r (tenant_id, webhook_id, event_type)
    values (cause.tenant_id, cause.webhook_id, cause.event_type)
    on conflict (webhook_id, event_type) do update set tenant_id = excluded.tenant_id
    returning r.* into known;
    if hookwright.raised_lately(known.raised_at) then
      update hookwright.raised_events r set pending = r.pending + cause.count, pending_body = cause.body
      where r.webhook_id = known.webhook_id and r.event_type = known.event_type;
    else
      known.pending := known.pending + cause.count;
      known.pending_body := cause.body;
      perform hookwright.raise_now(known);
    end if;
  end loop;
end $$;

-- Raises the operational events whose causes were only counted so far and whose minute is over; returns their number.
create or replace function hookwright.raise_pending(at_most integer) returns integer
language plpgsql as $$
declare
  known hookwright.raised_events;
  raised integer := 0;
begin
  for known in
    select * from hookwright.raised_events r
    where r.pending > 0 and not hookwright.raised_lately(r.raised_at) and not hookwright.is_moving(r.tenant_id)
    order by r.webhook_id, r.event_type limit at_most for update skip locked
  loop
    perform hookwright.raise_now(known);
    raised := raised + 1;
  end loop;
  return raised;
end $$;

-- Writes the operational event of a row of raised_events and its notices, with the webhook's name, and starts the next
-- minute.
create or replace function hookwright.raise_now(known hookwright.raised_events) returns void
language plpgsql as $$
declare
  content text := left(known.pending_body, -1) || ',"name":'
    || to_json(coalesce((select o.name from hookwright.webhook_options o where o.webhook_id = known.webhook_id), ''))
    || ',"count":"' || known.pending || '"}';
begin
  perform hookwright.write_operational_event(known.tenant_id, known.webhook_id, known.event_type, content);
  perform hookwright.write_notices(known.tenant_id, known.webhook_id, known.event_type, content);
  update hookwright.raised_events r set raised_at = clock_timestamp(), pending = 0, pending_body = null
  where r.webhook_id = known.webhook_id and r.event_type = known.event_type;
end $$;

-- Writes a notice for each recipient of the tenant who wants this type. Mails begin after a minute: what a recipient
-- would get within it is one mail, and a warning that is over by then is none.
create or replace function hookwright.write_notices(
  for_tenant bigint, about_webhook bigint, raised_type text, content text
) returns void
language plpgsql as $$
begin
  insert into hookwright.notices (tenant_id, recipient_id, webhook_id, topic, body, send_after)
  select r.tenant_id, r.id, about_webhook, wanted.topic, content, clock_timestamp() + interval '1 minute'
  from hookwright.notice_recipients r,
       (select case raised_type when 'webhook.certificate_ending' then 'CERTIFICATE'
               else upper(split_part(raised_type, '.', 2)) end as topic) as wanted
  where r.tenant_id = for_tenant and r.deleted_at is null and r.confirmed_at is not null
    and r.unsubscribed_at is null and wanted.topic = any(r.topics);
end $$;

-- Whether an operational event was raised less than a minute ago. A time in the future comes from a clock that was set
-- back since, and does not count.
create or replace function hookwright.raised_lately(raised_at timestamptz) returns boolean
language sql volatile
return coalesce(raised_at between clock_timestamp() - interval '1 minute' and clock_timestamp(), false);

-- Writes an event about a webhook for the other webhooks of its tenant that subscribe to it, and for those of the
-- installation (docs/decisions/0085), which learn the tenant, too.
create or replace function hookwright.write_operational_event(
  for_tenant bigint, about_webhook bigint, raised_type text, content text
) returns void
language plpgsql as $$
begin
  if not exists (select from hookwright.webhooks w
                 where w.id = about_webhook and w.tenant_id = for_tenant and w.deleted_at is null) then
    return;  -- nobody needs to hear of one that was deleted
  end if;
  if for_tenant <> hookwright.installation_tenant() then
    perform hookwright.write_own_event(for_tenant, about_webhook, raised_type, content);
  end if;
  if hookwright.installation_hears(raised_type) then
    perform hookwright.write_own_event(
      hookwright.installation_tenant(), about_webhook, raised_type, hookwright.with_tenant(content, for_tenant));
  end if;
end $$;

-- Writes an event of the service itself, with deliveries and jobs for the webhooks of the tenant that subscribe to it,
-- but for the one that it is about (null: it is about none) and those that take paths (callback). Filters count for
-- webhooks of the installation alone. As in emit_events, equal ids or a day without a partition do not end the caller's
-- transaction.
create or replace function hookwright.write_own_event(
  for_tenant bigint, about_webhook bigint, raised_type text, content text
) returns void
language plpgsql as $$
declare
  tries integer := 0;
  violated text;
  event bigint;
begin
  loop
    begin
      event := hookwright.next_id();
      insert into hookwright.events (id, tenant_id, event_type, body) values (event, for_tenant, raised_type, content);
      perform hookwright.insert_deliveries(
        array_agg(hookwright.next_id()), array_agg(for_tenant), array_agg(event), array_agg(w.id),
        array_agg(raised_type), array_agg(w.active), array_agg(null::bigint), array_agg(0), now())
      from hookwright.subscribers(for_tenant, raised_type, null) w
      left join hookwright.webhook_options o on not w.plain and o.webhook_id = w.id
      where w.id is distinct from about_webhook and o.callback is not true
        and (o.filter_path is null or for_tenant <> hookwright.installation_tenant() or hookwright.passes_filter(
               hookwright.readable_body(content, o.filter_comparisons), o.filter_path, raised_type));
      return;
    exception
      when unique_violation then
        get stacked diagnostics violated = table_name;
        if tries >= 50 or violated !~ '^(events|deliveries)_' then
          raise;
        end if;
      when check_violation then
        if tries >= 3 then
          raise;
        end if;
        perform hookwright.make_partitions(2);
    end;
    tries := tries + 1;
  end loop;
end $$;
