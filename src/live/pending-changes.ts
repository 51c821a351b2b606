import type { ChangePosition } from '../domain/ids/change-position.js';
import type { Change } from '../operations/live/changes.js';

/** What one stream waits for is kept as ids, each once: however slow its reader is, it is no more than this. */
const PENDING_MAX = 1_000;

/** What has changed since it was taken last. */
export interface Taken {
  /** Before the ids: what changed until then is not known. */
  resyncAt: ChangePosition | null;
  ids: number[];
  /** What the client had before. */
  before: ChangePosition;
  /** What it has when all of this has reached it. */
  position: ChangePosition;
}

/** Gathers what changes, for one stream, until the stream has time for it. */
export class PendingChanges {
  readonly #ids = new Set<number>();
  #resyncAt: ChangePosition | null = null;
  #told: ChangePosition | undefined;
  #position: ChangePosition | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;
  /** Something was taken that has not reached the client yet. */
  #isTelling = false;
  #isClosed = false;

  /** @param webhookId only its changes; null: those of all webhooks */
  constructor(
    readonly tenantId: number,
    private readonly kind: Change['kind'],
    private readonly webhookId: number | null,
  ) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Where a client stands that has been sent everything so far, or undefined while it has not. */
  get position(): ChangePosition | undefined {
    const isToldAll = this.#ids.size === 0 && this.#resyncAt === null && !this.#isTelling;
    return isToldAll ? this.#position : this.#told;
  }

  /** The client has everything up to `from` already; and this is what it has missed since. */
  resume(from: ChangePosition, missed: readonly Change[], position: ChangePosition): void {
    this.#told = from;
    this.changed(missed, this.#position ?? position);
  }

  changed(changes: readonly Change[], position: ChangePosition): void {
    for (const { kind, ids, webhookIds } of changes) {
      if (kind === this.kind) {
        this.#add(ids, webhookIds);
      }
    }
    this.#position = position;
    if (this.#ids.size > PENDING_MAX) {
      this.#ids.clear();
      this.lost(position);
    } else if (this.#ids.size > 0) {
      this.#waiting?.resolve();
    }
  }

  /** What is known to have changed is sent all the same, behind the marker. */
  lost(position: ChangePosition): void {
    this.#resyncAt = position;
    this.#position = position;
    this.#waiting?.resolve();
  }

  /** Waits until there is something. @returns null once closed */
  async take(): Promise<Taken | null> {
    while (!this.#isClosed && this.#ids.size === 0 && this.#resyncAt === null) {
      this.#waiting = Promise.withResolvers<void>();
      await this.#waiting.promise;
    }
    const position = this.#position;
    if (this.#isClosed || position === undefined) {
      return null;
    }
    const resyncAt = this.#resyncAt;
    const before = resyncAt ?? this.#told ?? position;
    const taken = { resyncAt, ids: [...this.#ids].sort((a, b) => a - b), before, position };
    this.#ids.clear();
    this.#resyncAt = null;
    this.#isTelling = true;
    return taken;
  }

  /** What was taken has reached the client. */
  told(position: ChangePosition): void {
    this.#told = position;
    this.#isTelling = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.resolve();
  }

  #add(ids: readonly number[], webhookIds: readonly number[]): void {
    ids.forEach((id, index) => {
      if (this.webhookId === null || webhookIds[index] === this.webhookId) {
        this.#ids.add(id);
      }
    });
  }
}
