import { Migration } from '@mikro-orm/migrations';

/** As in migration 0004, every payload field is a required string, and nothing else is allowed. */
const eventTypes = [
  {
    name: 'webhook.disabled',
    description:
      'When another webhook of the tenant was disabled, by failures in a row (FAILURES) or by a 410 (GONE). A pause is no such case.',
    fields: ['webhook_id', 'origin', 'reason', 'consecutive_failures', 'disabled_at', 'held_until', 'count'],
  },
  {
    name: 'webhook.recovered',
    description:
      'When another webhook of the tenant, disabled by failures and enabled again, has its first success.',
    fields: ['webhook_id', 'origin', 'disabled_at', 'recovered_at', 'count'],
  },
  {
    name: 'delivery.exhausted',
    description:
      'When a delivery to another webhook of the tenant has failed for good: retries used up, or a 410.',
    fields: [
      'webhook_id',
      'origin',
      'delivery_id',
      'event_id',
      'event_type',
      'attempts',
      'last_error',
      'count',
    ],
  },
  {
    name: 'webhook.held_expiring',
    description:
      'Before deliveries that another webhook of the tenant holds are canceled: 24 hours, or half of a hold below 48 hours.',
    fields: ['webhook_id', 'origin', 'held_count', 'expires_at', 'count'],
  },
];

function schemaOf(fields: string[]): string {
  return JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
    required: fields,
    additionalProperties: false,
  });
}

/**
 * What the service tells a tenant about its webhooks. The events are written in the transaction of their cause, at most
 * one a minute per webhook and type; what comes in between is counted, and raised when the minute is over.
 */
export class OperationalEvents extends Migration {
  override up(): void {
    for (const { name, description, fields } of eventTypes) {
      this.addSql(`
        insert into hookwright.event_types (name, description, schema, reserved)
        values ('${name}', '${description}', '${schemaOf(fields)}', true);
      `);
    }
    this.addSql(`
      alter table hookwright.webhooks
        -- Whether the failures in a row include one of an ordinary event; without meaning while there are none.
        add column ordinary_failures boolean not null default true,
        add column failed_at timestamptz,                 -- webhook.disabled was raised then, webhook.recovered not yet
        add column hold_warned_until timestamptz;         -- the hold_until that webhook.held_expiring was raised for
      create index webhooks_hold on hookwright.webhooks (hold_until) where hold_until is not null;

      create table hookwright.raised_events (
        tenant_id bigint not null,
        webhook_id bigint not null,                       -- that it is about
        event_type text not null,
        raised_at timestamptz,
        pending integer not null default 0,               -- causes since then
        pending_body text,                                -- of the latest of them; its count is added when it is raised
        primary key (webhook_id, event_type)
      );
      create index raised_events_pending on hookwright.raised_events (raised_at) where pending > 0;
      alter table hookwright.raised_events enable row level security;
      alter table hookwright.raised_events force row level security;
      create policy one_tenant on hookwright.raised_events to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      do $$ begin
        execute format('create policy all_tenants on hookwright.raised_events to %I using (true)', current_user);
      end $$;

      -- An event with its deliveries and jobs, for every webhook that matches but the one that it is about. As in
      -- emit_events, an id that meets another or a day without a partition must not cost the caller its transaction.
      create function hookwright.write_operational_event(
        for_tenant bigint, about_webhook bigint, raised_type text, content text
      ) returns void
      language plpgsql as $$
      declare
        tries integer := 0;
        violated text;
        queued integer;
      begin
        if not exists (select from hookwright.webhooks w
                       where w.id = about_webhook and w.tenant_id = for_tenant and w.deleted_at is null) then
          return;  -- nobody needs to hear of one that was deleted
        end if;
        loop
          begin
            with event as (
              insert into hookwright.events (id, tenant_id, event_type, body)
              values (hookwright.next_id(), for_tenant, raised_type, content) returning id),
            fanned_out as (
              insert into hookwright.deliveries (id, tenant_id, event_id, webhook_id, event_type, status)
              select hookwright.next_id(), for_tenant, event.id, w.id, raised_type,
                     case when w.active then 'PENDING' else 'HELD' end::hookwright.delivery_status
              from event, hookwright.webhooks w
              where w.tenant_id = for_tenant and w.deleted_at is null and w.id <> about_webhook
                and (w.event_types = '{*}' or raised_type = any(w.event_types))
                and (w.active or w.hold_until > now())
              returning id, status)
            select hookwright.enqueue_new_deliveries(array_agg(id), array_agg(null::bigint), array_agg(0))
            into queued from fanned_out where status = 'PENDING';
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

      -- Whether the last one was raised less than a minute ago. One from the future was raised by a clock that was set
      -- back since, and says nothing.
      create function hookwright.raised_lately(raised_at timestamptz) returns boolean
      language sql volatile
      return coalesce(raised_at between clock_timestamp() - interval '1 minute' and clock_timestamp(), false);

      -- Each item: a webhook and its tenant, what happened to it, the body as JSON text without the count, and how often
      -- that was. At most one item per webhook and type.
      create function hookwright.raise_events(
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
          insert into hookwright.raised_events (tenant_id, webhook_id, event_type)
          values (cause.tenant_id, cause.webhook_id, cause.event_type) on conflict do nothing;
          select * into known from hookwright.raised_events r
          where r.webhook_id = cause.webhook_id and r.event_type = cause.event_type for update;
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

      create function hookwright.raise_now(known hookwright.raised_events) returns void
      language plpgsql as $$
      begin
        perform hookwright.write_operational_event(known.tenant_id, known.webhook_id, known.event_type,
          left(known.pending_body, -1) || ',"count":"' || known.pending || '"}');
        update hookwright.raised_events r set raised_at = clock_timestamp(), pending = 0, pending_body = null
        where r.webhook_id = known.webhook_id and r.event_type = known.event_type;
      end $$;

      -- Raises what was only counted, once its minute is over. Answers with how many events that were.
      create function hookwright.raise_pending(at_most integer) returns integer
      language plpgsql as $$
      declare
        known hookwright.raised_events;
        raised integer := 0;
      begin
        for known in
          select * from hookwright.raised_events r
          where r.pending > 0 and not hookwright.raised_lately(r.raised_at)
          order by r.webhook_id, r.event_type limit at_most for update skip locked
        loop
          perform hookwright.raise_now(known);
          raised := raised + 1;
        end loop;
        return raised;
      end $$;

      -- They work with the rights of whoever calls them, and nobody but the owner has those.
      revoke execute on function
        hookwright.write_operational_event(bigint, bigint, text, text),
        hookwright.raised_lately(timestamptz),
        hookwright.raise_events(bigint[], bigint[], text[], text[], integer[]),
        hookwright.raise_now(hookwright.raised_events),
        hookwright.raise_pending(integer)
        from public;
    `);
  }
}
