/**
 * Checks that the arrays of one call of `emit_events` fit together, and that an application (`restricted`) leaves
 * alone what is for the service itself.
 *
 * @throws HW011
 */
export const requireArguments = `
create or replace function hookwright.require_arguments(
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

revoke execute on function hookwright.require_arguments from public;
`;
