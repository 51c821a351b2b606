/**
 * How many first attempts share a job, when one transaction makes this many deliveries in one lane
 * (docs/decisions/0007).
 */
export const jobSize = `
create or replace function hookwright.job_size(deliveries bigint) returns bigint
language sql immutable parallel safe
return least(16, greatest(4, deliveries / 8));

revoke execute on function hookwright.job_size from public;
`;
