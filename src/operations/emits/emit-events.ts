import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { Slots } from '../../concurrency/slots.js';
import { transaction } from '../../database/database.js';
import { SQL_STATE, sqlStateOf } from '../../database/driver/sql-state.js';
import { GroupCommit } from '../../database/group-commit.js';
import { isDatabaseAway } from '../../database/outage.js';
import type { Emit, EmitResult } from '../../domain/events/emit.js';
import { ExpectedFanOut } from '../../domain/events/expected-fan-out.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { TenantPace } from '../../domain/pacing/tenant-pace.js';
import { type EmitItem, isTraced, writeClaimedItems, writeItems } from './emit-statements.js';
import type { Claim, LocalDaemon } from './local-daemon.js';

/** Two full requests of `emitEvents` to one webhook; with one, each request of a burst would have its own commit. */
const BATCH_DELIVERIES_MAX = 200;
/** A second batch uses the time of the first one's commit; a smaller one would cost more than that. */
const BATCH_BESIDE_DELIVERIES = 40;
/** Larger calls get transactions of their own: others would wait for them, for up to a second. */
const HEAVY_DELIVERIES = 500;
/** How long an emit waits for an idempotency key that another open transaction has, and between two tries. */
const BUSY_KEY_MS = 10_000;
const BUSY_KEY_PAUSE_MS = 200;

/** A call with a transaction of its own. */
interface Heavy {
  tenantId: number | undefined;
  write: () => Promise<EmitResult[]>;
}

/**
 * Writes events with their deliveries and jobs. Concurrent calls share a transaction, and return after its commit. Each
 * counts as the deliveries it is expected to make (docs/decisions/0031).
 */
export class Emitter {
  readonly #groups: GroupCommit<Emit, EmitResult>;
  readonly #heavy = new GroupCommit<Heavy, EmitResult[]>(([heavy]) => heavy!.write().then((results) => [results]), {
    itemsMax: 1,
    inFlightMax: 1,
    keyOf: ([heavy]) => heavy?.tenantId,
  });
  /** Emits that wait for an idempotency key; no other emit waits for them. */
  readonly #busyGroups: GroupCommit<Emit, EmitResult>;
  readonly #busySlot = new Slots(1);
  readonly #pace: TenantPace;
  readonly #fanOut = new ExpectedFanOut();
  #localDaemon: LocalDaemon | undefined;

  /**
   * @param now milliseconds, never going back
   * @param onBatch called with the number of events of each transaction
   */
  constructor(
    private readonly pool: pg.Pool,
    private readonly now: () => number = () => performance.now(),
    private readonly onBatch?: (events: number) => void,
  ) {
    this.#pace = new TenantPace(now);
    this.#busyGroups = new GroupCommit((items) => this.#writeUnclaimed(items), {
      itemsMax: BATCH_DELIVERIES_MAX,
      inFlightMax: 1,
    });
    this.#groups = new GroupCommit((items) => this.#commit(items), {
      itemsMax: BATCH_DELIVERIES_MAX,
      besideItems: BATCH_BESIDE_DELIVERIES,
      weightOf: (item) => this.#fanOut.of(item),
      keyOf: tenantOfCall,
      onBatch,
    });
  }

  /** Hands new deliveries to this daemon while it has room. */
  claimFor(daemon: LocalDaemon): void {
    this.#localDaemon = daemon;
  }

  /**
   * Emits the items in one transaction; a refused item writes nothing, and the others are emitted. If another open
   * transaction has an item's idempotency key, the item is emitted after that transaction.
   */
  async emit(items: readonly Emit[]): Promise<EmitResult[]> {
    const results = await this.#inPace(items, (isHeavy) =>
      isHeavy ? this.#writeAlone(items, () => this.#writeUnclaimed(items)) : this.#groups.run(items),
    );
    return results.some(isBusy) ? await this.#emitBusy(items, results) : results;
  }

  /** Delays tenants that emit a lot at once while the daemon in this process cannot keep up. */
  #inPace(items: readonly Emit[], write: (isHeavy: boolean) => Promise<EmitResult[]>): Promise<EmitResult[]> {
    const tenantId = tenantOfCall(items);
    const deliveries = this.#fanOut.ofCall(items);
    const isHeavy = deliveries > HEAVY_DELIVERIES;
    return this.#localDaemon !== undefined && tenantId !== undefined && this.#pace.isCrowding(tenantId)
      ? this.#localDaemon.inPace(tenantId, deliveries, () => write(isHeavy))
      : write(isHeavy);
  }

  /** Small emits do not wait for this, except for a connection and for Postgres itself. */
  #writeAlone(items: readonly Emit[], write: () => Promise<EmitResult[]>): Promise<EmitResult[]> {
    return this.#heavy.runOne({
      tenantId: tenantOfCall(items),
      write: () => {
        this.onBatch?.(items.length);
        return write();
      },
    });
  }

  /**
   * Written items are not emitted again: they would count as duplicates of themselves. Nor do they fail when the
   * database goes away: without an idempotency key they would be emitted twice.
   */
  async #emitBusy(items: readonly Emit[], first: readonly EmitResult[]): Promise<EmitResult[]> {
    const results = [...first];
    try {
      return await this.#whileBusy(async () => {
        const busy = [...results.keys()].filter((index) => isBusy(results[index]!));
        const later = await this.#busyGroups.run(busy.map((index) => items[index]!));
        for (const [n, index] of busy.entries()) {
          results[index] = later[n]!;
        }
        return results;
      });
    } catch (error) {
      if (isDatabaseAway(error) && !results.every(isBusy)) {
        return results;
      }
      throw error;
    }
  }

  /** Emits the items; when one of them is refused, nothing is written. */
  async emitAllOrNothing(items: readonly Emit[]): Promise<EmitResult[]> {
    const results = await this.#inPace(items, (isHeavy) => {
      const write = () => this.#writeAllOrNothing(items);
      return isHeavy ? this.#writeAlone(items, write) : write();
    });
    return results.some(isBusy)
      ? await this.#whileBusy(() => this.#busySlot.run(() => this.#writeAllOrNothing(items)))
      : results;
  }

  /** Repeats the write until its keys are free, for BUSY_KEY_MS at most. */
  async #whileBusy(write: () => Promise<EmitResult[]>): Promise<EmitResult[]> {
    const until = this.now() + BUSY_KEY_MS;
    for (;;) {
      await delay(BUSY_KEY_PAUSE_MS);
      const results = await write();
      if (!results.some(isBusy) || this.now() >= until) {
        return results;
      }
    }
  }

  async #writeAllOrNothing(items: readonly Emit[]): Promise<EmitResult[]> {
    class Refused extends Error {
      constructor(readonly results: EmitResult[]) {
        super();
      }
    }
    try {
      const written = await transaction(this.pool, async (client) => {
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

  async #commit(items: readonly Emit[]): Promise<EmitResult[]> {
    // The statement that claims writes no traces.
    const claim = items.some(isTraced) ? null : (this.#localDaemon?.claim(items) ?? null);
    const write = claim === null ? this.#write(this.pool, items) : this.#writeClaimed(claim, items);
    return this.#counted(items, await write);
  }

  /** Leaves the deliveries to every daemon: they are more than one could claim, or have waited for a key. */
  async #writeUnclaimed(items: readonly Emit[]): Promise<EmitResult[]> {
    return this.#counted(items, await this.#write(this.pool, items));
  }

  async #writeClaimed(claim: Claim, items: readonly Emit[]): Promise<EmitResult[]> {
    try {
      return await writeClaimedItems(claim, this.#inLanes(items));
    } catch (error) {
      // Only an error that the server reports proves that nothing was committed.
      const isServersError = error instanceof pg.DatabaseError;
      if (!isServersError || (isDatabaseAway(error) && sqlStateOf(error) !== SQL_STATE.LOCK_NOT_AVAILABLE)) {
        throw error;
      }
      // Equal ids, a day without its partition or a busy key: nothing was written; `emit_events` deals with it.
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

/** The key by which calls queue fairly: a tenant that emits a lot does not make others wait. */
const tenantOfCall = ([first]: readonly Emit[]): number | undefined => first?.tenantId;

const isBusy = ({ refused }: EmitResult): boolean => refused === 'IDEMPOTENCY_KEY_BUSY';
