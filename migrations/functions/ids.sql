-- Ids of events and deliveries, which contain the time when they were made.

-- The smallest id of a moment: the milliseconds since 2025-01-01 UTC, shifted left by 12 bits. Ids have 53 bits until
-- 2094: safe integers in JavaScript. Not by extract, with which an immutable function is not inlined.
create or replace function hookwright.id_at(moment timestamptz) returns bigint
language sql immutable parallel safe
-- Whole microseconds first: a double that is a trifle too small would otherwise be the millisecond before.
return floor(round(date_part('epoch', moment - timestamptz '2025-01-01 00:00:00+00') * 1e6) / 1e3)::bigint << 12;

-- The clock of ids, which a test can set back. It is not now(): the 4,097th id of a transaction would repeat the first.
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
