import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { SecretUnreadable } from '../src/operations/secrets.js';
import { EgressProxyAway } from './egress-proxy.js';

/** Whoever finds the proxy away is kept for a moment: others would only find out the same. */
const PROXY_PAUSE_MS = 1_000;
const PROXY_PUT_OFF_MS = 3_000;
const PROXY_TOLD_EVERY_MS = 10_000;

/** A daemon with other keys may run beside this one, or take its place. Spread, because a backlog comes again together. */
const SECRET_PUT_OFF_MS_MIN = 60_000;
const SECRET_PUT_OFF_MS_MAX = 180_000;
const SECRET_TOLD_EVERY_MS = 60_000;
/** More would fill the log; each has the same cause. */
const TENANTS_TOLD_MAX = 1_000;

/**
 * Faults of our own that keep requests from being made: their deliveries wait, and no attempt is burned. The operator is
 * told now and then.
 */
export class Hindrances {
  /** By what keeps them, when it was told last. */
  readonly #toldAt = new Map<string, number>();

  constructor(private readonly deps: { log: Logger; random: () => number }) {}

  /**
   * @returns for how many milliseconds the delivery is to be put off
   * @throws `error` when it is none of these faults
   */
  async putOffMs(error: unknown): Promise<number> {
    if (error instanceof EgressProxyAway) {
      this.#tell(
        'proxy',
        PROXY_TOLD_EVERY_MS,
        error,
        'nothing can be sent through EGRESS_PROXY; deliveries wait',
      );
      await delay(PROXY_PAUSE_MS);
      return PROXY_PUT_OFF_MS;
    }
    if (error instanceof SecretUnreadable) {
      const key = `tenant ${error.tenantId}`;
      this.#tell(
        key,
        SECRET_TOLD_EVERY_MS,
        error,
        'a secret cannot be opened, so nothing can be signed; deliveries wait',
      );
      return SECRET_PUT_OFF_MS_MIN + this.deps.random() * (SECRET_PUT_OFF_MS_MAX - SECRET_PUT_OFF_MS_MIN);
    }
    throw error;
  }

  #tell(key: string, everyMs: number, error: Error, message: string): void {
    const now = performance.now();
    if (now - (this.#toldAt.get(key) ?? Number.NEGATIVE_INFINITY) <= everyMs) {
      return;
    }
    if (this.#toldAt.size >= TENANTS_TOLD_MAX) {
      this.#toldAt.clear();
    }
    this.#toldAt.set(key, now);
    this.deps.log.error({ err: error }, message);
  }
}
