import type { buildConnector } from 'undici';
import { http } from '../../src/node/node-http.js';

export interface EgressProxy {
  address: { hostname: string; host: string; protocol: string; port: string };
  headers: Record<string, string>;
}

/** @param text `EGRESS_PROXY` */
export function readProxy(text: string): EgressProxy {
  const { hostname, host, protocol, port, username, password } = new URL(text);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    // As undici gives it to a connector: without the brackets.
    address: { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port },
    headers:
      credentials === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}

/**
 * Whether the proxy is alive. When a tunnel is long in coming, either its target keeps the proxy waiting or the proxy
 * itself hangs (a frozen process still takes connections), and the one is the receiver's fault, the other ours.
 */
export class ProxyPulse {
  /** When it last gave an HTTP answer, to whomever. */
  feltAt = Number.NEGATIVE_INFINITY;
  #feeling = false;

  constructor(
    private readonly proxy: EgressProxy,
    private readonly reach: buildConnector.connector,
    private readonly timeoutMs: number,
  ) {}

  felt(): void {
    this.feltAt = performance.now();
  }

  /** Unless it has answered somebody since then, asks it something that every HTTP server has an answer to. */
  feel(since: number): void {
    if (this.feltAt >= since || this.#feeling) {
      return;
    }
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
