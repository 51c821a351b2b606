import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../../context/context.js';
import { isDatabaseAway } from '../../database/outage.js';
import { type ChangePosition, decodePosition, encodePosition } from '../../domain/ids/change-position.js';
import { invalidInput } from '../../errors.js';
import type { PendingChanges, Taken } from '../../live/pending-changes.js';

export interface Update<Node> {
  cursor: string;
  resync: boolean;
  /** Null with `resync`. */
  id: number | null;
  node: Node | null;
}

/** Rows of one query. */
const CHUNK_ROWS = 100;
/** Changes within this time are sent together. */
const GATHER_MS = 50;
const AGAIN_AFTER_MS = 500;

/**
 * The updates of a subscription in batches. Changed rows are read when a batch is made, with the filters of the tenant.
 */
export class UpdateStream<Node> implements AsyncIterableIterator<readonly Update<Node>[]> {
  #taken: Taken | null = null;
  #chunks: number[][] = [];

  /** @param read reads the rows of the subscription with these ids */
  private constructor(
    private readonly context: Context,
    private readonly pending: PendingChanges,
    private readonly read: (ids: readonly number[]) => Promise<readonly { id: number; node: Node | null }[]>,
  ) {}

  /** Follows changes from now on, or since `after`. @throws ApiError invalid_input for a broken cursor */
  static async open<Node>(
    context: Context,
    pending: PendingChanges,
    after: string | null,
    read: UpdateStream<Node>['read'],
  ): Promise<UpdateStream<Node>> {
    const from = after === null ? null : positionOf(after);
    const stream = new UpdateStream(context, pending, read);
    const position = await context.changes.join(pending);
    try {
      const missed = from === null ? [] : await context.changes.since(pending.tenantId, from);
      if (missed === null) {
        pending.lost(position);
      } else {
        pending.resume(from ?? position, missed, position);
      }
      return stream;
    } catch (error) {
      await stream.return();
      throw error;
    }
  }

  /** The cursor behind everything that was sent. */
  get cursor(): string | undefined {
    const { position } = this.pending;
    return position && encodePosition(position);
  }

  async next(): Promise<IteratorResult<readonly Update<Node>[]>> {
    for (;;) {
      if (this.#taken !== null && this.#chunks.length === 0) {
        this.pending.sent(this.#taken.position); // the previous batch was written
        this.#taken = null;
      }
      const updates: Update<Node>[] = [];
      if (this.#taken === null) {
        await delay(GATHER_MS);
        this.#taken = await this.pending.take();
        if (this.#taken === null) {
          return { done: true, value: undefined };
        }
        const { ids, resyncAt } = this.#taken;
        this.#chunks = chunked(ids, CHUNK_ROWS);
        if (resyncAt !== null) {
          updates.push({ cursor: encodePosition(resyncAt), resync: true, id: null, node: null });
        }
      }
      updates.push(...(await this.#nextChunk(this.#taken)));
      if (updates.length > 0) {
        return { done: false, value: updates };
      }
    }
  }

  async return(): Promise<IteratorResult<readonly Update<Node>[]>> {
    this.context.changes.leave(this.pending);
    this.pending.close();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /**
   * Only the last update has the cursor behind the whole batch, so that a client which is cut off earlier repeats it.
   */
  async #nextChunk({ before, position }: Taken): Promise<Update<Node>[]> {
    const ids = this.#chunks.shift();
    if (ids === undefined) {
      return [];
    }
    const rows = await withDatabase(
      () => this.read(ids),
      () => this.pending.isClosed,
    );
    const isLast = this.#chunks.length === 0;
    return rows.map(({ id, node }, index) => {
      const reached: ChangePosition = isLast && index === rows.length - 1 ? position : before;
      return { cursor: encodePosition(reached), resync: false, id, node };
    });
  }
}

/** Reads the database for a stream, and tries again while it is away and the stream is not over. */
export async function withDatabase<Result>(work: () => Promise<Result>, isOver: () => boolean): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isOver() || !isDatabaseAway(error)) {
        throw error;
      }
      await delay(AGAIN_AFTER_MS);
    }
  }
}

export function chunked<Item>(items: readonly Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

function positionOf(after: string): ChangePosition {
  const position = decodePosition(after);
  if (position === null) {
    throw invalidInput([{ path: ['after'], code: 'invalid_cursor', detail: 'is not a cursor of a subscription' }]);
  }
  return position;
}
