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

/** Two full requests of `emitEvents` to one webhook: with one, each of a burst would have a commit of its own. */
const BATCH_DELIVERIES_MAX = 200;
/** A second batch makes use of the time that the first one's commit takes, but small ones would cost more than that. */
const BATCH_BESIDE_DELIVERIES = 40;
/** What writes more keeps out of the way of the others: it may take a second, which they would wait. */
const HEAVY_DELIVERIES = 500;
/** How long an emit waits for an idempotency key that another open transaction holds, and between two looks. */
const BUSY_KEY_MS = 10_000;
const BUSY_KEY_PAUSE_MS = 200;

/** A call that has a transaction of its own. */
interface Heavy {
  tenantId: number | undefined;
  write: () => Promise<EmitResult[]>;
}

/**
 * Writes events with their deliveries and jobs. Concurrent calls share a transaction, and answer after its commit. What
 * they count is the deliveries that they are expected to make (docs/decisions/0031).
 */
export class Emitter {
  readonly #groups: GroupCommit<Emit, EmitResult>;
  /** Tenants take turns at these too. */
  readonly #heavy = new GroupCommit<Heavy, EmitResult[]>(([heavy]) => heavy!.write().then((results) => [results]), {
    itemsMax: 1,
    inFlightMax: 1,
    keyOf: ([heavy]) => heavy?.tenantId,
  });
  /** Those that wait for an idempotency key keep out of the way of the others. */
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
      keyOf: tenantOf,
      onBatch,
    });
  }

  /** From now on deliveries go to this daemon at once, while it has room. */
  claimFor(daemon: LocalDaemon): void {
    this.#localDaemon = daemon;
  }

  /**
   * Emits the items in one transaction; one that is refused writes nothing and leaves its neighbours alone. Items whose
   * idempotency keys another open transaction holds follow when that has ended.
   */
  async emit(items: readonly Emit[]): Promise<EmitResult[]> {
    const results = await this.#inPace(items, (isHeavy) =>
      isHeavy ? this.#writeAlone(items, () => this.#writeUnclaimed(items)) : this.#groups.run(items),
    );
    return results.some(isBusy) ? await this.#emitBusy(items, results) : results;
  }

  /** A daemon in this process that cannot keep up makes those wait who emit a lot at once. */
  #inPace(items: readonly Emit[], emit: (isHeavy: boolean) => Promise<EmitResult[]>): Promise<EmitResult[]> {
    const tenantId = tenantOf(items);
    const deliveries = this.#fanOut.ofCall(items);
    const isHeavy = deliveries > HEAVY_DELIVERIES;
    return this.#localDaemon !== undefined && tenantId !== undefined && this.#pace.isCrowding(tenantId)
      ? this.#localDaemon.inPace(tenantId, deliveries, () => emit(isHeavy))
      : emit(isHeavy);
  }

  /** A small emit never waits for one of these, only for a connection and for Postgres itself. */
  #writeAlone(items: readonly Emit[], write: () => Promise<EmitResult[]>): Promise<EmitResult[]> {
    return this.#heavy.runOne({
      tenantId: tenantOf(items),
      write: () => {
        this.onBatch?.(items.length);
        return write();
      },
    });
  }

  /**
   * What has been written is not tried again: it would be taken for a duplicate of itself. Nor is it told as failed
   * when the database goes away: without an idempotency key it would be emitted twice.
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

  /** As `emit`, but when one item is refused nothing at all is written. */
  async emitAllOrNothing(items: readonly Emit[]): Promise<EmitResult[]> {
    const results = await this.#inPace(items, (isHeavy) => {
      const write = () => this.#writeAllOrNothing(items);
      return isHeavy ? this.#writeAlone(items, write) : write();
    });
    return results.some(isBusy)
      ? await this.#whileBusy(() => this.#busySlot.run(() => this.#writeAllOrNothing(items)))
      : results;
  }

  /** Tries again and again for as long as a key is worth waiting for. */
  async #whileBusy(emit: () => Promise<EmitResult[]>): Promise<EmitResult[]> {
    const until = this.now() + BUSY_KEY_MS;
    for (;;) {
      await delay(BUSY_KEY_PAUSE_MS);
      const results = await emit();
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
    // The statement that claims knows of no traces.
    const claim = items.some(isTraced) ? null : (this.#localDaemon?.claim(items) ?? null);
    const write = claim === null ? this.#write(this.pool, items) : this.#writeClaimed(claim, items);
    return this.#counted(items, await write);
  }

  /** More than a daemon could claim, or what waits for a key: told to every daemon. */
  async #writeUnclaimed(items: readonly Emit[]): Promise<EmitResult[]> {
    return this.#counted(items, await this.#write(this.pool, items));
  }

  async #writeClaimed(claim: Claim, items: readonly Emit[]): Promise<EmitResult[]> {
    try {
      return await writeClaimedItems(claim, this.#inLanes(items));
    } catch (error) {
      // Only an error that the server reports proves that nothing was committed.
      const hasFailed = error instanceof pg.DatabaseError;
      if (!hasFailed || (isDatabaseAway(error) && sqlStateOf(error) !== SQL_STATE.LOCK_NOT_AVAILABLE)) {
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

  /** Notes what each item made, and what is committed, and was not before, for the pace of its tenants. */
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

/** Tenants take turns at the transactions: one that emits a lot does not make the others wait. */
const tenantOf = ([first]: readonly Emit[]): number | undefined => first?.tenantId;

const isBusy = ({ refused }: EmitResult): boolean => refused === 'IDEMPOTENCY_KEY_BUSY';
