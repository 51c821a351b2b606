import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type ChangePosition, includesAllBelow, isResumable, RESUMABLE_MS } from '../../domain/ids/change-position.js';
import { type Change, readChanges, START, wantChanges } from '../../operations/live/changes.js';
import type { Database } from '../../platform/database/database.js';
import { isBadValue } from '../../platform/database/driver/sql-state.js';
import { listenForChanges } from './change-listener.js';

/** A stream that follows the changes in a tenant. */
interface Follower {
  readonly tenantId: number;
  /** With these changes the follower has everything up to `position`. */
  changed(changes: readonly Change[], position: ChangePosition): void;
  /** Changes before `position` may be missing. */
  lost(position: ChangePosition): void;
}

/** While there are followers, changes are requested this often; each request lasts for minutes. */
const WANT_EVERY_MS = 20_000;
/** A notification only makes the next read come sooner. */
const READ_EVERY_MS = 2_000;
/** The pause between two reads in a burst of notifications. */
const READ_PAUSE_MS = 20;
const AGAIN_AFTER_MS = 500;
/** Transactions that are older than the feed seldom take longer. */
const BEGIN_MS_MAX = 2_000;
const BEGIN_PAUSE_MS = 10;
const CHANGES_PER_READ_MAX = 5_000;
const RESUMED_CHANGES_MAX = 1_000;

/**
 * Reads the changes of all processes for the followers of this one: one connection listens, and one read serves all
 * followed tenants. It works only while there are followers.
 *
 * A read goes from snapshot to snapshot, so no change is missed and none depends on a notification.
 */
export class ChangeFeed {
  readonly #followers = new Set<Follower>();
  readonly #joining = new Map<Follower, PromiseWithResolvers<ChangePosition>>();
  #running: Promise<void> | undefined;
  #position: ChangePosition | undefined;
  /** Aborted by a notification: the next read is due. */
  #woken = new AbortController();

  constructor(
    private readonly db: Pick<Database, 'pool' | 'url'>,
    private readonly log: Logger,
  ) {}

  /**
   * @returns the follower's first position: it gets all later changes until it leaves
   * @throws Error when the database is away
   */
  join(follower: Follower): Promise<ChangePosition> {
    const joining = Promise.withResolvers<ChangePosition>();
    this.#followers.add(follower);
    this.#joining.set(follower, joining);
    this.#running ??= this.#run();
    this.#wakeUp();
    return joining.promise;
  }

  leave(follower: Follower): void {
    this.#followers.delete(follower);
    this.#joining.get(follower)?.reject(new Error('The follower left before it had joined.'));
    this.#joining.delete(follower);
    if (this.#followers.size === 0) {
      this.#wakeUp();
    }
  }

  /** The changes in a tenant since a position; null when they are no longer known. */
  async since(tenantId: number, from: ChangePosition): Promise<Change[] | null> {
    try {
      const read = await readChanges(this.db.pool, [tenantId], from.snapshot, RESUMED_CHANGES_MAX);
      if (read === null || read.isCut || !isResumable(from, read.position)) {
        return null;
      }
      return includesAllBelow(from, read.completeFrom) ? read.changes : null;
    } catch (error) {
      if (isBadValue(error)) {
        return null; // an invented position
      }
      throw error;
    }
  }

  async #run(): Promise<void> {
    const listener = listenForChanges(this.db.url, this.log, () => this.#wakeUp());
    let wantedAt = Number.NEGATIVE_INFINITY;
    while (this.#followers.size > 0) {
      this.#woken = new AbortController();
      try {
        if (performance.now() - wantedAt >= WANT_EVERY_MS) {
          await wantChanges(this.db.pool);
          wantedAt = performance.now();
        }
        await this.#step();
        await this.#rest();
      } catch (error) {
        this.#refuseJoining(error);
        this.log.warn({ err: error }, 'changes could not be read; trying again');
        await delay(AGAIN_AFTER_MS);
      }
    }
    this.#position = undefined;
    this.#running = undefined;
    await listener.stop();
  }

  async #step(): Promise<void> {
    this.#position ??= await this.#begin();
    const before = this.#position;
    const followers = [...this.#followers];
    const tenantIds = [...new Set(followers.map(({ tenantId }) => tenantId))];
    const read = await readChanges(this.db.pool, tenantIds, before.snapshot, CHANGES_PER_READ_MAX);
    if (read === null) {
      await wantChanges(this.db.pool);
    }
    if (read === null || read.position.epoch !== before.epoch) {
      const position = await this.#begin();
      this.#position = position;
      for (const follower of this.#welcome(followers, position)) {
        follower.lost(position);
      }
      return;
    }
    const { position, changes, isCut, completeFrom } = read;
    this.#position = position;
    const hasCaughtUp = !includesAllBelow(before, completeFrom) && includesAllBelow(position, completeFrom);
    const mayHaveMissed = isCut || hasCaughtUp || position.readAtMs - before.readAtMs > RESUMABLE_MS;
    const byTenant = Map.groupBy(changes, ({ tenantId }) => tenantId);
    for (const follower of this.#welcome(followers, position)) {
      if (mayHaveMissed) {
        follower.lost(position);
      }
      follower.changed(byTenant.get(follower.tenantId) ?? [], position);
    }
  }

  /**
   * Finds a first position: all transactions that may not record changes have ended. One that takes very long is not
   * waited for; when it ends, the followers are `lost`.
   */
  async #begin(): Promise<ChangePosition> {
    const until = performance.now() + BEGIN_MS_MAX;
    for (;;) {
      const read = await readChanges(this.db.pool, [], START, 0);
      if (read === null) {
        await wantChanges(this.db.pool);
        continue;
      }
      if (includesAllBelow(read.position, read.completeFrom) || performance.now() > until) {
        return read.position;
      }
      await delay(BEGIN_PAUSE_MS);
    }
  }

  /** Followers that are joining begin at `position`. @returns the others, which also need earlier changes */
  #welcome(followers: readonly Follower[], position: ChangePosition): Follower[] {
    return followers.filter((follower) => {
      const joining = this.#joining.get(follower);
      this.#joining.delete(follower);
      joining?.resolve(position);
      return joining === undefined;
    });
  }

  #refuseJoining(error: unknown): void {
    for (const [follower, joining] of this.#joining) {
      this.#joining.delete(follower);
      this.#followers.delete(follower);
      joining.reject(error);
    }
  }

  #wakeUp(): void {
    this.#woken.abort();
  }

  async #rest(): Promise<void> {
    await delay(READ_PAUSE_MS);
    await delay(READ_EVERY_MS, undefined, { signal: this.#woken.signal }).catch(() => {});
  }
}
