import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Tally } from './tally.js';

const EMIT_FATES = ['accepted', 'duplicate', 'refused', 'failed'] as const;
/** What became of an event that somebody wanted to emit. */
type EmitFate = (typeof EMIT_FATES)[number];

const LIMITS = ['management', 'emit', 'anonymous', 'key_failures', 'streams'] as const;
export type LimitName = (typeof LIMITS)[number];

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** What one transaction takes. */
const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200];

type Observer = (value: number) => void;

/**
 * What an API process tells Prometheus. Nothing is labelled by tenant, webhook, key or event type: those are without
 * number.
 */
export class ApiMetrics {
  readonly #emits: Tally<'result'>;
  readonly #limited: Tally<'limit'>;
  readonly #requests: Tally<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'route'>;
  readonly #durationOf = new Map<string, Observer>();
  readonly #graphqlErrors: Tally<'code'>;
  readonly #streamsOpen: Gauge;
  readonly #streamUpdates: Counter;
  readonly #streamsEnded: Tally<'reason'>;
  /** To be called with the number of events of each transaction. */
  readonly emitBatch: Observer;

  constructor(registry = new Registry()) {
    const registers = [registry];
    this.#emits = new Tally({
      name: 'hookwright_emits_total',
      help: 'Events that somebody wanted to emit: accepted, duplicate (of an idempotency key), refused, or failed for a fault of ours.',
      labels: ['result'],
      known: EMIT_FATES,
      registry,
    });
    this.#limited = new Tally({
      name: 'hookwright_rate_limited_total',
      help: 'Requests that were refused because a rate limit was reached, by limit.',
      labels: ['limit'],
      known: LIMITS,
      registry,
    });
    this.#requests = new Tally({
      name: 'hookwright_http_requests_total',
      help: 'HTTP requests that were answered, by method, pattern of the route and status.',
      labels: ['method', 'route', 'status'],
      registry,
    });
    this.#durations = new Histogram({
      name: 'hookwright_http_request_duration_seconds',
      help: 'From the arrival of a request to the end of its answer, by pattern of the route.',
      labelNames: ['route'] as const,
      buckets: SECONDS,
      registers,
    });
    this.#graphqlErrors = new Tally({
      name: 'hookwright_graphql_errors_total',
      help: 'Errors in answers of /graphql and in its streams, by code.',
      labels: ['code'],
      registry,
    });
    this.#streamsOpen = new Gauge({
      name: 'hookwright_streams_open',
      help: 'Streams of live updates that are open.',
      registers,
    });
    this.#streamUpdates = new Counter({
      name: 'hookwright_stream_updates_total',
      help: 'Updates that were told to streams.',
      registers,
    });
    this.#streamsEnded = new Tally({
      name: 'hookwright_streams_ended_total',
      help: 'Streams that have ended, by reason: client_left, too_slow, complete, age or service_ends.',
      labels: ['reason'],
      registry,
    });
    const batches = new Histogram({
      name: 'hookwright_emit_batch_events',
      help: 'Events that shared a transaction.',
      buckets: BATCH_ITEMS,
      registers,
    });
    this.emitBatch = (events) => batches.observe(events);
  }

  emitted(fate: EmitFate, events: number): void {
    this.#emits.add(events, fate);
  }

  /** @param route the pattern, such as /api/v1/webhooks/:id; what no route serves: none */
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
    this.#streamsOpen.inc();
  }

  streamUpdate(): void {
    this.#streamUpdates.inc();
  }

  streamEnded(reason: string): void {
    this.#streamsOpen.dec();
    this.#streamsEnded.count(reason);
  }

  limited(limit: LimitName): void {
    this.#limited.count(limit);
  }
}
