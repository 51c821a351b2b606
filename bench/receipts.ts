import { createHmac } from 'node:crypto';
import { Histogram, type HistogramData } from './histogram.js';
import { type HttpRequest, headerOf } from './http-request.js';
import type { Journal, Visit } from './journal.js';
import { emittedAt } from './payload.js';

/** Checking a signature costs as much as all else about a request, so only some are. */
const SIGNATURE_CHECKED_EVERY = 64;
const DELIVERY_HEADER = 'x-service-delivery';

/** The receiver's counts for one group of paths. */
export interface ReceiptReport {
  /** Requests with different `X-Service-Delivery`. */
  deliveries: number;
  /** Requests whose `X-Service-Delivery` had come before. */
  duplicates: number;
  signaturesChecked: number;
  signaturesWrong: number;
  /** Microseconds since 1970; 0 when nothing came. */
  lastAt: number;
  /** From the intended emit to the request's arrival. */
  latency: HistogramData;
  /** Requests that were waiting for their answer at once, at most; only where answers come late or never. */
  inFlightMax: number;
}

/** A request that waits for its answer. */
export interface Noted {
  /** It has its answer. @param at microseconds since 1970 */
  answered(status: 200 | 429 | 500, at: number): void;
  /** It waits no more, since its connection was closed. */
  leave(): void;
}

/** Counts the requests to the paths that begin with one group's name: `/<group>/<anything>`. */
export class Receipts {
  readonly #seen = new Set<string>();
  readonly #latency = new Histogram();
  #requests = 0;
  #checked = 0;
  #wrong = 0;
  #lastAt = 0;
  #inFlight = 0;
  #inFlightMax = 0;
  #goals: { deliveries: number; reached: (atMicroseconds: number) => void }[] = [];

  /** Every request that was noted. */
  readonly journal: Journal = [];

  /** Writes a request into the journal, which waits for its answer. @param at microseconds since 1970 */
  note({ head, body }: HttpRequest, at: number): Noted {
    const visit: Visit = {
      deliveryId: headerOf(head, DELIVERY_HEADER) ?? '',
      emittedAt: emittedAt(body) ?? 0,
      at,
      status: null,
      answeredAt: null,
    };
    this.journal.push(visit);
    this.#inFlight += 1;
    this.#inFlightMax = Math.max(this.#inFlightMax, this.#inFlight);
    const leave = () => {
      this.#inFlight -= 1;
    };
    const answered = (status: 200 | 429 | 500, answeredAt: number) => {
      leave();
      Object.assign(visit, { status, answeredAt });
    };
    return { answered, leave };
  }

  get deliveries(): number {
    return this.#seen.size;
  }

  /**
   * @param secret the webhook's secret, when signatures are to be checked
   * @param at microseconds since 1970
   */
  record(request: HttpRequest, secret: string | undefined, at: number): void {
    this.#requests += 1;
    this.#lastAt = at;
    const before = this.#seen.size;
    this.#seen.add(headerOf(request.head, DELIVERY_HEADER) ?? '');
    if (this.#seen.size === before) {
      return; // a duplicate says nothing about how fast the first one was
    }
    const emitted = emittedAt(request.body);
    if (emitted !== null) {
      this.#latency.record(at - emitted);
    }
    if (secret !== undefined && this.#requests % SIGNATURE_CHECKED_EVERY === 1) {
      this.#checkSignature(request, secret);
    }
    if (this.#goals.length > 0) {
      this.#celebrate(at);
    }
  }

  #checkSignature({ head, body }: HttpRequest, secret: string): void {
    const expected = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    this.#checked += 1;
    if (headerOf(head, 'x-service-signature') !== expected) {
      this.#wrong += 1;
    }
  }

  #celebrate(at: number): void {
    for (const goal of this.#goals.filter(({ deliveries }) => deliveries <= this.#seen.size)) {
      goal.reached(at);
    }
    this.#goals = this.#goals.filter(({ deliveries }) => deliveries > this.#seen.size);
  }

  /** Resolves with the time (microseconds since 1970) at which this many deliveries had arrived. */
  reach(deliveries: number): Promise<number> {
    if (this.#seen.size >= deliveries) {
      return Promise.resolve(this.#lastAt);
    }
    return new Promise((reached) => this.#goals.push({ deliveries, reached }));
  }

  report(): ReceiptReport {
    return {
      deliveries: this.#seen.size,
      duplicates: this.#requests - this.#seen.size,
      signaturesChecked: this.#checked,
      signaturesWrong: this.#wrong,
      lastAt: this.#lastAt,
      latency: this.#latency.data(),
      inFlightMax: this.#inFlightMax,
    };
  }
}
