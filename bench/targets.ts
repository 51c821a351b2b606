import type { Dispatcher } from 'undici';
import { type Api, headersOf, type WrittenEvent } from './client.js';
import { EVENT_TYPE, payloadAt } from './payload.js';

/** The form of a load's requests, and the meaning of their answers. */
export interface Target {
  eventsPerRequest: number;
  /** @param intendedAt microseconds since 1970 */
  request(intendedAt: number): Dispatcher.RequestOptions;
  /** @returns how many deliveries the answer promises; null when it is not a good one */
  deliveriesIn(statusCode: number, text: string): number | null;
}

const EMIT = 'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { event { id } deliveryCount } }';
const EMIT_MANY =
  'mutation EmitMany($input: EmitEventsInput!) ' +
  '{ emitEvents(input: $input) { results { event { id } deliveryCount error { code detail } } } }';

/** The mutation `emitEvent`, or `emitEvents` of `batch` events. The document's text is always the same. */
export class EmitTarget implements Target {
  readonly eventsPerRequest: number;
  readonly #headers: readonly Record<string, string>[];
  #sent = 0;

  constructor(
    private readonly origin: string,
    callers: readonly Omit<Api, 'origin'>[],
    private readonly batch: number | null,
    private readonly events: { keys?: number; kinds?: number; event?: WrittenEvent } = {},
  ) {
    this.eventsPerRequest = batch ?? 1;
    this.#headers = callers.map(headersOf);
  }

  request(intendedAt: number): Dispatcher.RequestOptions {
    const { keys, kinds } = this.events;
    const sent = this.#sent++;
    const callers = this.#headers.length;
    const kind = kinds === undefined ? undefined : Math.floor(sent / callers) % kinds;
    const { event = { event: EVENT_TYPE, payload: payloadAt(intendedAt, kind) } } = this.events;
    const orderingKey = keys === undefined ? {} : { orderingKey: `key-${sent % keys}` };
    const item = { ...event, ...orderingKey };
    const body =
      this.batch === null
        ? { query: EMIT, variables: { input: item } }
        : { query: EMIT_MANY, variables: { input: { events: new Array(this.batch).fill(item) } } };
    return {
      origin: this.origin,
      path: '/graphql',
      method: 'POST',
      headers: this.#headers[sent % callers]!,
      body: JSON.stringify(body),
    };
  }

  deliveriesIn(statusCode: number, text: string): number | null {
    const counts = [...text.matchAll(/"deliveryCount":(\d+)/g)].map(([, count]) => Number(count));
    const isGood = statusCode === 200 && counts.length === this.eventsPerRequest && !text.includes('"code":');
    return isGood ? counts.reduce((sum, count) => sum + count, 0) : null;
  }
}

/** A POST such as the service makes, with the same headers, but nothing behind it: what the machine can do. */
export class BareTarget implements Target {
  readonly eventsPerRequest = 1;
  readonly #url: URL;
  #sent = 0;

  constructor(url: string) {
    this.#url = new URL(url);
  }

  request(intendedAt: number): Dispatcher.RequestOptions {
    const timestamp = Math.round(intendedAt / 1_000_000).toString();
    this.#sent += 1;
    return {
      origin: this.#url.origin,
      path: this.#url.pathname,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Hookwright-bench',
        'accept-encoding': 'identity',
        'X-Service-Event': EVENT_TYPE,
        'X-Service-Delivery': `${this.#sent}`,
        'X-Service-Timestamp': timestamp,
        'X-Service-Signature': `sha256=${'0'.repeat(64)}`,
        'webhook-id': `${this.#sent}`,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${'0'.repeat(43)}=`,
      },
      body: JSON.stringify(payloadAt(intendedAt)),
    };
  }

  deliveriesIn(statusCode: number): number | null {
    return statusCode === 200 ? 1 : null;
  }
}
