import { ApiError, rateLimited } from '../../errors.js';
import { Slots, SlotsOfEach } from '../../platform/concurrency/slots.js';
import type { Services } from '../context/context.js';
import { toApiError } from '../context/faults.js';

/** Together with the seconds that a process remembers a key, this is below the 5 s in which a key ends everywhere. */
const CHECK_KEYS_EVERY_MS = 500;
const TRY_AGAIN_MS = 5_000;
/** Streams that read the database at the same time. Requests need connections too. */
const READING_MAX = 2;
const READING_PER_TENANT = 1;

/** The key of a stream and its tenant. Null for a platform key that names no tenant. */
interface StreamOwner {
  keyId: number;
  tenantId: number | null;
}

interface OpenStream {
  authorization: string;
  address: string;
  /** Called when the key may no longer be used. */
  refuse(error: unknown): void;
  /** Called when the service ends. */
  end(): void;
}

/** The permission for a stream. */
export interface Admission extends StreamOwner {
  /** Null until it is open. */
  stream: OpenStream | null;
}

/** The streams of a process: limits their number, checks their keys and lets them read one after the other. */
export class OpenStreams {
  readonly #admitted = new Set<Admission>();
  readonly #reading = new Slots(READING_MAX);
  readonly #readingOfTenants = new SlotsOfEach<number | null>(READING_PER_TENANT);
  #isClosing = false;
  #checking: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(private readonly services: Pick<Services, 'authenticator' | 'config' | 'metrics'>) {}

  /**
   * Admits a stream, which must be released.
   *
   * @throws ApiError rate_limited; unavailable while the process ends
   */
  admit({ keyId, tenantId }: StreamOwner): Admission {
    const { max, perKeyMax, perTenantMax } = this.services.config.streams;
    if (this.#isClosing) {
      throw new ApiError('unavailable', 'The service is ending; try again.', { retryAfterSeconds: 1 });
    }
    const others = [...this.#admitted];
    const ofKey = others.filter((other) => other.keyId === keyId).length;
    const ofTenant = tenantId === null ? 0 : others.filter((other) => other.tenantId === tenantId).length;
    for (const [who, open, limit] of [
      ['This API key', ofKey, perKeyMax],
      ['This tenant', ofTenant, perTenantMax],
      ['The service', others.length, max],
    ] as const) {
      if (open >= limit) {
        this.services.metrics.limited.count('streams');
        throw rateLimited(`${who} has ${limit} streams open, as many as it may have.`, TRY_AGAIN_MS);
      }
    }
    const admission: Admission = { keyId, tenantId, stream: null };
    this.#admitted.add(admission);
    this.#checking ??= setInterval(() => void this.#checkKeys(), CHECK_KEYS_EVERY_MS);
    return admission;
  }

  /** Watches the key of a stream from now on, and ends the stream with the service. */
  open(admission: Admission, stream: OpenStream): void {
    admission.stream = stream;
    if (this.#isClosing) {
      stream.end();
    }
  }

  release(admission: Admission): void {
    this.#admitted.delete(admission);
    if (this.#admitted.size === 0) {
      clearInterval(this.#checking);
      this.#checking = undefined;
    }
  }

  /** Reads for a stream when fewer than READING_MAX others do, and none of the same tenant. */
  read<Result>(tenantId: number | null, work: () => Promise<Result>): Promise<Result> {
    return this.#readingOfTenants.run(tenantId, () => this.#reading.run(work));
  }

  close(): void {
    this.#isClosing = true;
    for (const { stream } of this.#admitted) {
      stream?.end();
    }
  }

  /** Checks each key and tenant once. While the database is away streams stay open. */
  async #checkKeys(): Promise<void> {
    if (this.#isChecking) {
      return;
    }
    this.#isChecking = true;
    const open = [...this.#admitted].flatMap(({ tenantId, stream }) =>
      stream === null ? [] : { ...stream, tenantId },
    );
    const byOwner = Map.groupBy(open, ({ authorization, tenantId }) => `${authorization} ${tenantId}`);
    const checks = [...byOwner.values()].map((streams) =>
      this.#check(streams[0]!).catch((error: unknown) => {
        if (toApiError(error).reason !== 'unavailable') {
          streams.forEach((stream) => {
            stream.refuse(error);
          });
        }
      }),
    );
    await Promise.all(checks);
    this.#isChecking = false;
  }

  /** @throws ApiError why the stream must end. The keys of a tenant end with it. */
  async #check({ authorization, address, tenantId }: OpenStream & Pick<StreamOwner, 'tenantId'>): Promise<void> {
    const { authenticator } = this.services;
    const caller = await authenticator.authenticate(authorization, address);
    if (caller.tenantId === null && tenantId !== null && !(await authenticator.tenantExists(tenantId))) {
      throw await authenticator.missingTenant(tenantId);
    }
  }
}
