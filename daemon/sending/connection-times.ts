import type { Dispatcher } from 'undici';
import { type buildConnector, Client, Pool } from './undici.js';

/** When each step of connecting finished (`performance.now()`); null: not yet, or it never will. */
export class ConnectionTimes {
  readonly startedAt = performance.now();
  /** Null without a name to resolve. */
  resolvedAt: number | null = null;
  /** Through a proxy: the tunnel stands. */
  connectedAt: number | null = null;
  securedAt: number | null = null;

  /** @param tenantId whose connection it is, if that is known */
  constructor(readonly tenantId: number | undefined) {}
}

/** As undici wants it; notes besides, where it is given them, the times of the connection. */
export type TimedConnector = (
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  times?: ConnectionTimes,
) => void;

/** The connection of one of undici's clients, and what it took to make, until a request has taken that as its own. */
export class ConnectionInUse {
  #times: ConnectionTimes | null = null;

  constructor(private readonly tenantId: number | undefined) {}

  connecting(): ConnectionTimes {
    this.#times = new ConnectionTimes(this.tenantId);
    return this.#times;
  }

  /** Null from the second request on: the connection was there already. */
  takeTimes(): ConnectionTimes | null {
    const times = this.#times;
    this.#times = null;
    return times;
  }
}

/** A handler of ours, which learns on which connection its request travels. */
export interface TimedHandler extends Dispatcher.DispatchHandler {
  connection: ConnectionInUse | undefined;
}

/** undici tells a handler nothing of its connection. A client has one at a time, so it can. */
class TimedClient extends Client {
  readonly #connection: ConnectionInUse;

  constructor(origin: URL, options: object, connect: TimedConnector, tenantId: number | undefined) {
    const connection = new ConnectionInUse(tenantId);
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
 * What an Agent is told as the origin, so that each tenant has connections of its own: whoever's request finds one that
 * is there already, sees that in its times, and would know by it who else sends there.
 */
export const originFor = (origin: string, tenantId: number | undefined): string =>
  tenantId === undefined ? origin : `${origin}#${tenantId}`;

/** For undici's Agent: pools, by `originFor`, whose clients tell what making their connections took. */
export const timedPools = (connect: TimedConnector) => (target: string | URL, options: object) => {
  const [origin = '', tenant] = String(target).split('#');
  const tenantId = tenant === undefined ? undefined : Number(tenant);
  return new Pool(origin, {
    ...options,
    factory: (url: URL, clientOptions: object) => new TimedClient(url, clientOptions, connect, tenantId),
  });
};
