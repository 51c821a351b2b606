/** The primary key of `delivery_stats`. */
export const STATS_KEY = 'tenant_id, webhook_id, event_type, resolution, bucket';

/** SQL: the end of an insert into `delivery_stats as s` that adds to the row that exists. */
export const addStatsSql = `
  on conflict (${STATS_KEY}) do update
  set successes = s.successes + excluded.successes, failures = s.failures + excluded.failures,
      latency_histogram = hookwright.add_histograms(s.latency_histogram, excluded.latency_histogram)`;
