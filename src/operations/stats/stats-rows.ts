import { LATENCY_BUCKETS } from '../../domain/stats/latency.js';

/** The primary key of `delivery_stats`. */
export const STATS_KEY = 'tenant_id, webhook_id, event_type, resolution, bucket';

/** SQL: the end of an insert into `delivery_stats as s` that adds to the row that exists. */
export const addStatsSql = `
  on conflict (${STATS_KEY}) do update
  set successes = s.successes + excluded.successes, failures = s.failures + excluded.failures,
      latency_histogram = hookwright.add_histograms(s.latency_histogram, excluded.latency_histogram)`;

/** SQL: an expression for the count in each bucket of the histogram. */
export const eachBucketSql = (sql: (count: string) => string): string =>
  Array.from({ length: LATENCY_BUCKETS }, (_, index) => sql(`latency_histogram[${index + 1}]`)).join(', ');
