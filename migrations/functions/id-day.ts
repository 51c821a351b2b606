/** The UTC day in which an id was made: the day of the partition that its row is in. */
export const idDay = `
create or replace function hookwright.id_day(id bigint) returns date
language sql immutable parallel safe
return (to_timestamp(((id >> 12) + 1735689600000) / 1000.0) at time zone 'UTC')::date;

revoke execute on function hookwright.id_day from public;
grant execute on function hookwright.id_day to hookwright_api;
`;
