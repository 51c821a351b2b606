import pg from 'pg';
import type { Emit, EmitResult } from '../../domain/events/emit.js';
import { ExpectedFanOut } from '../../domain/events/expected-fan-out.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { TenantPace } from '../../domain/pacing/tenant-pace.js';
import { query, transaction } from '../../platform/database/database.js';
import { GroupCommit } from '../../platform/database/group-commit.js';
import { isDatabaseAway } from '../../platform/database/outage.js';
import { type EmitItem, isClaimable, writeClaimedItems, writeItems } from './emit-statements.js';
import { isKeyBusy, KeyWaits, waitForKeysStatement } from './key-waits.js';
import type { Claim, LocalDaemon } from './local-daemon.js';

/** Two full requests of `emitEvents` to one webhook; with one, each request of a burst would have its own commit. */
const BATCH_DELIVERIES_MAX = 200;
/** A second batch uses the time of the first one's commit; a smaller one would cost more than that. */
const BATCH_BESIDE_DELIVERIES = 40;
/** A batch of the longest bodies has 10 MB, which takes some 10 ms to write for Postgres. */
const BODY_CHARS_A_DELIVERY = 65_536;
/** After that there is no time for a commit before the caller is answered (api/http/answer-time.ts). */
const WAIT_MAX_MS = 10_000;
/** Larger calls get transactions of their own: others would wait for them, for up to a second. */
const HEAVY_DELIVERIES = 500;

interface Call {
  items: readonly Emit[];
  allOrNothing: boolean;
}

/**
 * Writes events with their deliveries and jobs. Concurrent calls share a transaction, and return after its commit. Each
 * counts as the deliveries it is expected to make (docs/decisions/0031).
 */
export class Emitter {
  readonly #groups: GroupCommit<Emit, EmitResult | 'KEY_BUSY'>;
  readonly #keyWaits = new KeyWaits((items) => this.#writeAlone(items));
  /** Calls with transactions of their own. Small emits wait for them only for a connection and for Postgres itself. */
  readonly #heavy = new GroupCommit<Call, EmitResult[]>(async ([call]) => [await this.#writeHeavy(call!)], {
    itemsMax: 1,
    inFlightMax: 1,
    waitMaxMs: WAIT_MAX_MS,
    keyOf: ([call]) => tenantOfCall(call!.items),
  });
  readonly #pace: TenantPace;
  readonly #fanOut = new ExpectedFanOut();
  #localDaemon: LocalDaemon | undefined;

  /**
   * @param now milliseconds, never going back
   * @param onBatch called with the number of events of each transaction
   */
  constructor(
    private readonly pool: pg.Pool,
    now: () => number = () => performance.now(),
    private readonly onBatch?: (events: number) => void,
  ) {
    this.#pace = new TenantPace(now);
    this.#groups = new GroupCommit((items) => this.#commit(items), {
      itemsMax: BATCH_DELIVERIES_MAX,
      besideItems: BATCH_BESIDE_DELIVERIES,
      weightOf: (item) => this.#fanOut.of(item) + Math.floor(item.body.length / BODY_CHARS_A_DELIVERY),
      keyOf: tenantOfCall,
      waitMaxMs: WAIT_MAX_MS,
      onBatch,
    });
  }

  /** Hands new deliveries to this daemon while it has room. */
  claimFor(daemon: LocalDaemon): void {
    this.#localDaemon = daemon;
  }

  /**
   * Emits the items in one transaction; a refused item writes nothing, and the others are emitted.
   *
   * @throws Error when another transaction has a key of them for a second: with QUERY_CANCELED for an idempotency key,
   *   with ORDERING_KEY_BUSY for an ordering key
   */
  emit(items: readonly Emit[]): Promise<EmitResult[]> {
    return this.#inPace({ items, allOrNothing: false });
  }

  /** Emits the items; when one of them is refused, nothing is written. */
  emitAllOrNothing(items: readonly Emit[]): Promise<EmitResult[]> {
    return this.#inPace({ items, allOrNothing: true });
  }

  /** Delays tenants that emit a lot at once while the daemon in this process cannot keep up. */
  #inPace(call: Call): Promise<EmitResult[]> {
    const tenantId = tenantOfCall(call.items);
    const deliveries = this.#fanOut.ofCall(call.items);
    return this.#localDaemon !== undefined && tenantId !== undefined && this.#pace.isCrowding(tenantId)
      ? this.#localDaemon.inPace(tenantId, deliveries, () => this.#writeCall(call, deliveries))
      : this.#writeCall(call, deliveries);
  }

  #writeCall(call: Call, deliveries: number): Promise<EmitResult[]> {
    if (deliveries > HEAVY_DELIVERIES) {
      return this.#heavy.runOne(call);
    }
    return call.allOrNothing ? this.#writeAllOrNothing(call.items) : this.#writeShared(call.items);
  }

  async #writeShared(items: readonly Emit[]): Promise<EmitResult[]> {
    await this.#keyWaits.free(items);
    const results = await this.#groups.run(items);
    return isWritten(results) ? results : await this.#keyWaits.write(items);
  }

  #writeHeavy({ items, allOrNothing }: Call): Promise<EmitResult[]> {
    this.onBatch?.(items.length);
    return allOrNothing ? this.#writeAllOrNothing(items) : this.#writeAlone(items);
  }

  async #writeAllOrNothing(items: readonly Emit[]): Promise<EmitResult[]> {
    class Refused extends Error {
      constructor(readonly results: EmitResult[]) {
        super();
      }
    }
    try {
      const written = await transaction(this.pool, async (client, withCommit) => {
        withCommit(query(client, waitForKeysStatement, []));
        const results = await this.#write(client, items);
        if (results.some(({ refused }) => refused !== null)) {
          throw new Refused(results);
        }
        return results;
      });
      return this.#counted(items, written);
    } catch (error) {
      if (error instanceof Refused) {
        return error.results;
      }
      throw error;
    }
  }

  async #commit(items: readonly Emit[]): Promise<(EmitResult | 'KEY_BUSY')[]> {
    const claim = items.every(isClaimable) ? (this.#localDaemon?.claim(items) ?? null) : null;
    try {
      const write = claim === null ? this.#write(this.pool, items) : this.#writeClaimed(claim, items);
      return this.#counted(items, await write);
    } catch (error) {
      if (!isKeyBusy(error)) {
        throw error;
      }
      return items.map(() => 'KEY_BUSY');
    }
  }

  /** Leaves the deliveries to every daemon, and waits for keys. */
  async #writeAlone(items: readonly Emit[]): Promise<EmitResult[]> {
    const written = await transaction(this.pool, (client, withCommit) => {
      withCommit(query(client, waitForKeysStatement, []));
      return this.#write(client, items);
    });
    return this.#counted(items, written);
  }

  async #writeClaimed(claim: Claim, items: readonly Emit[]): Promise<EmitResult[]> {
    try {
      return await writeClaimedItems(claim, this.#inLanes(items));
    } catch (error) {
      // Only an error that the server reports proves that nothing was committed.
      if (!(error instanceof pg.DatabaseError) || isDatabaseAway(error)) {
        throw error;
      }
      // Equal ids, or a day without its partition: nothing was written; `emit_events` deals with it.
      return await this.#write(this.pool, items);
    }
  }

  #write(on: pg.Pool | pg.PoolClient, items: readonly Emit[]): Promise<EmitResult[]> {
    return writeItems(on, this.#inLanes(items));
  }

  #inLanes(items: readonly Emit[]): EmitItem[] {
    return items.map((item) => ({ ...item, priority: this.#priority(item) }));
  }

  /** Notes the deliveries of each new event, for expected fan-outs and for the pace of tenants. */
  #counted(items: readonly Emit[], results: EmitResult[]): EmitResult[] {
    const emitted = new Map<number, number>();
    for (const [index, result] of results.entries()) {
      if (result.refused === null && !result.duplicate) {
        const item = items[index]!;
        this.#fanOut.seen(item, result.deliveryCount);
        emitted.set(item.tenantId, (emitted.get(item.tenantId) ?? 0) + result.deliveryCount);
      }
    }
    for (const [tenantId, deliveries] of emitted) {
      this.#pace.emitted(tenantId, deliveries);
    }
    return results;
  }

  #priority({ tenantId, onlyWebhookId }: Emit): number {
    if (onlyWebhookId !== null) {
      return LANES.TEST.priority;
    }
    return this.#pace.isCrowding(tenantId) ? LANES.CROWDED.priority : LANES.FIRST.priority;
  }
}

const isWritten = (results: (EmitResult | 'KEY_BUSY')[]): results is EmitResult[] => !results.includes('KEY_BUSY');

/** The key by which calls queue fairly: a tenant that emits a lot does not make others wait. */
const tenantOfCall = ([first]: readonly Emit[]): number | undefined => first?.tenantId;
