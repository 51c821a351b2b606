/**
 * A new id of an event or a delivery: the millisecond (`id_at`) and the low 12 bits of a sequence. Two ids can be
 * equal after the clock was set back, so whoever writes rows with them tries again on a unique violation.
 */
export const nextId = `
create or replace function hookwright.next_id() returns bigint
language sql volatile
return hookwright.id_at(hookwright.id_clock()) | (nextval('hookwright.id_sequence') & 4095);

revoke execute on function hookwright.next_id from public;
grant execute on function hookwright.next_id to hookwright_api;
`;
