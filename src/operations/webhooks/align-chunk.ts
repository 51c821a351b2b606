import type pg from 'pg';
import { query, type Statement } from '../../database/database.js';
import { bigintArray } from '../../database/rows-parameter.js';
import { idRange } from '../../domain/ids/delivery-id.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { needsJobSql } from '../../graphile-worker/job-conditions.js';
import { openSinceSql } from '../deliveries/counts-as-held.js';
import { canceledSql } from '../deliveries/delivery-state.js';

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

/** One move of a webhook's open deliveries: which ones, and what they become. */
interface Move {
  find: Statement;
  /** Moves those that were found. */
  apply: Statement;
  /** Whether those that are moved may be sent now. */
  releases: boolean;
}

/** A move to make now; `upTo`: of what was open already when this id was made. */
interface NextMove {
  move: Move;
  upTo?: number;
}

/** How far a move has come. What lies behind is not passed over again, while an old snapshot keeps it in the index. */
interface Place {
  move: Move | null;
  after: number;
}

export const START: Place = { move: null, after: 0 };

interface AlignedChunk {
  moved: number;
  /** How many of these may be sent now. */
  released: number;
  /** Where the next chunk goes on; null: nothing is left to move. */
  next: Place | null;
  /** The webhook as it was then. */
  seen: SeenWebhook;
}

export interface SeenWebhook {
  /** Null: it was not active. */
  activeAt: string | null;
  bounds: HeldBounds;
}

const GONE: SeenWebhook = { activeAt: null, bounds: { keep_held_up_to: null, discard_held_up_to: null } };

/**
 * Follows the state of a webhook with the next of its open deliveries, in one transaction. They are locked in the order
 * of ids within each move, and not over all: whoever locks several beside this gives up soon, or has locked the
 * webhook.
 */
export async function alignChunk(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  place: Place,
): Promise<AlignedChunk> {
  const [webhook] = await query<WebhookState>(client, stateStatement, [webhookId, tenantId]);
  if (webhook === undefined) {
    return { moved: 0, released: 0, next: null, seen: GONE };
  }
  const activeAt = webhook.active && !webhook.deleted ? webhook.now : null;
  const seen: SeenWebhook = { activeAt, bounds: webhook };
  let moved = 0;
  let released = 0;
  for (const { move, upTo } of movesFor(webhook)) {
    const after = move === place.move ? place.after : START.after;
    const bound = upTo === undefined ? [] : [upTo];
    const found = await query<{ id: number }>(client, move.find, [webhookId, after, MOVED_ROWS - moved, ...bound]);
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) {
      await query(client, move.apply, [...idRange(ids), bigintArray(ids)]);
      moved += ids.length;
      released += move.releases ? ids.length : 0;
    }
    if (moved === MOVED_ROWS) {
      return { moved, released, next: { move, after: ids.at(-1)! }, seen };
    }
  }
  // Somebody may have committed one behind the place from which this went on.
  return { moved, released, next: place === START ? null : START, seen };
}

/** Shared lock: the webhook cannot be switched while a chunk follows its state. */
const stateStatement: Statement = {
  name: 'read_webhook_to_align',
  text: `
    select active, deleted_at is not null as deleted, keep_held, keep_held_up_to, discard_held_up_to,
           coalesce(hold_until <= now(), false) as hold_expired, now()::text as now
    from hookwright.webhooks where id = $1 and tenant_id = $2 for share`,
};

/** @param name of its prepared statements: most settlings find little, and planning took longer than all the rest */
function moveOf(
  name: string,
  { status, set, bounded = false, releases = false }: MoveSql & { releases?: boolean },
): Move {
  // Not by tenant, which the webhook says: there is an index of the open ones by webhook, and none else must be chosen.
  const find = `
    select d.id from hookwright.deliveries d
    where d.webhook_id = $1 and d.id > $2 and d.status = '${status}'
      ${bounded ? `and d.id <= $4 and ${openSinceSql('d', '$4::bigint')}` : ''}
    order by d.id limit $3 for update`;
  const moved = `
    update hookwright.deliveries d set ${set}
    where d.id between $1 and $2 and d.id = any($3::bigint[])`;
  return {
    find: { name: `find_to_${name}`, text: find },
    apply: { name, text: releases ? enqueueMoved(moved) : moved },
    releases,
  };
}

interface MoveSql {
  status: 'PENDING' | 'HELD';
  set: string;
  bounded?: boolean;
}

/** Retries keep their time; what is due already goes at once. */
const enqueueMoved = (moved: string) => `
    with moved as (${moved}
      returning d.id, d.attempt_count, d.due_at)
    select hookwright.enqueue_deliveries(
      array_agg(id order by id), array_agg(attempt_count + 1 order by id),
      array_agg(greatest(due_at, now()) order by id), array_agg(${LANES.BULK.priority} order by id))
    from moved where ${needsJobSql('due_at')}`;

const HOLD = moveOf('hold_pending', { status: 'PENDING', set: `status = 'HELD'` });
const HOLD_REST = moveOf('hold_rest', { status: 'PENDING', set: `status = 'HELD'`, bounded: true });
const DISCARD = moveOf('discard_held', { status: 'HELD', set: canceledSql('DISCARDED'), bounded: true });
const EXPIRE = moveOf('expire_held', { status: 'HELD', set: canceledSql('HOLD_EXPIRED') });
const CANCEL_PENDING = moveOf('cancel_pending', { status: 'PENDING', set: canceledSql('WEBHOOK_DELETED') });
const CANCEL_HELD = moveOf('cancel_held', { status: 'HELD', set: canceledSql('WEBHOOK_DELETED') });
const RELEASE = moveOf('release_held', {
  status: 'HELD',
  set: `status = 'PENDING', job_group = null`,
  releases: true,
});

function movesFor(webhook: WebhookState): NextMove[] {
  if (webhook.deleted) {
    return [{ move: CANCEL_PENDING }, { move: CANCEL_HELD }];
  }
  if (!webhook.active) {
    return [{ move: HOLD }, ...discard(webhook), ...(webhook.hold_expired ? [{ move: EXPIRE }] : [])];
  }
  return [...holdRest(webhook), ...discard(webhook), ...(webhook.keep_held ? [] : [{ move: RELEASE }])];
}

/** What was pending still when the webhook was enabled counts as held. */
function holdRest({ keep_held_up_to, discard_held_up_to }: WebhookState): NextMove[] {
  const upTo = Math.max(keep_held_up_to ?? 0, discard_held_up_to ?? 0);
  return upTo === 0 ? [] : [{ move: HOLD_REST, upTo }];
}

function discard({ discard_held_up_to: upTo }: WebhookState): NextMove[] {
  return upTo === null ? [] : [{ move: DISCARD, upTo }];
}
