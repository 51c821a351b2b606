import { Slots, SlotsOfEach } from '../concurrency/slots.js';
import type { Services } from '../context/context.js';
import { toApiError } from '../context/faults.js';
import { ApiError, notFound, rateLimited } from '../errors.js';

/** Below the 5 s within which a key ends everywhere, together with the seconds that a process remembers a key. */
const CHECK_KEYS_EVERY_MS = 500;
const TRY_AGAIN_MS = 5_000;
/** Streams that read the database at the same time: requests must find connections, too. */
const READING_MAX = 2;
/** Fewer than all: a tenant whose updates take long to read keeps no other waiting. */
const READING_PER_TENANT = 1;

/** The key that a stream was asked for with, and the tenant that it is about; null: a platform key that names none. */
interface StreamOwner {
  keyId: number;
  tenantId: number | null;
}

interface OpenStream extends StreamOwner {
  authorization: string;
  address: string;
  /** The key may no longer be used, or the tenant was deleted: what was thrown for it. */
  refuse(error: unknown): void;
  /** The service ends. */
  end(): void;
}

/** The streams of a process: how many there may be, whether their keys still hold, and whose turn it is to read. */
export class OpenStreams {
  readonly #streams = new Set<OpenStream>();
  readonly #admitted = new Set<StreamOwner>();
  readonly #reading = new Slots(READING_MAX);
  readonly #readingOfTenants = new SlotsOfEach<number | null>(READING_PER_TENANT);
  #isClosing = false;
  #checking: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(private readonly services: Pick<Services, 'authenticator' | 'config' | 'metrics'>) {}

  /**
   * Takes a place for a stream. A tenant can have many keys, and must leave room to others all the same.
   *
   * @returns gives the place back
   * @throws ApiError rate_limited, unavailable while the process ends
   */
  admit({ keyId, tenantId }: StreamOwner): () => void {
    const { max, perKeyMax, perTenantMax } = this.services.config.streams;
    if (this.#isClosing) {
      throw new ApiError('unavailable', 'The service ends; try again.', { retryAfterSeconds: 1 });
    }
    const others = [...this.#admitted];
    if (others.filter((other) => other.keyId === keyId).length >= perKeyMax) {
      throw this.#full(`This API key has ${perKeyMax} streams open, as many as it may have.`);
    }
    const ofTenant = others.filter((other) => other.tenantId === tenantId).length;
    if (tenantId !== null && ofTenant >= perTenantMax) {
      throw this.#full(`This tenant has ${perTenantMax} streams open, as many as it may have.`);
    }
    if (others.length >= max) {
      throw this.#full(`The service has ${max} streams open, as many as it may have.`);
    }
    const place = { keyId, tenantId };
    this.#admitted.add(place);
    return () => void this.#admitted.delete(place);
  }

  #full(detail: string): ApiError {
    this.services.metrics.limited('streams');
    return rateLimited(detail, TRY_AGAIN_MS);
  }

  /** A stream that was admitted has opened. @returns takes it off the list */
  add(stream: OpenStream): () => void {
    this.#streams.add(stream);
    this.#checking ??= setInterval(() => void this.#checkKeys(), CHECK_KEYS_EVERY_MS);
    if (this.#isClosing) {
      stream.end();
    }
    return () => {
      this.#streams.delete(stream);
      if (this.#streams.size === 0) {
        clearInterval(this.#checking);
        this.#checking = undefined;
      }
    };
  }

  /** Does `work`, for a stream about this tenant, when it is its turn. */
  takeTurn<Result>(tenantId: number | null, work: () => Promise<Result>): Promise<Result> {
    return this.#readingOfTenants.run(tenantId, () => this.#reading.run(work));
  }

  close(): void {
    this.#isClosing = true;
    for (const stream of this.#streams) {
      stream.end();
    }
  }

  /** Streams with the same key and tenant share a check. While the database is away no update comes either. */
  async #checkKeys(): Promise<void> {
    if (this.#isChecking) {
      return;
    }
    this.#isChecking = true;
    const byOwner = Map.groupBy(this.#streams, ({ authorization, tenantId }) => `${authorization} ${tenantId}`);
    await Promise.all(
      [...byOwner.values()].map(async (streams) => {
        const error = await this.#check(streams[0]!).then(
          () => null,
          (thrown: unknown) => thrown,
        );
        if (error !== null && toApiError(error).reason !== 'unavailable') {
          for (const stream of streams) {
            stream.refuse(error);
          }
        }
      }),
    );
    this.#isChecking = false;
  }

  /** @throws ApiError why the stream may not go on. A tenant's own keys end with it. */
  async #check({ authorization, address, tenantId }: OpenStream): Promise<void> {
    const { authenticator } = this.services;
    const caller = await authenticator.authenticate(authorization, address);
    if (caller.tenantId === null && tenantId !== null && !(await authenticator.tenantExists(tenantId))) {
      throw notFound('tenant', tenantId);
    }
  }
}
