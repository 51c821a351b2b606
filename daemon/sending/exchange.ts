import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { AttemptTiming, SendErrorCode, SendResult } from '../../src/domain/deliveries/outcome.js';
import type { ConnectionTimes, TimedHandler } from './connection-times.js';
import { codeOf, isOurFault, isTelling } from './failure-codes.js';
import { headersToKeep } from './kept-headers.js';

export interface ExchangeLimits {
  /** The limit for the whole attempt, from the hand-over to undici to the last byte that is read. */
  totalTimeoutMs: number;
  /** How much longer the connector may take to say why a request could not be sent in time; default: not longer. */
  blameMs?: number;
  /** The connection is cut once a response's body is longer. */
  responseBytesMax: number;
  /** The part of the body that is kept. */
  storedBytesMax: number;
}

/**
 * A failure whose duration would reveal something about our network is reported after a whole number of these
 * (docs/decisions/0028). A name server answers sooner.
 */
const REPORTED_EVERY_MS = 1_000;

const NO_BODY = Buffer.alloc(0);
const CUT = new Error('the rest of the response is not wanted');

type Head = Pick<SendResult & { kind: 'response' }, 'statusCode' | 'headers' | 'retryAfter'>;

/**
 * One request and its response, as undici's handler; has one result, within the total limit. A request on a reused
 * connection that ends before the answer has begun is sent once more, on a new connection: the receiver may have closed
 * the old one before the request came, which says nothing of the endpoint (docs/decisions/0030).
 */
export class Exchange implements TimedHandler {
  /** Set by the client that takes the request: it has a connection, or makes one. */
  client: TimedHandler['client'];
  readonly #startedAt = performance.now();
  #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #answerBegun = false;
  #repeated = false;
  #head: Head | undefined;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #readBytes = 0;
  #hasResult = false;
  /** The time was over before the request could be sent. */
  #isLate = false;
  /** Null: the connection was there already. Undefined: not known yet, or there is none. */
  #made: ConnectionTimes | null | undefined;
  #sentAt: number | null = null;
  /** True also when the repeat could not be sent. */
  #wasSent = false;
  #headAt: number | null = null;

  constructor(
    private readonly limits: ExchangeLimits,
    private readonly resolve: (result: SendResult) => void,
    private readonly reject: (error: Error) => void,
    /** Sends the request once more, on a connection that is made for it. */
    private readonly repeat: () => void,
  ) {
    this.#timer = setTimeout(() => this.#timeIsOver(), limits.totalTimeoutMs).unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isLate) {
      this.#cut();
    }
    this.#controller = controller;
    this.#takeTimes();
    this.#sentAt = performance.now();
    this.#wasSent ||= !this.#hasResult;
    // Time ran out while it waited for a connection; undici has no other way to take it back.
    if (this.#hasResult) {
      controller.abort(CUT);
    }
  }

  /** At the first byte, of a 1xx too. */
  onResponseStarted(): void {
    this.#answerBegun = true;
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // 1xx announce a response; any number of them may come.
    if (statusCode < 200) {
      return;
    }
    this.#headAt = performance.now();
    this.#head = { statusCode, headers: headersToKeep(headers), retryAfter: headers['retry-after'] };
    // Where such an answer ends is ambiguous: nothing after the headers is read, and the connection is not used again.
    if ('content-length' in headers && 'transfer-encoding' in headers) {
      this.#cut();
    }
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    const room = this.limits.storedBytesMax - this.#keptBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    if (this.#readBytes > this.limits.responseBytesMax) {
      this.#cut();
    }
  }

  onResponseEnd(): void {
    this.#end('PROTOCOL_ERROR', this.#readBytes > this.#keptBytes);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error & { code?: unknown }): void {
    if (this.#wasStale(error)) {
      this.#repeat();
    } else if (isOurFault(error, this.#controller !== undefined)) {
      if (this.#finish() !== null) {
        this.reject(error);
      }
    } else if (isTelling(error)) {
      this.#failLater(codeOf(error, false));
    } else {
      this.#end(codeOf(error, this.#controller !== undefined), true);
    }
  }

  /** Whether a reused connection has ended before a byte of the answer came. */
  #wasStale(error: Error): boolean {
    return (
      this.#takeTimes() === null &&
      !this.#answerBegun &&
      !this.#repeated &&
      !this.#hasResult &&
      codeOf(error, true) === 'CONNECTION_RESET'
    );
  }

  #repeat(): void {
    this.#repeated = true;
    this.client = undefined;
    this.#controller = undefined;
    this.#made = undefined;
    this.#sentAt = null;
    this.repeat();
  }

  #takeTimes(): ConnectionTimes | null | undefined {
    if (this.#made === undefined) {
      this.#made = this.client?.takeTimes();
    }
    return this.#made;
  }

  /** A short time may be over before it is known whose fault it is that nothing could be sent: perhaps our own. */
  #timeIsOver(): void {
    const { blameMs = 0 } = this.limits;
    if (this.#controller !== undefined || blameMs === 0) {
      this.#cut();
    } else {
      this.#isLate = true;
      this.#timer = setTimeout(() => this.#cut(), blameMs).unref();
    }
  }

  /** Ends the exchange now, with the part of the answer that has come. */
  #cut(): void {
    this.#end('TIMEOUT', true);
    this.#controller?.abort(CUT);
  }

  /** @param code why there is no answer, if there is none */
  #end(code: SendErrorCode, bodyTruncated: boolean): void {
    const durationMs = this.#finish();
    if (durationMs === null) {
      return;
    }
    if (this.#head === undefined) {
      const timing = code === 'TARGET_REFUSED' ? undefined : this.#timing();
      this.resolve({ kind: 'error', code, durationMs, sent: this.#wasSent, timing });
    } else {
      const body = this.#kept.length > 0 ? Buffer.concat(this.#kept) : NO_BODY;
      const timing = this.#timing();
      this.resolve({ kind: 'response', ...this.#head, body, bodyTruncated, durationMs, timing });
    }
  }

  /** Leaves out the timing, which would show how far the attempt got. */
  #failLater(code: SendErrorCode): void {
    if (this.#hasResult) {
      return;
    }
    const tookMs = performance.now() - this.#startedAt;
    const reportedAtMs = Math.ceil(tookMs / REPORTED_EVERY_MS) * REPORTED_EVERY_MS;
    const durationMs = Math.min(reportedAtMs, this.limits.totalTimeoutMs);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#finish();
        this.resolve({ kind: 'error', code, durationMs, sent: this.#wasSent });
      },
      Math.max(0, durationMs - tookMs),
    );
  }

  /** @returns undefined when not even the name was resolved */
  #timing(): AttemptTiming | undefined {
    const made = this.#takeTimes();
    if (!made?.resolvedAt && !made?.connectedAt && this.#headAt === null) {
      return undefined;
    }
    return {
      dnsMs: msBetween(made?.startedAt, made?.resolvedAt),
      connectMs: msBetween(made?.resolvedAt ?? made?.startedAt, made?.connectedAt),
      tlsMs: msBetween(made?.connectedAt, made?.securedAt),
      firstByteMs: msBetween(this.#sentAt, this.#headAt),
    };
  }

  /** @returns how long it took, in ms; null: there is a result already */
  #finish(): number | null {
    if (this.#hasResult) {
      return null;
    }
    this.#hasResult = true;
    clearTimeout(this.#timer);
    const tookMs = Math.round(performance.now() - this.#startedAt);
    return this.#isLate ? this.limits.totalTimeoutMs : tookMs;
  }
}

type Moment = number | null | undefined;

const msBetween = (from: Moment, to: Moment): number | null =>
  typeof from === 'number' && typeof to === 'number' ? Math.round(to - from) : null;
