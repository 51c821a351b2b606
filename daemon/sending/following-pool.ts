import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import type { Dispatcher } from 'undici';
import { hostOf } from '../../src/domain/addresses/url-form.js';
import { kRemoveClient, Pool } from './undici.js';

/** A client of a pool while its connection is open. */
export interface OpenConnection {
  /** The remote one. */
  readonly address: string | undefined;
  /** `performance.now()`. */
  readonly madeAt: number;
}

/** Private methods of undici's pool. */
interface PoolWithClients {
  /** The client takes no more requests. One that is under way ends first. */
  [kRemoveClient](client: OpenConnection): void;
}

/** Finds the connections to a host that are not to be used any longer. If it throws, all are kept. */
export type FindOutdated = (host: string, open: ReadonlySet<OpenConnection>) => Promise<OpenConnection[]>;

/**
 * A look waits for a request, and its answer serves the next one: an idle connection lasts 29 s at most. With the 30 s
 * that the resolver keeps an answer, and the turns, a name that moves is followed within 90 s.
 */
const LOOK_EVERY_MS = 5_000;
/** By chance, so that what has begun together does not ask together. */
const LOOK_SPREAD_MS = 1_000;
/** Connections in use end one at a time, so that a busy endpoint does not get all handshakes at once. */
const TURN_MS = 1_000;
/** The time for all turns: with more than 20 connections they are shorter. */
const ALL_TURNS_MS = 20_000;
/** Through a proxy nobody here learns that a name has moved. */
const TUNNEL_MS_MAX = 50_000;
/** A part of that by chance. */
const TUNNEL_MS_SPREAD = 10_000;

/** The connections to one origin. They end when its name leads elsewhere (docs/decisions/0065). */
export class FollowingPool extends Pool {
  readonly #host: string;
  readonly #open = new Set<OpenConnection>();
  #lookAt = nextLookAt();
  /** The next turn, until a connection is made. */
  #turn: NodeJS.Timeout | undefined;

  constructor(
    origin: string,
    options: Pool.Options,
    private readonly findOutdated: FindOutdated,
  ) {
    super(origin, options);
    this.#host = hostOf(new URL(origin));
    this.on('connect', (_, targets) => {
      this.#open.add(clientIn(targets));
      // The one that ended was replaced: the time until the next turn counts from now.
      this.#turn?.refresh();
      this.#turn = undefined;
    });
    this.on('disconnect', (_, targets) => this.#open.delete(clientIn(targets)));
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (performance.now() >= this.#lookAt) {
      void this.#look();
    }
    return super.dispatch(options, handler);
  }

  async #look(): Promise<void> {
    this.#lookAt = Number.POSITIVE_INFINITY;
    this.#turn = undefined;
    const outdated = this.#open.size === 0 ? [] : await this.findOutdated(this.#host, this.#open).catch(() => []);
    const isIdle = this.stats.size === 0;
    const ending = isIdle ? outdated : outdated.slice(0, 1);
    for (const connection of ending) {
      this.#open.delete(connection);
      (this as unknown as PoolWithClients)[kRemoveClient](connection);
    }
    if (ending.length === outdated.length) {
      this.#lookAt = nextLookAt();
    } else {
      const turnMs = Math.min(TURN_MS, ALL_TURNS_MS / (this.#open.size + 1));
      this.#turn = setTimeout(() => void this.#look(), turnMs).unref();
    }
  }
}

const nextLookAt = () => performance.now() + LOOK_EVERY_MS + LOOK_SPREAD_MS * Math.random();

const clientIn = (targets: readonly Dispatcher[]) => targets.at(-1) as unknown as OpenConnection;

/**
 * Finds connections to addresses that a name does not have any more.
 *
 * @param addressesOf gives none for a name that may not be called, and throws when it does not resolve
 */
export const leadingElsewhere =
  (addressesOf: (name: string) => Promise<LookupAddress[]>): FindOutdated =>
  async (host, open) => {
    if (isIP(host) !== 0) {
      return [];
    }
    const found = await addressesOf(host);
    return [...open].filter(({ address = '' }) => {
      // Without an address of its family: perhaps that question alone got no answer.
      const ofFamily = found.filter(({ family }) => family === isIP(address));
      return found.length === 0 || (ofFamily.length > 0 && !ofFamily.some((one) => one.address === address));
    });
  };

/** Finds old connections through a proxy, which resolves the name of each new one. */
export const oldTunnels: FindOutdated = async (_, open) => {
  const before = performance.now() - TUNNEL_MS_MAX + TUNNEL_MS_SPREAD * Math.random();
  return [...open].filter(({ madeAt }) => madeAt < before);
};
