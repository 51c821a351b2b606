import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { judgeAddress, judgeUrl, loopbackAddresses, type TargetPolicy } from '../../src/domain/addresses/target.js';
import { isLocalhost } from '../../src/domain/addresses/url-form.js';
import type { TimedConnector } from './connection-times.js';
import { createTunnelConnector, type TunnelOptions } from './egress-proxy.js';
import { NOBODY_REACHED, noWayOutOf, SendFault } from './failure-codes.js';
import { type NameResolver, NamesGone } from './name-resolver.js';
import { hearAlert, hearLastWords, limitAnswers, takeTwoLengths } from './receiver-socket.js';
import { buildConnector, TLS_POLICY } from './undici.js';

interface GuardedConnectorOptions {
  policy: TargetPolicy;
  /** The limit for name, TCP and TLS together. */
  connectTimeoutMs: number;
  lookup: NameResolver;
  /** A proxy through which everything leaves. It resolves the names, so `lookup` is not asked. */
  proxy?: Pick<TunnelOptions, 'proxyUrl' | 'reachTimeoutMs'> | undefined;
  /** An endpoint's own (`TlsIdentity`). A proxy gets nothing of it. */
  context?: SecureContext | undefined;
}

/** All addresses of a name are judged; this many are tried. */
const ADDRESSES_TRIED_MAX = 8;
/** How long the next address of a name waits for the one before it (RFC 8305 §5 says 250 ms). */
const NEXT_ADDRESS_MS = 300;

/**
 * The only way out: connects to public addresses and to what the policy opens, and to nothing else. The url is judged
 * again, since the policy may have changed after it was stored and because undici asks `lookup` about names alone; then
 * every address that the name has, here and now, so that a name that was public earlier (DNS rebinding) gains nothing;
 * then the address that the socket has in the end. Behind a proxy the url is all that can be judged here: what a name
 * leads to is for the proxy to judge.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): TimedConnector {
  const { policy, connectTimeoutMs, proxy, context } = options;
  const connect = buildConnector({
    ...TLS_POLICY,
    ...(context && { secureContext: context }),
    timeout: connectTimeoutMs,
    lookup: guardedLookup(options.lookup, policy),
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_MS,
  });
  const reach =
    proxy === undefined
      ? directConnector(connect, options)
      : createTunnelConnector({ ...proxy, connectTimeoutMs, secure: connect });
  return (target, callback, times) => {
    const { protocol, host, hostname } = target;
    if (!judgeUrl(`${protocol}//${host ?? hostname}/`, policy).allowed) {
      queueMicrotask(() => callback(new SendFault('TARGET_REFUSED'), null));
      return;
    }
    const done: buildConnector.Callback = (...result) => {
      if (result[0] === null) {
        limitAnswers(result[1]);
        hearLastWords(result[1]);
        hearAlert(result[1]);
        takeTwoLengths(result[1]);
      }
      callback(...result);
    };
    reach(target, done, times);
  };
}

function directConnector(
  connect: buildConnector.connector,
  { policy, lookup }: Pick<GuardedConnectorOptions, 'policy' | 'lookup'>,
): TimedConnector {
  return (target, callback, times) => {
    const isName = isIP(target.hostname) === 0;
    let resolved = !isName;
    let reached = false;
    const connecting: unknown = connect(target, (...[error, socket]) => {
      if (error !== null) {
        void blameOf(error, { resolved, reached }, lookup).then((blamed) => callback(blamed, null));
      } else if (judgeAddress(socket.remoteAddress ?? '', policy)) {
        callback(null, socket);
      } else {
        socket.destroy();
        callback(new SendFault(isName ? 'NAME_UNRESOLVED' : 'TARGET_REFUSED'), null);
      }
    });
    // undici returns the socket, though its types do not say so. Its own listeners start the request: ours come first.
    const socket = connecting as Socket;
    socket.prependOnceListener('lookup', () => {
      resolved = true;
      times.resolvedAt = performance.now();
    });
    socket.prependOnceListener('connect', () => {
      reached = true;
      times.connectedAt = performance.now();
    });
    socket.prependOnceListener('secureConnect', () => {
      times.securedAt = performance.now();
    });
  };
}

/**
 * When nobody was reached, that may be because no name resolves either: then the way out is gone, and not the endpoint.
 * If its name had no answer until time was up, the name is the reason.
 */
async function blameOf(
  error: Error & { code?: unknown },
  { resolved, reached }: { resolved: boolean; reached: boolean },
  { gone }: NameResolver,
): Promise<Error> {
  if (reached || !NOBODY_REACHED.test(String(error.code))) {
    return error;
  }
  if (await gone?.()) {
    return new NamesGone();
  }
  return resolved ? error : new SendFault('NAME_UNRESOLVED');
}

/**
 * Gives a name's addresses when all of them are allowed, and none otherwise: one bad answer refuses the name.
 *
 * @throws SendFault NAME_UNRESOLVED, or an error that `noWayOutOf` knows
 */
export function judgedNames(lookup: NameResolver, policy: TargetPolicy) {
  const addressesOf = async (name: string): Promise<LookupAddress[]> => {
    if (isLocalhost(name)) {
      return loopbackAddresses(policy).map((address) => ({ address, family: isIP(address) }));
    }
    try {
      return await lookup(name);
    } catch (error) {
      throw noWayOutOf(error as { code?: unknown }) === null ? new SendFault('NAME_UNRESOLVED') : error;
    }
  };
  return async (name: string): Promise<LookupAddress[]> => {
    const addresses = await addressesOf(name);
    if (addresses.length > 0 && addresses.every(({ address }) => judgeAddress(address, policy))) {
      return addresses;
    }
    lookup.refused?.(name);
    return [];
  };
}

function guardedLookup(lookup: NameResolver, policy: TargetPolicy): LookupFunction {
  const addressesOf = judgedNames(lookup, policy);
  return (hostname, _options, callback) => {
    const refuse = (error: Error) => callback(error, []);
    addressesOf(hostname).then((addresses) => {
      if (addresses.length > 0) {
        callback(null, addresses.slice(0, ADDRESSES_TRIED_MAX));
      } else {
        refuse(new SendFault('NAME_UNRESOLVED'));
      }
    }, refuse);
  };
}
