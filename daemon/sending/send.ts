import type { SecureContext } from 'node:tls';
import type { TargetPolicy } from '../../src/domain/addresses/target.js';
import { DEFAULT_METHOD } from '../../src/domain/deliveries/delivery-method.js';
import type { DeliveryRequest } from '../../src/domain/deliveries/delivery-request.js';
import type { SendResult } from '../../src/domain/deliveries/outcome.js';
import { originFor, timedPools } from './connection-times.js';
import { Exchange, type ExchangeLimits } from './exchange.js';
import { leadingElsewhere, oldTunnels } from './following-pool.js';
import { createGuardedConnector, judgedNames } from './guarded-connector.js';
import { HEADER_BYTES_MAX } from './kept-headers.js';
import { findUrl } from './known-urls.js';
import { createNameResolver, type NameResolver } from './name-resolver.js';
import type { TlsIdentity } from './tls-identity.js';
import { Agent } from './undici.js';

export interface SenderOptions extends ExchangeLimits {
  policy: TargetPolicy;
  /** The limit for name, TCP and TLS together; undici's timer is exact to half a second. */
  connectTimeoutMs: number;
  connectionsPerOriginMax: number;
  /** How names are resolved; default: `createNameResolver()`. */
  lookup?: NameResolver;
  /** An HTTP proxy's url: every request leaves through a tunnel of it, and it resolves the names. */
  egressProxy?: string | undefined;
}

export interface Sender {
  /**
   * Makes one attempt: sends the request and waits for the answer. The receiver's faults are in the result.
   *
   * @param tenantId each tenant has connections of its own
   * @param timeoutMs the webhook's own limit for the whole attempt; default: `totalTimeoutMs`
   * @param tls the webhook's own; null: the usual one
   * @param leftMs the rest of `timeoutMs`, for a request that is not the first of its attempt
   * @throws EgressProxyAway, NamesGone, or what Node says when the machine has no more sockets: nothing was sent
   * @throws Error only for faults of our own: the sender is closed, a header of ours is illegal
   */
  send(
    url: string,
    request: DeliveryRequest,
    tenantId?: number,
    timeoutMs?: number,
    tls?: TlsIdentity | null,
    leftMs?: number,
  ): Promise<SendResult>;
  /**
   * Asks a server that a tenant names something of our own, within 5 s. Up to 64 KiB of the answer are kept.
   *
   * @throws as `send`
   */
  ask(url: string, request: DeliveryRequest, tenantId: number): Promise<SendResult>;
  /** Waits for the requests that are under way, then closes all connections; may be called again. */
  close(): Promise<void>;
}

const ASK_MS_MAX = 5_000;
const ASKED_BYTES_MAX = 65_536;

/** The longest idle connection that a receiver's `Keep-Alive: timeout` can have; without it, 4 s. */
const IDLE_CONNECTION_MS_MAX = 30_000;
/** A connection is given up this much before that timeout: the next request is on its way for some time. */
const IDLE_CONNECTION_MARGIN_MS = 1_000;

/** A name is asked for up to three times: were the whole attempt over before that, its receiver would be blamed. */
const NAME_MS_MAX = 2_000;
/** From the limit for connecting on, the connector may take this long to say whose fault it was: it asks for names. */
const BLAME_MS = 3_000;

const AGENT_OPTIONS = {
  // Said here too: while HTTP/2 is possible the pool opens one connection at a time, to see what it speaks.
  allowH2: false,
  maxHeaderSize: HEADER_BYTES_MAX,
  // Both start again with every 1xx or body byte, so a receiver can delay them; the total limit does the work.
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveMaxTimeout: IDLE_CONNECTION_MS_MAX,
  keepAliveTimeoutThreshold: IDLE_CONNECTION_MARGIN_MS,
};

/**
 * It has agents of its own: neither the global dispatcher nor a proxy of the environment has a say, redirects are not
 * followed, nothing is unpacked, and only `Exchange` repeats a request. A proxy that the operator has set is used for
 * everything.
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, egressProxy, totalTimeoutMs } = options;
  // A receiver or proxy that cannot be reached is found out before the whole attempt is over: it decides whom to blame.
  const connectMsOf = (timeoutMs: number) => Math.min(options.connectTimeoutMs, timeoutMs / 2);
  const usualConnectMs = connectMsOf(totalTimeoutMs);
  const { lookup = createNameResolver({ timeoutMs: Math.min(NAME_MS_MAX, totalTimeoutMs / 4) }) } = options;
  const connectWithin = (connectTimeoutMs = usualConnectMs, context?: SecureContext) => {
    const proxy = egressProxy === undefined ? undefined : { proxyUrl: egressProxy, reachTimeoutMs: connectTimeoutMs };
    return createGuardedConnector({ policy, connectTimeoutMs, lookup, proxy, context });
  };
  const findOutdated = egressProxy === undefined ? leadingElsewhere(judgedNames(lookup, policy)) : oldTunnels;
  const { factory, withTls } = timedPools(connectWithin, findOutdated);
  const agentOptions = { ...AGENT_OPTIONS, factory, connections: options.connectionsPerOriginMax };
  const agent = new Agent({ ...agentOptions, pipelining: 1 });
  // For repeats. 0: each connection carries one request, so none can be as old as the one that failed.
  const freshAgent = new Agent({ ...agentOptions, pipelining: 0 });
  const limitsFor = (timeoutMs: number): ExchangeLimits =>
    timeoutMs === totalTimeoutMs
      ? options
      : { ...options, totalTimeoutMs: timeoutMs, blameMs: Math.max(0, BLAME_MS - timeoutMs / 2) };
  const askLimits = {
    ...limitsFor(ASK_MS_MAX),
    responseBytesMax: ASKED_BYTES_MAX,
    storedBytesMax: ASKED_BYTES_MAX,
  };
  const open = new Set<Promise<SendResult>>();
  const close = async () => {
    // Takes no more from now on. It is not waited for: it would wait for connections nobody needs any longer.
    void agent.close().catch(() => {});
    await Promise.allSettled(open);
    await Promise.all([agent.destroy(), freshAgent.destroy()]);
  };
  let closed: Promise<void> | undefined;
  const sendWithin = (
    limits: ExchangeLimits,
    text: string,
    { method = DEFAULT_METHOD, path = null, headers, body }: DeliveryRequest,
    tenantId: number | undefined,
    tls: TlsIdentity | null,
    connectMs = connectMsOf(limits.totalTimeoutMs),
  ): Promise<SendResult> => {
    const url = findUrl(text, path);
    if (url === null) {
      return Promise.resolve({ kind: 'error', code: 'TARGET_REFUSED', durationMs: 0 });
    }
    const sent = new Promise<SendResult>((resolve, reject) => {
      const ownMs = connectMs === usualConnectMs ? undefined : connectMs;
      const origin = originFor(url.origin, tenantId, ownMs, tls?.mark);
      const request = { path: url.path, origin, method, headers, body };
      const dispatchBy = (by: Agent) => withTls(tls?.context, () => by.dispatch(request, exchange));
      const exchange = new Exchange(limits, resolve, reject, () => dispatchBy(freshAgent));
      dispatchBy(agent);
    });
    const forget = () => open.delete(sent);
    open.add(sent);
    sent.then(forget, forget);
    return sent;
  };
  return {
    // Connections go by the whole timeout: none are made for each rest that there may be.
    send: (url, request, tenantId, timeoutMs = totalTimeoutMs, tls = null, leftMs = timeoutMs) =>
      sendWithin(endingIn(leftMs, limitsFor(timeoutMs)), url, request, tenantId, tls, connectMsOf(timeoutMs)),
    ask: (url, request, tenantId) => sendWithin(askLimits, url, request, tenantId, null),
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

const endingIn = (totalTimeoutMs: number, limits: ExchangeLimits): ExchangeLimits =>
  totalTimeoutMs === limits.totalTimeoutMs ? limits : { ...limits, totalTimeoutMs };
