/**
 * One event of an application's own transaction (docs/outbox.md).
 *
 * @throws an SQLSTATE of `refusal` when the event is refused, which ends the application's transaction: the message is
 *   a sentence, the detail is the error code, and the hint says what to do
 */
export const emit = `
create or replace function hookwright.emit(
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

revoke execute on function hookwright.emit from public;
`;
