import { ask, type RefusedError } from '../../connection/ask.js';
import type { Connection } from '../../connection/connection.js';
import { patient, pauseOfLimit } from '../../connection/patient.js';

const SECOND_MS = 1_000;
/** Every process of the service knows an event type so long after it was registered. */
const TYPES_KNOWN_AFTER_MS = 5_000;
/** The longest that one request waits for a database that is away, and for daemons that an upgrade replaces. */
const UNAVAILABLE_PAUSES_MAX = 60;
const OLDER_DAEMONS_PAUSES_MAX = 300;
const OLDER_DAEMONS_PAUSE_SECONDS = 1;

/** Asks the service, and waits with it. What is written can be written twice: external ids name it. */
export class ImportApi {
  #typesKnownAt = 0;
  #hasSaidPause = false;

  /** @param say gets a sentence about a long wait */
  constructor(
    readonly connection: Connection,
    private readonly say: (sentence: string) => void,
  ) {}

  /** Event types were registered: for a moment some processes refuse them. */
  typesChanged(): void {
    this.#typesKnownAt = performance.now() + TYPES_KNOWN_AFTER_MS;
  }

  /**
   * @param tenant the id of the tenant that the request is about
   * @returns null in place of what is not found
   * @throws as `ask`
   */
  ask<Data>(query: string, variables: object, tenant?: string): Promise<Data> {
    const connection = { ...this.connection, tenant };
    const asked = () => ask<Data>(connection, query, variables, { mayBeAbsent: true });
    return patient(asked, { pauseOf: (error, pauses) => this.#pauseOf(error, pauses) });
  }

  #pauseOf(error: RefusedError, pauses: number): number | undefined {
    if (error.code === 'UNAVAILABLE') {
      return pauses < UNAVAILABLE_PAUSES_MAX ? (error.retryAfterSeconds ?? 1) : undefined;
    }
    if (error.reasons.includes('older_daemons') && pauses < OLDER_DAEMONS_PAUSES_MAX) {
      this.#sayOnce(`Waits until older daemons are gone: ${error.message}`);
      return OLDER_DAEMONS_PAUSE_SECONDS;
    }
    if (error.reasons.includes('event_type_unknown') && performance.now() < this.#typesKnownAt) {
      return Math.min(1, (this.#typesKnownAt - performance.now()) / SECOND_MS);
    }
    return pauseOfLimit(error);
  }

  #sayOnce(sentence: string): void {
    if (!this.#hasSaidPause) {
      this.#hasSaidPause = true;
      this.say(sentence);
    }
  }
}
