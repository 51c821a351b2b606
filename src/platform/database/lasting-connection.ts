import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from 'pino';
import { LogThrottle } from '../concurrency/log-throttle.js';
import { connect, cutOff, poolOptions } from './database.js';
import { PrimaryClient } from './driver/primary-client.js';

/** A connection whose statement takes longer is replaced. */
const TIMEOUT_MS = 4_000;
/** Connections are begun no closer together; one that has lasted is replaced at once. */
const CONNECT_EVERY_MS = 500;

interface LastingConnectionDeps {
  url: string;
  /** The application name of the session. */
  name: string;
  log: Logger;
  /** Logged when it is replaced. */
  brokeMessage: string;
  /** Uses a connection until `ended` is aborted: the connection has ended, or `stop` was called. */
  use(client: pg.Client, ended: AbortSignal): Promise<void>;
}

/** One connection outside of every pool. When it breaks, another replaces it, as often as needed. */
export class LastingConnection {
  readonly #stopping = new AbortController();
  readonly #logThrottle = new LogThrottle();
  readonly #running: Promise<void>;
  /** The newest connection, whatever its state. */
  #client: pg.Client | undefined;

  constructor(private readonly deps: LastingConnectionDeps) {
    this.#running = this.#run();
  }

  /** @param waitMaxMs for how long a statement under way is waited for */
  async stop(waitMaxMs = 0): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#running, delay(waitMaxMs, undefined, { ref: false })]);
    cutOff(this.#client);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    const { name, log, brokeMessage } = this.deps;
    while (!signal.aborted) {
      const begunAt = performance.now();
      const client = this.#newClient();
      const ended = new AbortController();
      client.once('end', () => ended.abort());
      try {
        await connect(client);
        await this.deps.use(client, AbortSignal.any([signal, ended.signal]));
        throw new Error('The connection ended.');
      } catch (error) {
        if (!signal.aborted && this.#logThrottle.take(name)) {
          log.warn({ err: error }, brokeMessage);
        }
      }
      cutOff(client);
      const pauseMs = Math.max(0, begunAt + CONNECT_EVERY_MS - performance.now());
      await delay(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  #newClient(): pg.Client {
    const client = new PrimaryClient({
      ...poolOptions(this.deps.url, 1),
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
      statement_timeout: TIMEOUT_MS,
      application_name: this.deps.name,
    });
    client.on('error', () => {}); // the statement under way, or the next one, fails
    this.#client = client;
    return client;
  }
}
