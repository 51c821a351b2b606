import type { ChangePosition } from '../../domain/ids/change-position.js';
import type { Change } from '../../operations/live/changes.js';

/** The most ids kept for one stream, each once, however slow its reader is. */
const PENDING_MAX = 1_000;

interface Taken {
  /** Not null: changes up to here may be missing. It comes before the ids. */
  resyncAt: ChangePosition | null;
  ids: number[];
  /** The client's position before these changes. */
  before: ChangePosition;
  /** The client's position after them. */
  position: ChangePosition;
}

/** Gathers changes for one stream until the stream takes them. */
export class PendingChanges {
  readonly #ids = new Set<number>();
  #resyncAt: ChangePosition | null = null;
  #sent: ChangePosition | undefined;
  #position: ChangePosition | undefined;
  #waiting: PromiseWithResolvers<void> | undefined;
  /** Changes were taken that have not reached the client yet. */
  #isSending = false;
  #isClosed = false;

  /** @param webhookId null: changes of all webhooks */
  constructor(
    readonly tenantId: number,
    private readonly kind: Change['kind'],
    private readonly webhookId: number | null,
  ) {}

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The client's position; undefined before the first one. */
  get position(): ChangePosition | undefined {
    const hasAll = this.#ids.size === 0 && this.#resyncAt === null && !this.#isSending;
    return hasAll ? this.#position : this.#sent;
  }

  /** The client has everything up to `from`, and has missed these changes since. */
  resume(from: ChangePosition, missed: readonly Change[], position: ChangePosition): void {
    this.#sent = from;
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

  /** Known changes are still sent, after the marker. */
  lost(position: ChangePosition): void {
    this.#resyncAt = position;
    this.#position = position;
    this.#waiting?.resolve();
  }

  /** Waits for changes. @returns null once closed */
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
    const before = resyncAt ?? this.#sent ?? position;
    const taken = { resyncAt, ids: [...this.#ids].sort((a, b) => a - b), before, position };
    this.#ids.clear();
    this.#resyncAt = null;
    this.#isSending = true;
    return taken;
  }

  /** The taken changes have reached the client. */
  sent(position: ChangePosition): void {
    this.#sent = position;
    this.#isSending = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting?.resolve();
  }

  #add(ids: readonly number[], webhookIds: readonly number[]): void {
    for (let index = 0; index < ids.length && this.#ids.size <= PENDING_MAX; index++) {
      if (this.webhookId === null || webhookIds[index] === this.webhookId) {
        this.#ids.add(ids[index]!);
      }
    }
  }
}
