/**
 * How many deliveries a tenant has got in the last two seconds, counted up to `most`; the ones that other open
 * transactions make are not seen. A function, so that partitions are opened only when somebody asks. In a serializable
 * transaction the answer is 0: what one of these reads is what another writes, and one of the two would fail.
 */
export const emittedLately = `
create or replace function hookwright.emitted_lately(tenant bigint, most integer) returns integer
language plpgsql stable as $$
declare
  since bigint := hookwright.id_at(clock_timestamp() - interval '2 seconds');
begin
  if current_setting('transaction_isolation') = 'serializable' then
    return 0;
  end if;
  return (
    select count(*) from (
      select from hookwright.deliveries d where d.tenant_id = tenant and d.id > since limit most) lately);
end $$;

revoke execute on function hookwright.emitted_lately from public;
`;
