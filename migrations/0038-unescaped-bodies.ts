import { Migration } from '@mikro-orm/migrations';
import { busyKeys } from './0018-busy-idempotency-keys.js';
import { emitEventsAgain } from './sql/emit-events.js';

/**
 * Slashes and characters beyond ASCII are signed and sent as themselves (docs/interface.md, "Deliveries"), while PHP and
 * Python escape them unless they are told not to: so the outbox door takes out of a body what JSON need not escape.
 */
export class UnescapedBodies extends Migration {
  override up(): void {
    this.addSql(String.raw`
      -- Only for what is JSON, in which control characters never stand as they are: here chr(1) stands for an escaped
      -- backslash, chr(2) for a backslash that is to stay, and chr(3) for those of a pair of surrogates until the halves
      -- without another are marked, which unistr would refuse. Lookaround would take the square of the time.
      create function hookwright.unescaped_body(body text) returns text
      language plpgsql immutable parallel safe as $$
      declare
        rest text := replace(replace(body, E'\\\\', chr(1)), E'\\/', '/');
        needed text;
      begin
        if strpos(rest, E'\\u') > 0 then
          foreach needed in array string_to_array('" b f n r t u000 u001 u0022 u005c u005C', ' ') loop
            rest := replace(rest, chr(92) || needed, chr(2) || needed);
          end loop;
          if rest ~ E'\\\\u[dD][89a-fA-F]' then
            rest := regexp_replace(
              rest, E'\\\\(u[dD][89abAB]..)\\\\(u[dD][c-fC-F]..)', chr(3) || E'\\1' || chr(3) || E'\\2', 'g');
            rest := regexp_replace(rest, E'\\\\(u[dD][89a-fA-F])', chr(2) || E'\\1', 'g');
            rest := replace(rest, chr(3), chr(92));
          end if;
          rest := replace(unistr(rest), chr(2), chr(92));
        end if;
        return replace(rest, chr(1), E'\\\\');
      end $$;

      drop function hookwright.judge_emits(bigint[], text[], text[], text[], boolean, boolean);

      -- As in 0008, but a body is measured without the escapes that it does not need; with the bodies that are to be
      -- stored, null where they are those that came in.
      create function hookwright.judge_emits(
        tenant_ids bigint[], event_types text[], bodies text[], idempotency_keys text[], restricted boolean,
        schema_checked boolean, out refusals text[], out details text[], out unescaped text[])
      language plpgsql as $$
      declare
        item record;
        kind record;
        bytes_max integer := (select payload_bytes_max from hookwright.outbox_limits);
        code text;
        detail text;
        escaped boolean;
        longest integer;
        body text;
      begin
        for item in
          select * from unnest(tenant_ids, event_types, bodies, idempotency_keys)
            with ordinality as i(tenant_id, event_type, body, key, ord)
        loop
          code := null;
          detail := null;
          body := item.body;
          escaped := strpos(body, chr(92)) > 0;
          -- No escape is more than six times as long as what it stands for.
          longest := case when escaped then 6 else 1 end * bytes_max;
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
          elsif octet_length(body) > longest then
            code := 'PAYLOAD_TOO_LARGE';
          else
            select j.code, j.detail into code, detail from hookwright.judge_body(body, kind.text_fields) j;
            if code is null and kind.text_fields is null and not schema_checked then
              code := 'SCHEMA_NOT_CHECKED';
            end if;
            if code is null and escaped then
              body := hookwright.unescaped_body(body);
              if octet_length(body) > bytes_max then
                code := 'PAYLOAD_TOO_LARGE';
              elsif body <> item.body then
                unescaped[item.ord] := body;
              end if;
            end if;
          end if;
          if code = 'PAYLOAD_TOO_LARGE' and detail is null then
            detail := format('The body has %s bytes; at most %s are allowed.', octet_length(body), bytes_max);
          end if;
          refusals[item.ord] := code;
          details[item.ord] := detail;
        end loop;
        if unescaped is not null then
          unescaped := array(select coalesce(unescaped[i.ord], i.body)
                             from unnest(bodies) with ordinality as i(body, ord) order by i.ord);
        end if;
      end $$;

      ${emitEventsAgain({
        ...busyKeys,
        judgement:
          'select j.refusals, j.details, coalesce(j.unescaped, bodies) into refusals, details, bodies',
      })}

      revoke execute on function
        hookwright.unescaped_body(text),
        hookwright.judge_emits(bigint[], text[], text[], text[], boolean, boolean)
        from public;
    `);
  }
}
