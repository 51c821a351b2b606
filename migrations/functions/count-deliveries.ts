/**
 * How many deliveries were made with an event. Their ids lie beside the event's, so only the partitions of its day are
 * opened: 14,745,600,000 ids are an hour. A function, so that no partition is opened unless somebody repeats an
 * idempotency key.
 */
export const countDeliveries = `
create or replace function hookwright.count_deliveries(tenant bigint, event bigint) returns integer
language plpgsql stable as $$
begin
  return (
    select count(*) from hookwright.deliveries d
    where d.event_id = event and (d.tenant_id = tenant) is true
      and d.id between event - 14745600000 and event + 14745600000);
end $$;

revoke execute on function hookwright.count_deliveries from public;
`;
