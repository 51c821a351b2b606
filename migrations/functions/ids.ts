/** Ids of events and deliveries, which contain the time when they were made. */
export const ids = `
-- The smallest id of a moment: the milliseconds since 2025-01-01 UTC, shifted left by 12 bits. With the 12 bits that
-- next_id fills in, an id has 53 bits until 2094: a safe integer in JavaScript. Not by extract: it depends on the
-- session's time zone, so an immutable function that calls it is not inlined and takes three times as long.
create or replace function hookwright.id_at(moment timestamptz) returns bigint
language sql immutable parallel safe
-- Whole microseconds first: a double that is a trifle too small would otherwise be the millisecond before.
return floor(round(date_part('epoch', moment - timestamptz '2025-01-01 00:00:00+00') * 1e6) / 1e3)::bigint << 12;

-- The clock of ids, apart from next_id so that a test can set it back. It is not now(), which stands still within a
-- transaction: the 4,097th id of a transaction would repeat the first.
create or replace function hookwright.id_clock() returns timestamptz
language sql volatile
return clock_timestamp();

-- A new id of an event or a delivery: the millisecond and the low 12 bits of a sequence. Two ids can be equal after
-- the clock was set back, so a writer tries again on a unique violation.
create or replace function hookwright.next_id() returns bigint
language sql volatile
return hookwright.id_at(hookwright.id_clock()) | (nextval('hookwright.id_sequence') & 4095);

-- The UTC day of an id, which is the day of its row's partition.
create or replace function hookwright.id_day(id bigint) returns date
language sql immutable parallel safe
return (to_timestamp(((id >> 12) + 1735689600000) / 1000.0) at time zone 'UTC')::date;

grant execute on function hookwright.id_at, hookwright.id_clock, hookwright.next_id, hookwright.id_day to
  hookwright_api;
`;
