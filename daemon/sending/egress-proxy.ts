import { isIPv6, type Socket } from 'node:net';
import { isSuccessStatus } from '../../src/domain/deliveries/outcome.js';
import { http } from '../../src/platform/node/node-http.js';
import type { ConnectionTimes, TimedConnector } from './connection-times.js';
import { SendFault } from './failure-codes.js';
import { buildConnector, TLS_POLICY } from './undici.js';

export interface TunnelOptions {
  /** `EGRESS_PROXY`, with credentials if it has them. */
  proxyUrl: string;
  reachTimeoutMs: number;
  /** The limit for the proxy, its connection to the target and TLS together. */
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

/**
 * Connects through a tunnel of a proxy (CONNECT, RFC 9110 §9.3.6), for http targets too: so a receiver sees a request
 * as if it came directly. The proxy is the operator's choice and its address is not judged; its name is resolved by the
 * system, /etc/hosts included.
 */
export function createTunnelConnector(options: TunnelOptions): TimedConnector {
  const { connectTimeoutMs, secure } = options;
  const { address, headers } = readProxy(options.proxyUrl);
  const reach = buildConnector({ ...TLS_POLICY, timeout: options.reachTimeoutMs });

  const connect = async (target: buildConnector.Options, times: ConnectionTimes): Promise<Socket> => {
    const startedAt = performance.now();
    const socket = await connectBy(reach, address).catch((cause) => {
      throw new EgressProxyAway('It cannot be reached.', { cause });
    });
    const late = Promise.withResolvers<never>();
    const leftMs = connectTimeoutMs - (performance.now() - startedAt);
    const timer = setTimeout(() => late.reject(new SendFault('ETIMEDOUT')), leftMs);
    const tunnel = async () => {
      await askForTunnel(socket, authorityOf(target), headers);
      times.connectedAt = performance.now();
      if (target.protocol !== 'https:') {
        return socket;
      }
      const secured = await connectBy(secure, { ...target, httpSocket: socket });
      times.securedAt = performance.now();
      return secured;
    };
    try {
      return await Promise.race([tunnel(), late.promise]);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
    }
  };
  return (target, callback, times) => {
    connect(target, times).then(
      (socket) => callback(null, socket),
      (error: Error) => callback(error, null),
    );
  };
}

function connectBy(connector: buildConnector.connector, target: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connector(target, (...[error, socket]) => (error === null ? resolve(socket) : reject(error)));
  });
}

function readProxy(text: string): { address: buildConnector.Options; headers: Record<string, string> } {
  const { hostname, host, protocol, port, username, password } = new URL(text);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    // As undici gives it to a connector: without the brackets.
    address: { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol, port },
    headers:
      credentials === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}

function authorityOf({ hostname, port, protocol }: buildConnector.Options): string {
  const host = isIPv6(hostname) ? `[${hostname}]` : hostname;
  return `${host}:${port || (protocol === 'https:' ? 443 : 80)}`;
}

/**
 * @throws SendFault TUNNEL_REFUSED when the proxy says no to this target
 * @throws EgressProxyAway when it does not speak HTTP, hangs up, or wants other credentials
 */
function askForTunnel(socket: Socket, authority: string, headers: Record<string, string>): Promise<void> {
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
        if (isSuccessStatus(statusCode)) {
          if (head.length > 0) {
            socket.unshift(head);
          }
          resolve();
        } else if (statusCode === 407 && answer['proxy-authenticate'] !== undefined) {
          // Without that header a 407 asks for nothing (RFC 9110 §15.5.8): it is how smokescreen refuses a target.
          reject(new EgressProxyAway('It demands credentials, or other ones.'));
        } else {
          reject(new SendFault('TUNNEL_REFUSED'));
        }
      })
      .on('error', (cause) => reject(new EgressProxyAway('It gives no HTTP answer.', { cause })))
      .end();
  });
}
