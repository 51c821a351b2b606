import type { Dispatcher } from 'undici';
import { type buildConnector, Client, Pool } from './undici.js';

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

/** The connection of one of undici's clients. The first request on it takes its times. */
export class ConnectionInUse {
  #times: ConnectionTimes | null = null;

  connecting(): ConnectionTimes {
    this.#times = new ConnectionTimes();
    return this.#times;
  }

  /** Null from the second request on: the connection was there already. */
  takeTimes(): ConnectionTimes | null {
    const times = this.#times;
    this.#times = null;
    return times;
  }
}

export interface TimedHandler extends Dispatcher.DispatchHandler {
  connection: ConnectionInUse | undefined;
}

/** undici does not show a handler its connection; a client has one at a time, so it can. */
class TimedClient extends Client {
  readonly #connection: ConnectionInUse;

  constructor(origin: URL, options: object, connect: TimedConnector) {
    const connection = new ConnectionInUse();
    super(origin, {
      ...options,
      connect: (target, callback) => connect(target, callback, connection.connecting()),
    });
    this.#connection = connection;
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (handler as TimedHandler).connection = this.#connection;
    return super.dispatch(options, handler);
  }
}

/**
 * The origin for undici's Agent, so that each tenant has connections of its own: a reused connection shows in a
 * request's times, and would show that somebody else sends there.
 */
export const originFor = (origin: string, tenantId: number | undefined): string =>
  tenantId === undefined ? origin : `${origin}#${tenantId}`;

/** undici's Agent makes its pools with this, by `originFor`; their clients note the times of their connections. */
export const timedPools = (connect: TimedConnector) => (origin: string | URL, options: object) =>
  new Pool(String(origin).replace(/#.*/, ''), {
    ...options,
    factory: (url: URL, clientOptions: object) => new TimedClient(url, clientOptions, connect),
  });
