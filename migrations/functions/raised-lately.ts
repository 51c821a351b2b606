/**
 * Whether an operational event was raised less than a minute ago. A time that is still to come was written by a clock
 * that was set back since then, and does not count.
 */
export const raisedLately = `
create or replace function hookwright.raised_lately(raised_at timestamptz) returns boolean
language sql volatile
return coalesce(raised_at between clock_timestamp() - interval '1 minute' and clock_timestamp(), false);

revoke execute on function hookwright.raised_lately from public;
`;
