import type pg from 'pg';
import { LANES } from '../../domain/lanes.js';
import { openSinceSql } from '../deliveries/counts-as-held.js';
import { canceledSql } from '../deliveries/delivery-state.js';
import { needsJobSql } from '../jobs/job-conditions.js';

/** Loads and outcomes of the webhook wait for a chunk, and those of others that share a batch with them. */
export const MOVED_ROWS = 250;

/** What was open when the webhook was enabled, up to these ids, counts as held (docs/decisions/0021). */
export interface HeldBounds {
  keep_held_up_to: number | null;
  discard_held_up_to: number | null;
}

interface WebhookState extends HeldBounds {
  active: boolean;
  deleted: boolean;
  keep_held: boolean;
  hold_expired: boolean;
  /** When it was like this, as Postgres writes it: a Date would lose the microseconds. */
  now: string;
}

/** One move of a webhook's open deliveries, as SQL: which ones, and what they become. */
interface Move {
  where: string;
  set: string;
  /** Whether the moved deliveries need jobs. */
  enqueue?: boolean;
}

/** How far a move has come. What lies behind is not passed over again, while an old snapshot keeps it in the index. */
interface Place {
  where: string;
  after: number;
}

export const START: Place = { where: '', after: 0 };

export interface SettledChunk {
  moved: number;
  place: Place;
  /** Whether those that were moved may be sent now. */
  released: boolean;
  /** When the webhook was seen to be active, with nothing to move; null: it was not. */
  activeAt: string | null;
  bounds: HeldBounds;
}

export const NO_HELD_BOUNDS: HeldBounds = { keep_held_up_to: null, discard_held_up_to: null };

/** Follows the state of a webhook with the next of its open deliveries, in one transaction. */
export async function settleChunk(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  place: Place,
): Promise<SettledChunk> {
  // Shared lock: the webhook cannot be switched while a chunk follows its state.
  const { rows } = await client.query<WebhookState>(
    `select active, deleted_at is not null as deleted, keep_held, keep_held_up_to, discard_held_up_to,
            coalesce(hold_until <= now(), false) as hold_expired, now()::text as now
     from hookwright.webhooks where id = $1 and tenant_id = $2 for share`,
    [webhookId, tenantId],
  );
  const [webhook] = rows;
  if (webhook === undefined) {
    return { moved: 0, place: START, released: false, activeAt: null, bounds: NO_HELD_BOUNDS };
  }
  for (const move of movesFor(webhook)) {
    const { where } = move;
    const after = where === place.where ? place.after : START.after;
    const { moved, lastId } = await apply(client, tenantId, webhookId, move, after);
    if (lastId !== null) {
      const released = move.enqueue === true;
      return { moved, place: { where, after: lastId }, released, activeAt: null, bounds: webhook };
    }
  }
  const activeAt = webhook.active && !webhook.deleted ? webhook.now : null;
  return { moved: 0, place: START, released: false, activeAt, bounds: webhook };
}

function movesFor(webhook: WebhookState): Move[] {
  if (webhook.deleted) {
    return [
      { where: `status = 'PENDING'`, set: canceledSql('WEBHOOK_DELETED') },
      { where: `status = 'HELD'`, set: canceledSql('WEBHOOK_DELETED') },
    ];
  }
  if (!webhook.active) {
    const hold: Move = { where: `status = 'PENDING'`, set: `status = 'HELD'` };
    const expire: Move = { where: `status = 'HELD'`, set: canceledSql('HOLD_EXPIRED') };
    return [hold, ...discard(webhook), ...(webhook.hold_expired ? [expire] : [])];
  }
  const release: Move = {
    where: `status = 'HELD'`,
    set: `status = 'PENDING', job_group = null`,
    enqueue: true,
  };
  return [...holdRest(webhook), ...discard(webhook), ...(webhook.keep_held ? [] : [release])];
}

/** What was pending still when the webhook was enabled counts as held. */
function holdRest({ keep_held_up_to, discard_held_up_to }: WebhookState): Move[] {
  const bound = Math.max(keep_held_up_to ?? 0, discard_held_up_to ?? 0);
  return bound === 0 ? [] : [{ where: openUpTo('PENDING', bound), set: `status = 'HELD'` }];
}

function discard({ discard_held_up_to: bound }: WebhookState): Move[] {
  return bound === null ? [] : [{ where: openUpTo('HELD', bound), set: canceledSql('DISCARDED') }];
}

const openUpTo = (status: string, bound: number) =>
  `status = '${status}' and id <= ${bound} and ${openSinceSql('d', String(bound))}`;

async function apply(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  move: Move,
  after: number,
): Promise<{ moved: number; lastId: number | null }> {
  const { rows } = await client.query<{ moved: number; lastId: number | null }>(
    `with chunk as (
       select id from hookwright.deliveries d
       where tenant_id = $1 and webhook_id = $2 and id > $3 and ${move.where}
       order by id limit ${MOVED_ROWS} for update),
     moved as (
       update hookwright.deliveries d set ${move.set} from chunk where d.id = chunk.id
       returning d.id, d.attempt_count, d.due_at),
     queued as (
       select ${move.enqueue ? enqueueMoved : '0'})
     select count(*)::int as moved, max(moved.id) as "lastId" from moved, queued`,
    [tenantId, webhookId, after],
  );
  return rows[0] ?? { moved: 0, lastId: null };
}

/** Retries keep their time; what is due already goes at once. */
const enqueueMoved = `hookwright.enqueue_deliveries(
  array_agg(id order by id), array_agg(attempt_count + 1 order by id),
  array_agg(greatest(due_at, now()) order by id), array_agg(${LANES.BULK.priority} order by id))
  from moved where ${needsJobSql('due_at')}`;
