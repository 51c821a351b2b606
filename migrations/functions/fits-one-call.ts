/**
 * Checks that the deliveries of one call of `emit_events` fit into the time that a statement has
 * (docs/decisions/0031).
 *
 * @throws HW012
 */
export const fitsOneCall = `
create or replace function hookwright.fits_one_call(deliveries bigint, most integer) returns boolean
language plpgsql as $$
begin
  if deliveries > most then
    raise exception using errcode = 'HW012', detail = 'TOO_MANY_DELIVERIES',
      message = format('The events of one call may make at most %s deliveries together.', most),
      hint = 'See docs/outbox.md, "What is refused".';
  end if;
  return true;
end $$;

revoke execute on function hookwright.fits_one_call from public;
`;
