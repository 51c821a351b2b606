import { Migration } from '@mikro-orm/migrations';
import { emitEvents } from './sql/emit-events.js';

/**
 * The outbox door (docs/outbox.md): an application that shares the database emits inside its own transaction, through
 * `hookwright.emit` (one event, an exception when it is refused) or `hookwright.emit_events` (many, an answer each).
 * The database role it logs in as may do nothing else, and only for the tenants of `outbox_grants`.
 *
 * `migrate` makes the role `hookwright_outbox` and grants it the two functions, if it may: nothing here needs it.
 */
export class Outbox extends Migration {
  override up(): void {
    this.addSql(String.raw`
      create table hookwright.outbox_grants (
        role_name text not null,                          -- of the login, as session_user has it: not of a group
        tenant_id bigint not null references hookwright.tenants,
        granted_at timestamptz not null default now(),
        primary key (role_name, tenant_id)
      );
      alter table hookwright.outbox_grants enable row level security, force row level security;
      create policy one_tenant on hookwright.outbox_grants to hookwright_api
        using (tenant_id = hookwright.current_tenant());
      do $$ begin
        execute format('create policy all_tenants on hookwright.outbox_grants to %I using (true)', current_user);
      end $$;

      -- PAYLOAD_BYTES_MAX is a setting of processes, which a function in the database cannot see: the daemon writes it
      -- here when it starts.
      create table hookwright.outbox_limits (
        only_row boolean primary key default true check (only_row),
        payload_bytes_max integer not null
      );
      insert into hookwright.outbox_limits (payload_bytes_max) values (262144);

      -- Where the schema says no more than this: these fields, all of them, nothing else, and each a string. Then SQL
      -- can judge a payload. Null: any other schema.
      alter table hookwright.event_types add column text_fields text[];
      update hookwright.event_types
      set text_fields = array(select json_array_elements_text(schema::json -> 'required'))
      where name in ('booking.created', 'booking.canceled', 'voucher.emitted', 'coupon.applied', 'webhook.test');

      -- What an application is told of a refusal: an SQLSTATE of our own, a sentence, and what to do.
      create function hookwright.refusal(code text, out state text, out sentence text, out hint text)
      language sql immutable as $$
        select known.state, known.sentence, known.hint from (values
          ('TENANT_UNKNOWN', 'HW001', 'There is no such tenant.', null),
          ('TENANT_NOT_GRANTED', 'HW001', 'This role may not emit for the tenant.',
            'Run: hookwright outbox grant <role> --tenant <id>. What counts is the role that logged in, not SET ROLE.'),
          ('EVENT_TYPE_UNKNOWN', 'HW002', 'There is no such event type.', null),
          ('EVENT_TYPE_RESERVED', 'HW003', 'Only the service itself emits events of this type.', null),
          ('EVENT_TYPE_DEPRECATED', 'HW004', 'The event type is deprecated.', null),
          ('PAYLOAD_NO_JSON_OBJECT', 'HW005', 'The body is not the text of a JSON object.', null),
          ('PAYLOAD_TOO_LARGE', 'HW006', 'The body is too long.', null),
          ('PAYLOAD_BREAKS_SCHEMA', 'HW007', 'The body breaks the schema of the event type.', null),
          ('SCHEMA_NOT_CHECKED', 'HW008', 'The schema of this event type cannot be checked in the database.',
            'Check the body by EventType.schema in the application, and say schema_checked => true.'),
          ('IDEMPOTENCY_KEY_REUSED', 'HW009',
            'The idempotency key was used for an event of another type or with another body.', null),
          ('IDEMPOTENCY_KEY_INVALID', 'HW010', 'An idempotency key has 1 to 255 printable ASCII characters.', null),
          ('ARGUMENT_MISSING', 'HW011', 'Tenant, event type and body must not be null.', null)
        ) as known(code, state, sentence, hint)
        where known.code = refusal.code
      $$;

      -- What is wrong with a body, and where. The text itself is stored, so the checks must not change it, and what
      -- JSON allows passes: jsonb and json_each_text would refuse an escaped NUL and half a surrogate pair.
      create function hookwright.judge_body(body text, fields text[], out code text, out detail text)
      language plpgsql immutable as $$
      declare
        names text[];
        fault text;
        readable text := body;
      begin
        begin
          if json_typeof(body::json) <> 'object' then
            code := 'PAYLOAD_NO_JSON_OBJECT';
            detail := format('The body is JSON, but its outermost value is of type %s, not an object.',
                             json_typeof(body::json));
          end if;
        exception when data_exception or program_limit_exceeded then
          code := 'PAYLOAD_NO_JSON_OBJECT';
          detail := 'The body is not JSON.';
        end;
        if code is not null or fields is null then
          return;
        end if;
        -- No name of a field has anything that is escaped like this, so what stands in its place does not matter.
        if strpos(body, chr(92)) > 0 then
          readable := regexp_replace(body, E'\\\\([^u]|u(0000|[dD][89a-fA-F][0-9a-fA-F]{2}))', '?', 'g');
        end if;
        select coalesce(array_agg(key), '{}'), min(format('"%s" must be a string', key)) filter (
          where key = any(fields) and json_typeof(value) <> 'string')
        into names, fault from json_each(readable::json);
        detail := coalesce(
          (select format('"%s" is required', f) from unnest(fields) f where f <> all(names) limit 1),
          (select format('"%s" is not a field of this event type', left(n, 100))
           from unnest(names) n where n <> all(fields) limit 1),
          fault,
          case when cardinality(names) > cardinality(fields) then 'a field stands there twice' end);
        if detail is not null then
          code := 'PAYLOAD_BREAKS_SCHEMA';
          detail := 'The body breaks the schema of the event type: ' || detail || '.';
        end if;
      end $$;

      -- What emit_events_once does not judge, because the API has done so already. The role that logged in counts:
      -- inside emit_events current_user is the owner.
      create function hookwright.judge_emits(
        tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], restricted boolean,
        schema_checked boolean, out refusals text[], out details text[])
      language plpgsql as $$
      declare
        item record;
        kind record;
        bytes_max integer := (select payload_bytes_max from hookwright.outbox_limits);
        code text;
        detail text;
      begin
        for item in
          select * from unnest(tenant_ids, event_types, bodies, idempotency_keys)
            with ordinality as i(tenant_id, event_type, body, key, ord)
        loop
          code := null;
          detail := null;
          select t.reserved or t.deprecated_at is not null as unusable, t.text_fields into kind
          from hookwright.event_types t where t.name = item.event_type;
          if item.tenant_id is null or item.event_type is null or item.body is null then
            code := 'ARGUMENT_MISSING';
          elsif restricted and not exists (
            select from hookwright.outbox_grants g where g.role_name = session_user and g.tenant_id = item.tenant_id
          ) then
            code := 'TENANT_NOT_GRANTED';
            detail := format('The role %I may not emit for tenant %s.', session_user, item.tenant_id);
          elsif item.key is not null and item.key !~ '^[ -~]{1,255}$' collate "C" then
            code := 'IDEMPOTENCY_KEY_INVALID';
          elsif kind.unusable is distinct from false then
            null;  -- emit_events_once says what is wrong with the type
          elsif octet_length(item.body) > bytes_max then
            code := 'PAYLOAD_TOO_LARGE';
            detail := format('The body has %s bytes; at most %s are allowed.', octet_length(item.body), bytes_max);
          else
            select j.code, j.detail into code, detail from hookwright.judge_body(item.body, kind.text_fields) j;
            if code is null and kind.text_fields is null and not schema_checked then
              code := 'SCHEMA_NOT_CHECKED';
            end if;
          end if;
          refusals[item.ord] := code;
          details[item.ord] := detail;
        end loop;
      end $$;

      create function hookwright.require_arguments(
        tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], only_webhook_ids bigint[],
        priorities integer[], restricted boolean
      ) returns void
      language plpgsql immutable as $$
      begin
        if cardinality(tenant_ids) is null or cardinality(event_types) is distinct from cardinality(tenant_ids)
           or cardinality(bodies) is distinct from cardinality(tenant_ids)
           or cardinality(idempotency_keys) <> cardinality(tenant_ids) then
          raise exception using errcode = 'HW011', message = 'The arrays must have one element for each event.';
        end if;
        if restricted and cardinality(tenant_ids) > 1000 then
          raise exception using errcode = 'HW011', message = 'At most 1000 events fit into one call.';
        end if;
        -- They would let a caller past the types that are reserved, and past others in the queue.
        if restricted and (only_webhook_ids is not null or priorities is not null) then
          raise exception using errcode = 'HW011',
            message = 'only_webhook_ids and priorities are for the service itself.';
        end if;
      end $$;

      ${emitEvents}

      -- One event of an application's own transaction: accepted, or an exception that takes the transaction with it.
      create function hookwright.emit(
        tenant_id bigint, event_type text, body text, idempotency_key text default null,
        schema_checked boolean default false
      ) returns table (event_id bigint, delivery_count integer, duplicate boolean)
      language plpgsql security definer set search_path = pg_catalog, hookwright, pg_temp as $$
      declare
        answer record;
        refusal record;
      begin
        select * into answer from hookwright.emit_events(
          array[emit.tenant_id], array[emit.event_type], array[emit.body], array[emit.idempotency_key],
          schema_checked => emit.schema_checked);
        if answer.error_code is not null then
          refusal := hookwright.refusal(answer.error_code);
          raise exception using errcode = refusal.state, message = answer.error_detail,
            detail = answer.error_code, hint = coalesce(refusal.hint, 'See docs/outbox.md, "What is refused".');
        end if;
        return query select answer.event_id, answer.delivery_count, answer.duplicate;
      end $$;

      revoke execute on function
        hookwright.refusal(text),
        hookwright.judge_body(text, text[]),
        hookwright.judge_emits(bigint[], text[], text[], text[], boolean, boolean),
        hookwright.emit_events_once(bigint[], text[], text[], text[], bigint[], integer[], text[]),
        hookwright.require_arguments(bigint[], text[], text[], text[], bigint[], integer[], boolean),
        hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[], boolean),
        hookwright.emit(bigint, text, text, text, boolean)
        from public;
      grant execute on function hookwright.emit_events(bigint[], text[], text[], text[], bigint[], integer[], boolean)
        to hookwright_api;
    `);
  }
}
