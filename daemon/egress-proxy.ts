import { isIPv6, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { http } from '../src/node-http.js';
import type { ConnectionTimes } from './connection-times.js';
import type { GuardedConnector } from './guarded-connector.js';

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
export class EgressProxyAway extends Error {
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

interface Proxy {
  address: { hostname: string; host: string; protocol: string; port: string };
  headers: Record<string, string>;
}

/**
 * Connects through a tunnel of a proxy (CONNECT, RFC 9110 §9.3.6), for http targets too: so whoever listens there sees
 * a request as if it came directly. The proxy is the operator's choice and its address is not judged; its name is
 * resolved by the system, /etc/hosts included.
 */
export function createTunnelConnector(options: TunnelOptions): GuardedConnector {
  const { reachTimeoutMs, connectTimeoutMs, secure } = options;
  const proxy = readProxy(options.proxyUrl);
  const reach = buildConnector({
    timeout: reachTimeoutMs,
    autoSelectFamily: true,
    allowH2: false,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.2',
  });
  const pulse = new Pulse(proxy, reach, reachTimeoutMs);
  return (target, callback, times?: ConnectionTimes) => {
    const startedAt = performance.now();
    let tunnel: Socket | undefined;
    let timer: NodeJS.Timeout | undefined;
    let settled = false;
    const settle: buildConnector.Callback = (...result) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (result[0] !== null) tunnel?.destroy();
      else if (times && target.protocol === 'https:') times.securedAt = performance.now();
      callback(...result);
    };
    const after = (ms: number, act: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(act, ms);
    };
    const giveUp = () => {
      const answers = pulse.feltAt >= startedAt;
      settle(answers ? new TunnelTimedOut() : new EgressProxyAway('It answers nobody.'), null);
    };
    after(reachTimeoutMs, () => settle(new EgressProxyAway('It cannot be reached in time.'), null));
    reach(proxy.address, (...[error, socket]) => {
      if (error !== null) {
        settle(new EgressProxyAway('It cannot be reached.', { cause: error }), null);
        return;
      }
      tunnel = socket;
      if (settled) {
        socket.destroy();
        return;
      }
      const leftMs = connectTimeoutMs - (performance.now() - startedAt);
      after(leftMs / 2, () => {
        pulse.feel(startedAt);
        after(leftMs / 2, giveUp);
      });
      askForTunnel(proxy, socket, authorityOf(target)).then(
        () => {
          pulse.felt();
          if (settled) return;
          if (times) times.connectedAt = performance.now();
          if (target.protocol === 'https:') secure({ ...target, httpSocket: socket }, settle);
          else settle(null, socket);
        },
        (refusal: Error) => {
          if (refusal instanceof TunnelRefused) pulse.felt();
          settle(refusal, null);
        },
      );
    });
  };
}

/**
 * Whether the proxy is alive. When a tunnel is long in coming, either its target keeps the proxy waiting or the proxy
 * itself hangs (a frozen process still takes connections), and the one is the receiver's fault, the other ours.
 */
class Pulse {
  /** When it last gave an HTTP answer, to whomever. */
  feltAt = Number.NEGATIVE_INFINITY;
  #feeling = false;

  constructor(
    private readonly proxy: Proxy,
    private readonly reach: buildConnector.connector,
    private readonly timeoutMs: number,
  ) {}

  felt(): void {
    this.feltAt = performance.now();
  }

  /** Unless it has answered somebody since then, asks it something that every HTTP server has an answer to. */
  feel(since: number): void {
    if (this.feltAt >= since || this.#feeling) return;
    this.#feeling = true;
    this.reach(this.proxy.address, (...[error, socket]) => {
      if (error !== null) {
        this.#feeling = false;
        return;
      }
      socket.once('close', () => {
        this.#feeling = false;
      });
      const timer = setTimeout(() => socket.destroy(), this.timeoutMs);
      http
        .request({
          method: 'OPTIONS',
          path: '*',
          headers: { host: this.proxy.address.host, ...this.proxy.headers },
          createConnection: () => socket,
        })
        .on('response', () => {
          this.felt();
          socket.destroy();
        })
        .on('error', () => socket.destroy())
        .on('close', () => clearTimeout(timer))
        .end();
    });
  }
}

function readProxy(text: string): Proxy {
  const { hostname, host, protocol, port, username, password } = new URL(text);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    // As undici gives it to a connector: without the brackets.
    address: { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port },
    headers:
      credentials === ':'
        ? {}
        : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
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
function askForTunnel({ headers }: Proxy, socket: Socket, authority: string): Promise<void> {
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
          if (head.length > 0) socket.unshift(head);
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
