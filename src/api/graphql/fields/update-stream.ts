import { setTimeout as delay } from 'node:timers/promises';
import { type ChangePosition, decodePosition, encodePosition } from '../../../domain/ids/change-position.js';
import { invalidInput } from '../../../errors.js';
import { isDatabaseAway } from '../../../platform/database/outage.js';
import type { Context } from '../../context/context.js';
import type { PendingChanges } from '../../live/pending-changes.js';

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
export class UpdateStream<Node> implements AsyncIterable<readonly Update<Node>[]> {
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
      stream.close();
      throw error;
    }
  }

  /** The position behind everything that was sent; undefined before the first one. */
  get position(): ChangePosition | undefined {
    return this.pending.position;
  }

  close(): void {
    this.context.changes.leave(this.pending);
    this.pending.close();
  }

  /** The next batch is asked for when the previous one was written. */
  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Update<Node>[]> {
    for (;;) {
      await delay(GATHER_MS);
      const taken = await this.pending.take();
      if (taken === null) {
        return;
      }
      const { ids, resyncAt, before, position } = taken;
      if (resyncAt !== null) {
        yield [{ cursor: encodePosition(resyncAt), resync: true, id: null, node: null }];
      }
      for (let begin = 0; begin < ids.length; begin += CHUNK_ROWS) {
        const end = begin + CHUNK_ROWS;
        const rows = await withDatabase(
          () => this.read(ids.slice(begin, end)),
          () => this.pending.isClosed,
        );
        // Only the last update has the cursor behind them all, so that a client which is cut off earlier repeats it.
        const last = end < ids.length ? -1 : rows.length - 1;
        yield rows.map(({ id, node }, index) => {
          const cursor = encodePosition(index === last ? position : before);
          return { cursor, resync: false, id, node };
        });
      }
      this.pending.sent(position);
    }
  }
}

/** The cursor behind everything that all of these streams have sent; undefined before the first one. */
export function cursorBehind(streams: readonly UpdateStream<unknown>[]): string | undefined {
  const positions = streams.map(({ position }) => position).filter((one) => one !== undefined);
  const [oldest] = positions.sort((a, b) => a.readAtMs - b.readAtMs);
  return positions.length < streams.length || oldest === undefined ? undefined : encodePosition(oldest);
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

function positionOf(after: string): ChangePosition {
  const position = decodePosition(after);
  if (position === null) {
    throw invalidInput([{ path: ['after'], code: 'invalid_cursor', detail: 'is not a cursor of a subscription' }]);
  }
  return position;
}
