import { isIPv6, type Socket } from 'node:net';
import { http } from '../../src/node/node-http.js';
import type { ConnectionTimes, TimedConnector } from './connection-times.js';
import { type EgressProxy, ProxyPulse, readProxy } from './proxy-pulse.js';
import { TLS_POLICY } from './tls-policy.js';
import { buildConnector } from './undici.js';

export interface TunnelOptions {
  /** `EGRESS_PROXY`, with credentials if it has them. */
  proxyUrl: string;
  /** For reaching the proxy. */
  reachTimeoutMs: number;
  /** For the proxy, its connection to the target and TLS together. */
  connectTimeoutMs: number;
  /** Speaks TLS with a target over a tunnel to it (`httpSocket`). */
  secure: buildConnector.connector;
}

/**
 * No request can leave, whichever receiver it is for: a fault of our own. No words of the proxy and no credentials are
 * in it.
 */
class EgressProxyAway extends Error {
  override readonly name = 'EgressProxyAway';
  readonly code = 'EGRESS_PROXY_AWAY';
}

/** The proxy would not, or could not, connect to this one target. */
class TunnelRefused extends Error {
  readonly code = 'TUNNEL_REFUSED';
}

/** The proxy was asked for a tunnel, and there was none in time; most likely the target keeps it waiting. */
class TunnelTimedOut extends Error {
  readonly code = 'ETIMEDOUT';
}

/**
 * Connects through a tunnel of a proxy (CONNECT, RFC 9110 §9.3.6), for http targets too: so whoever listens there sees
 * a request as if it came directly. The proxy is the operator's choice and its address is not judged; its name is
 * resolved by the system, /etc/hosts included.
 */
export function createTunnelConnector(options: TunnelOptions): TimedConnector {
  const proxy = readProxy(options.proxyUrl);
  const reach = buildConnector({ ...TLS_POLICY, timeout: options.reachTimeoutMs });
  const pulse = new ProxyPulse(proxy, reach, options.reachTimeoutMs);
  return (target, callback, times) => {
    new TunnelAttempt({ ...options, proxy, reach, pulse }, target, callback, times).begin();
  };
}

interface TunnelDeps extends TunnelOptions {
  proxy: EgressProxy;
  reach: buildConnector.connector;
  pulse: ProxyPulse;
}

/** One connection to a target, which is to be told once how it went. */
class TunnelAttempt {
  readonly #startedAt = performance.now();
  #socket: Socket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #settled = false;

  constructor(
    private readonly deps: TunnelDeps,
    private readonly target: buildConnector.Options,
    private readonly callback: buildConnector.Callback,
    private readonly times: ConnectionTimes | undefined,
  ) {}

  begin(): void {
    const { reach, proxy, reachTimeoutMs } = this.deps;
    this.#after(reachTimeoutMs, () => this.#fail(new EgressProxyAway('It cannot be reached in time.')));
    reach(proxy.address, (...[error, socket]) => {
      if (error !== null) {
        this.#fail(new EgressProxyAway('It cannot be reached.', { cause: error }));
      } else if (this.#settled) {
        socket.destroy();
      } else {
        this.#ask(socket);
      }
    });
  }

  /** When half of the time is over without an answer, the proxy is asked for a sign of life of its own. */
  #ask(socket: Socket): void {
    this.#socket = socket;
    const { proxy, pulse, connectTimeoutMs } = this.deps;
    const leftMs = connectTimeoutMs - (performance.now() - this.#startedAt);
    this.#after(leftMs / 2, () => {
      pulse.feel(this.#startedAt);
      this.#after(leftMs / 2, () => this.#giveUp());
    });
    askForTunnel(proxy, socket, authorityOf(this.target)).then(
      () => {
        pulse.felt();
        this.#useTunnel(socket);
      },
      (refusal: Error) => {
        if (refusal instanceof TunnelRefused) {
          pulse.felt();
        }
        this.#fail(refusal);
      },
    );
  }

  #useTunnel(socket: Socket): void {
    if (this.#settled) {
      return;
    }
    if (this.times) {
      this.times.connectedAt = performance.now();
    }
    if (this.target.protocol === 'https:') {
      this.deps.secure({ ...this.target, httpSocket: socket }, (...result) => this.#settle(...result));
    } else {
      this.#settle(null, socket);
    }
  }

  #giveUp(): void {
    const answers = this.deps.pulse.feltAt >= this.#startedAt;
    this.#fail(answers ? new TunnelTimedOut() : new EgressProxyAway('It answers nobody.'));
  }

  #fail(error: Error): void {
    this.#settle(error, null);
  }

  #settle(...result: Parameters<buildConnector.Callback>): void {
    if (this.#settled) {
      return;
    }
    this.#settled = true;
    clearTimeout(this.#timer);
    if (result[0] !== null) {
      this.#socket?.destroy();
    } else if (this.times && this.target.protocol === 'https:') {
      this.times.securedAt = performance.now();
    }
    this.callback(...result);
  }

  /** In the place of what was to happen. */
  #after(ms: number, act: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(act, ms);
  }
}

/** Host and port, which a CONNECT always names. */
function authorityOf({ hostname, port, protocol }: buildConnector.Options): string {
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * @throws TunnelRefused when the proxy says no to this target
 * @throws EgressProxyAway when it does not speak HTTP, hangs up, or wants other credentials
 */
function askForTunnel({ headers }: EgressProxy, socket: Socket, authority: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // With a connection of its own no agent is asked, and so no proxy of the environment.
    http
      .request({
        method: 'CONNECT',
        path: authority,
        headers: { host: authority, ...headers },
        createConnection: () => socket,
      })
      .on('connect', ({ statusCode = 0, headers: answer }, _, head) => {
        if (statusCode >= 200 && statusCode <= 299) {
          if (head.length > 0) {
            socket.unshift(head);
          }
          resolve();
        } else if (statusCode === 407 && answer['proxy-authenticate'] !== undefined) {
          // Without that header a 407 asks for nothing (RFC 9110 §15.5.8): it is how smokescreen refuses a target.
          reject(new EgressProxyAway('It demands credentials, or other ones.'));
        } else {
          reject(new TunnelRefused());
        }
      })
      .on('error', (cause) => reject(new EgressProxyAway('It gives no HTTP answer.', { cause })))
      .end();
  });
}
