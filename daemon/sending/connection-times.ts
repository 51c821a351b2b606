import type { SecureContext } from 'node:tls';
import type { Dispatcher } from 'undici';
import { type FindOutdated, FollowingPool, type OpenConnection } from './following-pool.js';
import { type buildConnector, Client } from './undici.js';

/** When each step of connecting finished (`performance.now()`); null: not yet, or never. */
export class ConnectionTimes {
  readonly startedAt = performance.now();
  /** Null without a name to resolve. */
  resolvedAt: number | null = null;
  /** Through a proxy: the tunnel stands. */
  connectedAt: number | null = null;
  securedAt: number | null = null;
}

export type TimedConnector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  times: ConnectionTimes,
) => void;

export interface TimedHandler extends Dispatcher.DispatchHandler {
  client: TimedClient | undefined;
}

/** undici does not show a handler its connection. A client has one at a time, and shows its times. */
class TimedClient extends Client implements OpenConnection {
  #times: ConnectionTimes | null = null;
  address: string | undefined;
  madeAt = 0;

  constructor(origin: URL, options: object, connect: TimedConnector) {
    const connectTimed: buildConnector.connector = (target, callback) => {
      this.#times = new ConnectionTimes();
      const done: buildConnector.Callback = (...result) => {
        this.address = result[1]?.remoteAddress;
        this.madeAt = performance.now();
        callback(...result);
      };
      connect(target, done, this.#times);
    };
    super(origin, { ...options, connect: connectTimed });
  }

  /** Times of the connection, for the first request on it. Null: the connection was there already. */
  takeTimes(): ConnectionTimes | null {
    const times = this.#times;
    this.#times = null;
    return times;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as TimedHandler).client = this;
    return super.dispatch(options, handler);
  }
}

/**
 * The origin for undici's Agent, so that each tenant has connections of its own: a reused connection shows in a
 * request's times, and would show that somebody else sends there. An endpoint with its own TLS shares its connections
 * with no other: they say who calls.
 *
 * @param connectMs a limit for connecting that is not the usual one
 * @param tlsMark of the endpoint's `TlsIdentity`
 */
export const originFor = (
  origin: string,
  tenantId: number | undefined,
  connectMs?: number,
  tlsMark?: string,
): string => {
  const owned = tenantId === undefined ? origin : `${origin}#${tenantId}`;
  const limited = connectMs === undefined ? owned : `${owned}#${CONNECT_MS}${connectMs}`;
  return tlsMark === undefined ? limited : `${limited}#${tlsMark}`;
};

const CONNECT_MS = 'connect-ms=';

/** undici's Agent makes its pools with `factory`, by `originFor`; their clients note the times of their connections. */
export const timedPools = (
  connectWithin: (connectMs?: number, context?: SecureContext) => TimedConnector,
  findOutdated: FindOutdated,
) => {
  const usual = connectWithin();
  let context: SecureContext | undefined;
  return {
    factory: (origin: string | URL, options: object) => {
      const [url = '', ...marks] = String(origin).split('#');
      const limit = marks.find((mark) => mark.startsWith(CONNECT_MS))?.slice(CONNECT_MS.length);
      const connectMs = limit === undefined ? undefined : Number(limit);
      const isUsual = connectMs === undefined && context === undefined;
      const connect = isUsual ? usual : connectWithin(connectMs, context);
      const factory = (client: URL, clientOptions: object) => new TimedClient(client, clientOptions, connect);
      return new FollowingPool(url, { ...options, factory }, findOutdated);
    },
    /**
     * A pool that this dispatch makes has this TLS context, as long as it lasts. An Agent knows pools by the texts of
     * their origins alone, so the context is at hand beside the text, which has its mark.
     */
    withTls(handed: SecureContext | undefined, dispatch: () => void): void {
      context = handed;
      try {
        dispatch();
      } finally {
        context = undefined;
      }
    },
  };
};
