import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from 'pino';
import { connect, cutOff, poolOptions } from '../database/database.js';
import { CHANGES_CHANNEL } from '../operations/live/changes.js';

const PROBE_EVERY_MS = 10_000;
const PROBE_TIMEOUT_MS = 4_000;
const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 5_000;

/** Listens for changes on one connection, and replaces it when it breaks, as often as needed. */
export class ChangeListener {
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #client: pg.Client | undefined;

  /** @param heard called for every notification, and after each connect, when some may have been missed */
  constructor(
    private readonly url: string,
    private readonly log: Logger,
    private readonly heard: () => void,
  ) {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    cutOff(this.#client);
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    let pauseMs = RECONNECT_MIN_MS;
    while (!signal.aborted) {
      const client = this.#newClient();
      try {
        await connect(client);
        await client.query(`listen ${CHANGES_CHANNEL}`);
        pauseMs = RECONNECT_MIN_MS;
        this.heard();
        await this.#stayOn(client);
      } catch (error) {
        if (!signal.aborted) {
          this.log.warn({ err: error }, 'the connection that listens for changes broke; making another');
        }
      }
      cutOff(client);
      await delay(pauseMs, undefined, { signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, RECONNECT_MAX_MS);
    }
  }

  #newClient(): pg.Client {
    const client = new pg.Client({
      ...poolOptions(this.url, 1),
      connectionTimeoutMillis: PROBE_TIMEOUT_MS,
      query_timeout: PROBE_TIMEOUT_MS,
      application_name: 'hookwright changes',
    });
    client.on('error', () => {}); // `end` follows
    client.on('notification', () => this.heard());
    this.#client = client;
    return client;
  }

  /** Queries now and then, because a connection that was cut off silently shows no error by itself. */
  async #stayOn(client: pg.Client): Promise<void> {
    const { signal } = this.#stopping;
    const ended = new AbortController();
    client.once('end', () => ended.abort());
    const waking = AbortSignal.any([ended.signal, signal]);
    while (!signal.aborted) {
      await delay(PROBE_EVERY_MS, undefined, { signal: waking }).catch(() => {});
      if (ended.signal.aborted) {
        throw new Error('The connection ended.');
      }
      await client.query('select 1');
    }
  }
}
