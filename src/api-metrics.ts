import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Tally } from './tally.js';

/** What became of events that somebody wanted to emit. */
export type EmitFate = 'accepted' | 'duplicate' | 'refused' | 'failed';
export type LimitName = 'management' | 'emit' | 'anonymous' | 'key_failures' | 'streams';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** What one transaction takes. */
export const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200];

type Observer = (value: number) => void;

/**
 * What an API process tells Prometheus. Nothing is labelled by tenant, webhook, key or event type: those are without
 * number. What every emit counts is a plain number until somebody asks.
 */
export class ApiMetrics {
  readonly emits: Record<EmitFate, number> = { accepted: 0, duplicate: 0, refused: 0, failed: 0 };
  readonly #limited: Record<LimitName, number> = {
    management: 0,
    emit: 0,
    anonymous: 0,
    key_failures: 0,
    streams: 0,
  };
  readonly #requests: Tally<'method' | 'route' | 'status'>;
  readonly #durations: Histogram<'route'>;
  readonly #durationOf = new Map<string, Observer>();
  readonly #graphqlErrors: Counter<'code'>;
  readonly #streamsOpen: Gauge;
  readonly #streamUpdates: Counter;
  readonly #streamsEnded: Counter<'reason'>;
  /** To be told how many events each transaction took. */
  readonly emitBatch: Observer;

  constructor(registry = new Registry()) {
    const registers = [registry];
    const { emits } = this;
    const limited = this.#limited;
    new Counter({
      name: 'hookwright_emits_total',
      help: 'Events that somebody wanted to emit: accepted, duplicate (of an idempotency key), refused, or failed for a fault of ours.',
      labelNames: ['result'],
      registers,
      collect() {
        tellAll(this, 'result', emits);
      },
    });
    new Counter({
      name: 'hookwright_rate_limited_total',
      help: 'Requests that were refused because a rate limit was reached, by limit.',
      labelNames: ['limit'],
      registers,
      collect() {
        tellAll(this, 'limit', limited);
      },
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
    this.#graphqlErrors = new Counter({
      name: 'hookwright_graphql_errors_total',
      help: 'Errors in answers of /graphql, by code.',
      labelNames: ['code'] as const,
      registers,
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
    this.#streamsEnded = new Counter({
      name: 'hookwright_streams_ended_total',
      help: 'Streams that have ended, by reason: client_left, too_slow, complete, age or service_ends.',
      labelNames: ['reason'] as const,
      registers,
    });
    const batches = new Histogram({
      name: 'hookwright_emit_batch_events',
      help: 'Events that shared a transaction.',
      buckets: BATCH_ITEMS,
      registers,
    });
    this.emitBatch = (events) => batches.observe(events);
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
    this.#graphqlErrors.inc({ code });
  }

  streamOpened(): void {
    this.#streamsOpen.inc();
  }

  streamUpdate(): void {
    this.#streamUpdates.inc();
  }

  streamEnded(reason: string): void {
    this.#streamsOpen.dec();
    this.#streamsEnded.inc({ reason });
  }

  limited(limit: LimitName): void {
    this.#limited[limit] += 1;
  }
}

/** Replaces what the counter says by these numbers. */
export function tellAll<Label extends string>(
  counter: Pick<Counter<Label>, 'reset' | 'inc'>,
  label: Label,
  counts: Readonly<Record<string, number>>,
): void {
  counter.reset();
  for (const [value, count] of Object.entries(counts)) {
    counter.inc({ [label]: value } as Record<Label, string>, count);
  }
}
