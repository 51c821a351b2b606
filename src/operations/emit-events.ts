import type pg from 'pg';
import { query, type Statement, transaction } from '../database.js';
import { GroupCommit } from './group-commit.js';

/** An event to emit, already judged by its type's schema. */
export interface Emit {
  tenantId: number;
  eventType: string;
  /** The payload's JSON text: these bytes are stored, signed and sent. */
  body: string;
  /** 1–255 printable ASCII characters; an equal key of the same tenant within 7 days answers with the same event. */
  idempotencyKey: string | null;
  /** Only this webhook gets the event, whatever it subscribed to (a test); null: every webhook that matches. */
  onlyWebhookId: number | null;
}

export type EmitRefusal =
  | 'TENANT_UNKNOWN'
  | 'EVENT_TYPE_UNKNOWN'
  | 'EVENT_TYPE_RESERVED'
  | 'WEBHOOK_NOT_ACTIVE'
  | 'IDEMPOTENCY_KEY_REUSED';

export type EmitResult =
  | { refused: null; eventId: number; deliveryCount: number; duplicate: boolean }
  | { refused: EmitRefusal };

interface EmitRow {
  event_id: number | null;
  delivery_count: number;
  duplicate: boolean;
  error_code: EmitRefusal | null;
}

const emitStatement: Statement = {
  name: 'emit_events',
  text: `select event_id, delivery_count, duplicate, error_code
         from hookwright.emit_events($1::bigint[], $2::text[], $3::text[], $4::text[], $5::bigint[])
         order by item`,
};

const BATCH_ITEMS_MAX = 100;

/**
 * Writes events with their deliveries and jobs. Concurrent calls share a transaction, and answer after its commit.
 */
export class Emitter {
  readonly #groups: GroupCommit<Emit, EmitResult>;

  constructor(private readonly pool: pg.Pool) {
    // One batch at a time: NOTIFY makes commits queue up behind each other anyway, and fewer batches cost less.
    this.#groups = new GroupCommit((items) => writeEvents(pool, items), BATCH_ITEMS_MAX, 1);
  }

  /** Emits the items in one transaction; one that is refused writes nothing and leaves its neighbours alone. */
  emit(items: readonly Emit[]): Promise<EmitResult[]> {
    return this.#groups.run(items);
  }

  /** As `emit`, but when one item is refused nothing at all is written. */
  async emitAllOrNothing(items: readonly Emit[]): Promise<EmitResult[]> {
    class Refused extends Error {
      constructor(readonly results: EmitResult[]) {
        super();
      }
    }
    try {
      return await transaction(this.pool, async (client) => {
        const results = await writeEvents(client, items);
        if (results.some(({ refused }) => refused !== null)) {
          throw new Refused(results);
        }
        return results;
      });
    } catch (error) {
      if (error instanceof Refused) {
        return error.results;
      }
      throw error;
    }
  }
}

async function writeEvents(pool: pg.Pool | pg.PoolClient, items: readonly Emit[]): Promise<EmitResult[]> {
  const rows = await query<EmitRow>(pool, emitStatement, [
    items.map(({ tenantId }) => tenantId),
    items.map(({ eventType }) => eventType),
    items.map(({ body }) => body),
    items.map(({ idempotencyKey }) => idempotencyKey),
    items.map(({ onlyWebhookId }) => onlyWebhookId),
  ]);
  return rows.map((row) =>
    row.event_id === null
      ? { refused: row.error_code ?? 'EVENT_TYPE_UNKNOWN' }
      : { refused: null, eventId: row.event_id, deliveryCount: row.delivery_count, duplicate: row.duplicate },
  );
}
