/**
 * The refusals of a batch, completed by IDEMPOTENCY_KEY_BUSY for each item whose key another open transaction holds
 * now, also a key that was committed before. It probes each key by writing it, and takes that back with an error of
 * its own (HW000).
 */
export const refuseBusyKeys = `
create or replace function hookwright.refuse_busy_keys(
  tenant_ids bigint[], idempotency_keys text[], refusals text[]
) returns text[]
language plpgsql as $$
declare
  judged text[] := coalesce(refusals, array_fill(null::text, array[cardinality(tenant_ids)]));
begin
  perform set_config('lock_timeout', '1ms', true);
  for item in 1 .. cardinality(tenant_ids) loop
    continue when idempotency_keys[item] is null or judged[item] is not null;
    begin
      -- "do nothing" would not ask whether the row is locked.
      insert into hookwright.idempotency_keys (tenant_id, key, event_id, request_hash)
      values (tenant_ids[item], idempotency_keys[item], 0, '')
      on conflict (tenant_id, key) do update set event_id = excluded.event_id where false;
      raise sqlstate 'HW000';
    exception
      when lock_not_available then
        judged[item] := 'IDEMPOTENCY_KEY_BUSY';
      when sqlstate 'HW000' or foreign_key_violation then
        null;
    end;
  end loop;
  return judged;
end $$;

revoke execute on function hookwright.refuse_busy_keys from public;
`;
