import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { eventually } from '../../support/eventually.js';
import type { Accepted } from './evidence.js';

export interface LoadOptions {
  origin: string;
  apiKey: string;
  /** Begins the idempotency keys of this load. */
  name: string;
  events: number;
  ratePerSecond: number;
}

const EMITTERS = 16;
const REPEAT_MS = 100;
/** Longer than the service waits for its database. */
const ANSWER_TIMEOUT_MS = 40_000;
const WAIT_MAX_MS = 120_000;
const EMIT =
  'mutation Emit($input: EmitEventInput!) { emitEvent(input: $input) { event { databaseId } deliveryCount duplicate } }';

interface Answer {
  status: string;
  accepted?: { eventId: number; deliveryCount: number };
}

/**
 * Producers over kept-alive connections. A reply that is lost, or says that the service is unavailable, is followed by
 * the same emit with the same idempotency key, so in the end it is known exactly what was accepted.
 */
export class Load {
  readonly accepted: Accepted[] = [];
  /** How often each status was answered; `lost` where there was no answer. */
  readonly statuses: Record<string, number> = {};
  /** How long each answer took. */
  readonly answerMs: number[] = [];
  /** @throws Error when an event was refused, or not accepted within two minutes */
  readonly done: Promise<void>;
  readonly #pool: Pool;
  readonly #startedAt = performance.now();
  #next = 0;

  constructor(private readonly options: LoadOptions) {
    this.#pool = new Pool(options.origin, {
      connections: EMITTERS,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    });
    this.done = Promise.all(Array.from({ length: EMITTERS }, () => this.#emitter())).then(() => {});
    this.done.catch(() => {}); // a test that fails first does not come to await it
  }

  /** Waits until this share of its events, 0 to 1, was accepted. */
  async reaches(share: number, withinMs: number): Promise<void> {
    await eventually(() => this.accepted.length >= this.options.events * share, withinMs);
  }

  /** Acts so many times, at equal shares of the load and one at a time, and waits for the end of the load. */
  async along(times: number, act: (time: number) => unknown, withinMs: number): Promise<void> {
    for (let time = 1; time <= times; time++) {
      await this.reaches(time / (times + 1), withinMs);
      await act(time);
    }
    await this.done;
  }

  /** Begins no more emits, and waits for the answers of those in flight. */
  async end(): Promise<void> {
    this.#next = this.options.events;
    await this.done;
  }

  /** Ends the connections; emits under way are given up. */
  async close(): Promise<void> {
    this.#next = this.options.events;
    await this.#pool.destroy();
  }

  async #emitter(): Promise<void> {
    const { events, ratePerSecond } = this.options;
    while (this.#next < events) {
      const number = this.#next++;
      const due = this.#startedAt + (number * 1000) / ratePerSecond;
      await delay(Math.max(0, due - performance.now()));
      await this.#emit(`${this.options.name}-${number}`);
    }
  }

  async #emit(key: string): Promise<void> {
    const deadline = performance.now() + WAIT_MAX_MS;
    for (;;) {
      const askedAt = performance.now();
      const { status, accepted } = await this.#ask(key);
      this.answerMs.push(performance.now() - askedAt);
      this.statuses[status] = (this.statuses[status] ?? 0) + 1;
      if (accepted !== undefined) {
        this.accepted.push({ key, ...accepted });
        return;
      }
      if (this.#pool.destroyed || performance.now() > deadline) {
        throw new Error(`event ${key} was not accepted; at last: ${status}`);
      }
      await delay(REPEAT_MS);
    }
  }

  async #ask(key: string): Promise<Answer> {
    const input = {
      event: 'coupon.applied',
      payload: { code: key, discount_type: 'x' },
      idempotencyKey: key,
    };
    let statusCode: number;
    let text: string;
    try {
      const response = await this.#pool.request({
        path: '/graphql',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${this.options.apiKey}` },
        body: JSON.stringify({ query: EMIT, variables: { input } }),
      });
      statusCode = response.statusCode;
      text = await response.body.text();
    } catch {
      return { status: 'lost' };
    }
    const { data, errors } = JSON.parse(text);
    if (statusCode === 200 && errors === undefined) {
      const { event, deliveryCount } = data.emitEvent;
      return { status: '200', accepted: { eventId: event.databaseId, deliveryCount } };
    }
    const code = errors?.[0]?.extensions?.code;
    return { status: statusCode === 503 && code === 'UNAVAILABLE' ? '503' : `${statusCode} ${code}` };
  }
}
