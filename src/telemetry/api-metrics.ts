import { type Counter, type Histogram, Registry } from 'prom-client';
import { Meter } from './meter.js';
import type { Tally } from './tally.js';

const EMIT_FATES = ['accepted', 'duplicate', 'refused', 'failed'] as const;
type EmitFate = (typeof EMIT_FATES)[number];

const LIMITS = ['management', 'emit', 'anonymous', 'key_failures', 'streams'] as const;
export type LimitName = (typeof LIMITS)[number];

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** One transaction takes at most 200 events. */
const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200];

type Observer = (value: number) => void;

/** The metrics of an API process. */
export class ApiMetrics {
  readonly #emits: Tally;
  readonly #limited: Tally;
  readonly #requests: Tally;
  readonly #durations: Histogram<string>;
  readonly #durationOf = new Map<string, Observer>();
  readonly #graphqlErrors: Tally;
  #streamsOpen = 0;
  readonly #streamUpdates: Counter;
  readonly #streamsEnded: Tally;
  /** Called with the number of events of each transaction. */
  readonly emitBatch: Observer;

  constructor(registry = new Registry()) {
    const meter = new Meter(registry);
    this.#emits = meter.tally(
      'hookwright_emits_total',
      'Events by the result of their emit: accepted, duplicate (of an idempotency key), refused, failed (a fault of ours).',
      ['result'],
      EMIT_FATES,
    );
    this.#limited = meter.tally(
      'hookwright_rate_limited_total',
      'Requests that were refused because a rate limit was reached, by limit.',
      ['limit'],
      LIMITS,
    );
    this.#requests = meter.tally(
      'hookwright_http_requests_total',
      'HTTP requests that were answered, by method, pattern of the route and status.',
      ['method', 'route', 'status'],
    );
    this.#durations = meter.histogram(
      'hookwright_http_request_duration_seconds',
      'From the arrival of a request to the end of its answer, by pattern of the route.',
      SECONDS,
      ['route'],
    );
    this.#graphqlErrors = meter.tally(
      'hookwright_graphql_errors_total',
      'Errors in answers of /graphql and in its streams, by code.',
      ['code'],
    );
    meter.gauge('hookwright_streams_open', 'Streams of live updates that are open.', () => this.#streamsOpen);
    this.#streamUpdates = meter.counter('hookwright_stream_updates_total', 'Updates that were sent to streams.');
    this.#streamsEnded = meter.tally(
      'hookwright_streams_ended_total',
      'Streams that have ended, by reason: client_left, too_slow, complete, age or service_ends.',
      ['reason'],
    );
    const batches = meter.histogram('hookwright_emit_batch_events', 'Events that shared a transaction.', BATCH_ITEMS);
    this.emitBatch = (events) => batches.observe(events);
  }

  emitted(fate: EmitFate, events: number): void {
    this.#emits.add(events, fate);
  }

  /** @param route the pattern, such as /api/v1/webhooks/:id; undefined for a path without a route */
  answered(method: string, route: string | undefined, status: number, seconds: number): void {
    const name = route ?? 'none';
    this.#requests.count(method, name, String(status));
    let observe = this.#durationOf.get(name);
    if (observe === undefined) {
      const child = this.#durations.labels(name);
      observe = (value) => child.observe(value);
      this.#durationOf.set(name, observe);
    }
    observe(seconds);
  }

  graphqlError(code: string): void {
    this.#graphqlErrors.count(code);
  }

  streamOpened(): void {
    this.#streamsOpen += 1;
  }

  streamUpdate(): void {
    this.#streamUpdates.inc();
  }

  streamEnded(reason: string): void {
    this.#streamsOpen -= 1;
    this.#streamsEnded.count(reason);
  }

  limited(limit: LimitName): void {
    this.#limited.count(limit);
  }
}
