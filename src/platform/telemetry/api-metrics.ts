import { Registry } from 'prom-client';
import { Meter } from './meter.js';

const LIMITS = ['management', 'emit', 'tenant_events', 'anonymous', 'checks', 'key_failures', 'streams'] as const;
export type LimitName = (typeof LIMITS)[number];

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** One transaction takes at most 200 events. */
const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200];

export type ApiMetrics = ReturnType<typeof apiMetrics>;

export function apiMetrics(registry = new Registry()) {
  const meter = new Meter(registry);
  const metrics = {
    emits: meter.tally(
      'hookwright_emits_total',
      'Events by the result of their emit: accepted, duplicate (of an idempotency key), refused, failed (a fault of ours).',
      ['result'],
      ['accepted', 'duplicate', 'refused', 'failed'],
    ),
    limited: meter.tally(
      'hookwright_rate_limited_total',
      'Requests that were refused because a rate limit was reached, by limit.',
      ['limit'],
      LIMITS,
    ),
    requests: meter.tally(
      'hookwright_http_requests_total',
      'HTTP requests that were answered, by method, pattern of the route and status.',
      ['method', 'route', 'status'],
    ),
    requestSeconds: meter.histogram(
      'hookwright_http_request_duration_seconds',
      'From the arrival of a request to the end of its answer, by pattern of the route.',
      SECONDS,
      ['route'],
    ),
    graphqlErrors: meter.tally(
      'hookwright_graphql_errors_total',
      'Errors in answers of /graphql and in its streams, by code.',
      ['code'],
    ),
    streamsOpen: 0,
    streamUpdates: meter.counter('hookwright_stream_updates_total', 'Updates that were sent to streams.'),
    streamsEnded: meter.tally(
      'hookwright_streams_ended_total',
      'Streams that have ended, by reason: client_left, too_slow, complete, age or service_ends.',
      ['reason'],
    ),
    emitBatches: meter.histogram('hookwright_emit_batch_events', 'Events that shared a transaction.', BATCH_ITEMS),
  };
  meter.gauge('hookwright_streams_open', 'Streams of live updates that are open.', () => metrics.streamsOpen);
  return metrics;
}
