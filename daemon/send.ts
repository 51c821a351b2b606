import type { IncomingHttpHeaders } from 'node:http';
import { Agent, type Dispatcher } from 'undici';
import type { DeliveryRequest } from '../src/domain/delivery-request.js';
import type { AttemptTiming, SendErrorCode, SendResult } from '../src/domain/outcome.js';
import type { TargetPolicy } from '../src/domain/target.js';
import {
  type ConnectionInUse,
  type ConnectionTimes,
  type TimedHandler,
  timedPools,
} from './connection-times.js';
import { codeOf, isOurFault } from './failure-codes.js';
import { createGuardedConnector } from './guarded-connector.js';
import { HEADER_BYTES_MAX, headersToKeep } from './kept-headers.js';
import { findUrl } from './known-urls.js';
import { createNameResolver, type NameResolver } from './name-resolver.js';

export interface SenderOptions {
  policy: TargetPolicy;
  /** For name, TCP and TLS together; undici's timer is exact to half a second. */
  connectTimeoutMs: number;
  /** For the whole attempt, from the hand-over to undici to the last byte that is read. */
  totalTimeoutMs: number;
  /** Of a response's body, how much is read before the connection is cut. */
  responseBytesMax: number;
  /** Of what is read, how much is kept. */
  storedBytesMax: number;
  connectionsPerOriginMax: number;
  /** How names are resolved; default: `createNameResolver()`. */
  lookup?: NameResolver;
  /** An HTTP proxy's url: every request leaves through a tunnel of it, and it resolves the names. */
  egressProxy?: string | undefined;
}

export interface Sender {
  /**
   * Makes one attempt: POSTs the request and waits for the answer. Whatever the receiver does is in the result.
   *
   * @throws EgressProxyAway, NamesGone, or what Node says when the machine has no more sockets: nothing was sent
   * @throws Error only for faults of our own: the sender is closed, a header of ours is illegal
   */
  send(url: string, request: DeliveryRequest): Promise<SendResult>;
  /** Waits for the requests that are under way, then closes all connections; may be called again. */
  close(): Promise<void>;
}

/** The most that a receiver's `Keep-Alive` can make of an idle connection; without it, 4 s. */
const IDLE_CONNECTION_MS_MAX = 30_000;

/** A name is asked for up to three times: were the whole attempt over before that, its receiver would be blamed. */
const NAME_MS_MAX = 2_000;

const NO_BODY = Buffer.alloc(0);
const CUT = new Error('the rest of the response is not wanted');

/**
 * An agent of its own: neither the global dispatcher nor a proxy of the environment has a say, redirects are not
 * followed, nothing is unpacked and nothing is repeated. A proxy is used when the operator has set one, for everything.
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, connectTimeoutMs, egressProxy, totalTimeoutMs } = options;
  const { lookup = createNameResolver({ timeoutMs: Math.min(NAME_MS_MAX, totalTimeoutMs / 4) }) } = options;
  const proxy =
    egressProxy === undefined
      ? undefined
      : {
          proxyUrl: egressProxy,
          // Were the whole attempt over before that, its receiver would be blamed.
          reachTimeoutMs: Math.min(connectTimeoutMs, totalTimeoutMs / 2),
        };
  const agent = new Agent({
    factory: timedPools(createGuardedConnector({ policy, connectTimeoutMs, lookup, proxy })),
    connections: options.connectionsPerOriginMax,
    pipelining: 1,
    // Said here too: while HTTP/2 is possible the pool opens one connection at a time, to see what it speaks.
    allowH2: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    // Both start again with every 1xx or body byte, so a receiver can hold them off; the total limit does the work.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS_MAX,
  });
  const open = new OpenExchanges();
  const close = async () => {
    // Takes no more from now on. It is not waited for: it would wait for connections nobody needs any longer.
    void agent.close().catch(() => {});
    await open.ended();
    await agent.destroy();
  };
  let closed: Promise<void> | undefined;
  return {
    send: (text, { headers, body }) => {
      const url = findUrl(text);
      if (url === null) {
        return Promise.resolve({ kind: 'error', code: 'TARGET_REFUSED', durationMs: 0 });
      }
      return new Promise((resolve, reject) => {
        const exchange = new Exchange(options, open, resolve, reject);
        agent.dispatch({ ...url, method: 'POST', headers, body }, exchange);
      });
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

/** How many exchanges have begun and not ended. */
class OpenExchanges {
  #count = 0;
  #none: PromiseWithResolvers<void> | undefined;

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
    if (this.#count === 0) this.#none?.resolve();
  }

  /** Resolves when none is under way, if no more begin. */
  async ended(): Promise<void> {
    if (this.#count > 0) {
      this.#none ??= Promise.withResolvers();
      await this.#none.promise;
    }
  }
}

/** One request and its response, as undici tells of them; settles once, within the total limit. */
class Exchange implements TimedHandler {
  /** Set by the client that takes the request, so not before it has a connection, or makes one. */
  connection: ConnectionInUse | undefined;
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #head: { statusCode: number; headers: Record<string, string | string[]> } | undefined;
  readonly #kept: Buffer[] = [];
  #keptBytes = 0;
  #readBytes = 0;
  #settled = false;
  #connecting: ConnectionTimes | null = null;
  #sentAt: number | null = null;
  #headAt: number | null = null;

  constructor(
    private readonly limits: SenderOptions,
    private readonly open: OpenExchanges,
    private readonly resolve: (result: SendResult) => void,
    private readonly reject: (error: Error) => void,
  ) {
    open.begin();
    this.#timer = setTimeout(() => this.#cut(), limits.totalTimeoutMs).unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#connecting = this.connection?.takeTimes() ?? null;
    this.#sentAt = performance.now();
    // Time ran out while it waited for a connection; undici has no other way to take it back.
    if (this.#settled) controller.abort(CUT);
  }

  onResponseStart(_: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    // 1xx announce a response; any number of them may come.
    if (statusCode < 200) return;
    this.#headAt = performance.now();
    this.#head = { statusCode, headers: headersToKeep(headers) };
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#readBytes += chunk.length;
    const room = this.limits.storedBytesMax - this.#keptBytes;
    if (room > 0) {
      const part = chunk.subarray(0, room);
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    if (this.#readBytes > this.limits.responseBytesMax) this.#cut();
  }

  onResponseEnd(): void {
    this.#answer(this.#readBytes > this.#keptBytes);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error & { code?: unknown }): void {
    if (isOurFault(error, this.#controller !== undefined)) {
      if (this.#settle() !== null) this.reject(error);
    } else if (this.#head === undefined) {
      this.#fail(codeOf(error, this.#controller !== undefined));
    } else {
      this.#answer(true);
    }
  }

  /** Ends it here and now, with what has come so far. */
  #cut(): void {
    if (this.#head === undefined) this.#fail('TIMEOUT');
    else this.#answer(true);
    this.#controller?.abort(CUT);
  }

  #answer(bodyTruncated: boolean): void {
    const { statusCode, headers } = this.#head ?? { statusCode: 0, headers: {} };
    const durationMs = this.#settle();
    if (durationMs === null) return;
    const body = this.#kept.length > 0 ? Buffer.concat(this.#kept) : NO_BODY;
    const timing = this.#timing();
    this.resolve({ kind: 'response', statusCode, headers, body, bodyTruncated, durationMs, timing });
  }

  #fail(code: SendErrorCode): void {
    const durationMs = this.#settle();
    if (durationMs === null) return;
    // How far it came would tell a stranger which names and addresses exist in our network.
    const timing = code === 'DNS_FAILED' || code === 'TARGET_REFUSED' ? undefined : this.#timing();
    this.resolve({ kind: 'error', code, durationMs, timing });
  }

  /** Undefined: nothing came to its end. */
  #timing(): AttemptTiming | undefined {
    // Never started: its connection was still being made, or could not be.
    const made = this.#sentAt === null ? this.connection?.takeTimes() : this.#connecting;
    if (!made?.resolvedAt && !made?.connectedAt && this.#headAt === null) return undefined;
    return {
      dnsMs: msBetween(made?.startedAt, made?.resolvedAt),
      connectMs: msBetween(made?.resolvedAt ?? made?.startedAt, made?.connectedAt),
      tlsMs: msBetween(made?.connectedAt, made?.securedAt),
      firstByteMs: msBetween(this.#sentAt, this.#headAt),
    };
  }

  /** @returns how long it took, in ms; null: it was settled before */
  #settle(): number | null {
    if (this.#settled) return null;
    this.#settled = true;
    clearTimeout(this.#timer);
    this.open.end();
    return Math.round(performance.now() - this.#startedAt);
  }
}

type Moment = number | null | undefined;

const msBetween = (from: Moment, to: Moment): number | null =>
  typeof from === 'number' && typeof to === 'number' ? Math.round(to - from) : null;
