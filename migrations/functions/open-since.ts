/**
 * Whether a delivery that is open now was open when the id "bound" was made: it was neither asked for nor tried since
 * then (docs/decisions/0021). A redelivery is due at once, so its due time shows when it was asked for; of a delivery
 * that was tried, the last attempt shows it.
 */
export const openSince = `
create or replace function hookwright.open_since(
  delivery_id bigint, attempt_count integer, attempts_before integer, due_at timestamptz, bound bigint
) returns boolean
language plpgsql stable as $$
begin
  if attempt_count = attempts_before then
    return delivery_id <= bound and hookwright.id_at(due_at) <= bound;
  end if;
  return delivery_id <= bound and not exists (
    select from hookwright.attempts a
    where a.delivery_id = open_since.delivery_id and a.number = open_since.attempt_count
      and hookwright.id_at(a.started_at) > bound);
end $$;

revoke execute on function hookwright.open_since from public;
`;
