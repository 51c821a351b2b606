import { setTimeout as delay } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { serveMethods } from './child.js';
import type { WrittenEvent } from './client.js';
import { Histogram, type HistogramData } from './histogram.js';
import { nowMicroseconds } from './payload.js';
import { BareTarget, EmitTarget, type Target } from './targets.js';

/**
 * The load generator: a process that emits events, or posts to the receiver directly, as fast as answers come
 * (closed loop) or at a fixed rate whatever the answers do (open loop).
 */

export interface Load {
  /** `emit`: one event a request. A number: `emitEvents` of this many. `bare`: POSTs like those of the service. */
  what: 'emit' | 'bare' | number;
  /** Where: the origin of the service, or the url at the receiver. */
  url: string;
  apiKey?: string;
  /** For which tenants in turn, where the key is a platform key. */
  tenantIds?: readonly number[];
  /** Ends when the time is over, or after this many requests, whichever comes first. */
  seconds: number;
  requestsMax?: number;
  /** Events have this many ordering keys in turn; default: none. */
  keys?: number;
  /** Events are of this many kinds in turn, for each tenant (`payloadAt`); default: of none. */
  kinds?: number;
  /** What is emitted instead of the bench's event. */
  event?: WrittenEvent;
  /** Requests in flight at once, in the closed loop. */
  concurrency?: number;
  /** Requests a second: makes it an open loop. */
  ratePerSecond?: number;
  /** Its requests are some milliseconds late, and so leave the process to others beside it. */
  isCoarse?: boolean;
}

export interface LoadReport {
  /** Requests that were answered well, and the events in them. */
  requests: number;
  events: number;
  /** Deliveries that the service says they have. */
  deliveries: number;
  failures: number;
  /** Describes the first failure. */
  failure: string | null;
  /** Microseconds since 1970. */
  startedAt: number;
  endedAt: number;
  /** From the intended sending of a request to the end of its answer. */
  answer: HistogramData;
  /** How late the generator itself was at worst, in microseconds. */
  lateMax: number;
}

const OPEN_LOOP_CONNECTIONS = 64;
const ANSWER_TIMEOUT_MS = 30_000;
/** Below this a timer is too coarse; see `untilDue`. */
const SPIN_MS = 2;

class Run {
  readonly #answer = new Histogram();
  readonly #target: Target;
  readonly #pool: Dispatcher;
  #events = 0;
  #deliveries = 0;
  #failures = 0;
  #failure: string | null = null;
  #lateMax = 0;
  #stopped = false;

  constructor(private readonly load: Load) {
    this.#target =
      load.what === 'bare'
        ? new BareTarget(load.url)
        : new EmitTarget(
            load.url,
            (load.tenantIds ?? [undefined]).map((tenantId) => ({
              apiKey: load.apiKey ?? '',
              ...(tenantId === undefined ? {} : { tenantId }),
            })),
            load.what === 'emit' ? null : load.what,
            load,
          );
    this.#pool = new Pool(new URL(load.url).origin, {
      connections: load.concurrency ?? OPEN_LOOP_CONNECTIONS,
      headersTimeout: ANSWER_TIMEOUT_MS,
      bodyTimeout: ANSWER_TIMEOUT_MS,
    });
  }

  /** Sends no more; what is under way is waited for. */
  stop(): void {
    this.#stopped = true;
  }

  async report(): Promise<LoadReport> {
    const startedAt = nowMicroseconds();
    await (this.load.ratePerSecond === undefined ? this.#closedLoop() : this.#openLoop(this.load.ratePerSecond));
    const endedAt = nowMicroseconds();
    await this.#pool.close();
    return {
      requests: this.#answer.count,
      events: this.#events,
      deliveries: this.#deliveries,
      failures: this.#failures,
      failure: this.#failure,
      startedAt,
      endedAt,
      answer: this.#answer.data(),
      lateMax: this.#lateMax,
    };
  }

  async #closedLoop(): Promise<void> {
    const { concurrency = 1, requestsMax = Number.POSITIVE_INFINITY, seconds } = this.load;
    const end = performance.now() + seconds * 1000;
    let sent = 0;
    const emitter = async () => {
      while (!this.#stopped && sent < requestsMax && performance.now() < end && this.#failures < concurrency) {
        sent += 1;
        await this.#send(nowMicroseconds());
      }
    };
    await Promise.all(Array.from({ length: concurrency }, emitter));
  }

  /**
   * Each request has its time, and latencies count from it: when the service (or this process) falls behind, the
   * wait shows, instead of being left out together with the requests that were not sent.
   */
  async #openLoop(ratePerSecond: number): Promise<void> {
    const { requestsMax = Number.POSITIVE_INFINITY, seconds } = this.load;
    const requests = Math.min(requestsMax, Math.round(seconds * ratePerSecond));
    const start = performance.now() + 10;
    const inFlight: Promise<void>[] = [];
    for (let i = 0; i < requests && !this.#stopped; i++) {
      const due = start + (i * 1000) / ratePerSecond;
      await (this.load.isCoarse ? delay(Math.max(0, due - performance.now())) : untilDue(due));
      this.#lateMax = Math.max(this.#lateMax, Math.round((performance.now() - due) * 1000));
      inFlight.push(this.#send((performance.timeOrigin + due) * 1000));
    }
    await Promise.all(inFlight);
  }

  async #send(intendedAt: number): Promise<void> {
    try {
      const { statusCode, body } = await this.#pool.request(this.#target.request(intendedAt));
      const text = await body.text();
      const deliveries = this.#target.deliveriesIn(statusCode, text);
      if (deliveries === null) {
        throw new Error(`${statusCode} ${text.slice(0, 500)}`);
      }
      this.#answer.record(nowMicroseconds() - intendedAt);
      this.#events += this.#target.eventsPerRequest;
      this.#deliveries += deliveries;
    } catch (error) {
      this.#failures += 1;
      this.#failure ??= error instanceof Error ? error.message : String(error);
    }
  }
}

/**
 * A timer is up to a millisecond late, which is much of the latency that is measured. So the last bit is slept
 * precisely, at the price of being deaf meanwhile, and then the loop has a turn to read answers.
 */
async function untilDue(due: number): Promise<void> {
  const waitMs = due - performance.now();
  if (waitMs > SPIN_MS) {
    await delay(Math.floor(waitMs - SPIN_MS / 2));
  } else {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const restMs = due - performance.now();
  if (restMs > 0) {
    Atomics.wait(bell, 0, 0, restMs);
  }
}
const bell = new Int32Array(new SharedArrayBuffer(4));

let current: Run[] = [];

const methods = {
  async run(load: Load): Promise<LoadReport> {
    current = [new Run(load)];
    return current[0]!.report();
  },
  /** Several at the same time. */
  runAll(loads: readonly Load[]): Promise<LoadReport[]> {
    current = loads.map((load) => new Run(load));
    return Promise.all(current.map((run) => run.report()));
  },
  /** Ends the runs under way before their time. */
  stop(_: null): void {
    for (const run of current) {
      run.stop();
    }
  },
};
export type LoadMethods = typeof methods;

serveMethods(methods);
