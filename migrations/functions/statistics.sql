-- The sum of two histograms, bucket by bucket. The shorter one is filled up with zeros.
create or replace function hookwright.add_histograms(a integer[], b integer[]) returns integer[]
language sql immutable parallel safe as $$
  select array_agg(coalesce(x, 0) + coalesce(y, 0) order by bucket)
  from unnest(a, b) with ordinality as both_(x, y, bucket)
$$;
