import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { DueDelivery } from '../../src/operations/attempts/load-deliveries.js';
import { SecretUnreadable } from '../../src/operations/secrets/secret-vault.js';
import { LogThrottle } from '../../src/platform/concurrency/log-throttle.js';
import type { Delay } from '../gate/not-now.js';
import { noWayOutOf } from '../sending/failure-codes.js';
import { TlsUnusable } from '../sending/tls-identity.js';
import { FormUnknown } from './options.js';

/** A delivery that cannot leave is kept for a moment: the next one would only find out the same. */
const NO_WAY_OUT_PAUSE_MS = 1_000;
const NO_WAY_OUT_PUT_OFF_MS = 3_000;

/** A daemon with other keys or forms, or another OpenSSL, may run beside this one, or take its place. */
const UNMADE_PUT_OFF_MS_MIN = 120_000;
const UNMADE_PUT_OFF_SPREAD_MS = 240_000;

/** Puts deliveries off when a fault of our own keeps their requests from being made, and logs the fault. */
export class OwnFaults {
  readonly #logThrottle = new LogThrottle();

  constructor(private readonly log: Logger) {}

  /** @throws `error` when it is none of these faults */
  async notNow(error: unknown, { tenantId, webhookId }: Pick<DueDelivery, 'tenantId' | 'webhookId'>): Promise<Delay> {
    const noWayOut = noWayOutOf(error as { code?: unknown });
    if (noWayOut !== null) {
      this.#log(noWayOut, { err: error });
      await delay(NO_WAY_OUT_PAUSE_MS);
      return { putOffMs: NO_WAY_OUT_PUT_OFF_MS };
    }
    const unmade = unmadeBy(error);
    if (unmade !== null) {
      this.#log(unmade, { err: error, tenantId, webhookId });
      return { putOffMs: UNMADE_PUT_OFF_MS_MIN + Math.random() * UNMADE_PUT_OFF_SPREAD_MS };
    }
    throw error;
  }

  #log(message: string, fields: object): void {
    if (this.#logThrottle.take(message)) {
      this.log.error(fields, message);
    }
  }
}

/** Why nothing can be signed, or nothing can be sent as its webhook demands; null: that is not what is wrong. */
function unmadeBy(error: unknown): string | null {
  if (error instanceof SecretUnreadable) {
    return 'a secret cannot be opened, so nothing can be signed; deliveries wait';
  }
  if (error instanceof TlsUnusable) {
    return 'the TLS of an endpoint cannot be used; deliveries wait';
  }
  return error instanceof FormUnknown
    ? `the signature form ${error.form} is not known here, so its webhooks' deliveries wait; give this daemon the SIGNATURE_FORMS of the others`
    : null;
}
