/**
 * The clock of ids. It is apart from `next_id`, so that a test can set it back; and it is not `now()`, which stands
 * still within a transaction: the 4,097th id of that transaction would repeat the first.
 */
export const idClock = `
create or replace function hookwright.id_clock() returns timestamptz
language sql volatile
return clock_timestamp();

revoke execute on function hookwright.id_clock from public;
grant execute on function hookwright.id_clock to hookwright_api;
`;
