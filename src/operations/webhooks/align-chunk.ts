import type pg from 'pg';
import { idRange } from '../../domain/ids/delivery-id.js';
import { LANES } from '../../domain/pacing/lanes.js';
import { query, type Statement } from '../../platform/database/database.js';
import { bigintArray } from '../../platform/database/rows-parameter.js';
import { needsJobSql } from '../../platform/graphile-worker/job-conditions.js';
import { idsUntilSql, openSinceSql } from '../deliveries/counts-as-held.js';
import { canceledSql } from '../deliveries/delivery-state.js';
import { endTurnsSql } from '../ordering/turns.js';

/** Loads and outcomes of the webhook wait for a chunk, and those of others that share a batch with them. */
export const MOVED_ROWS = 250;

/** Deliveries up to these ids count as held if they were open when the webhook was enabled (docs/decisions/0021). */
export interface HeldBounds {
  keep_held_up_to: number | null;
  discard_held_up_to: number | null;
}

interface WebhookState extends HeldBounds {
  active: boolean;
  deleted: boolean;
  keep_held: boolean;
  hold_expired: boolean;
  /** Deliveries are in queues of its keys. */
  has_queues: boolean;
  /** Some of them are blocked. */
  has_blocked: boolean;
  is_unordered: boolean;
  /** The mark of its tenant; null: it does not move to another cell. */
  moving: string | null;
  /** When the state was read, as Postgres writes it: a Date would lose the microseconds. */
  now: string;
}

/** A change of state of a webhook's open deliveries. */
interface Move {
  /** Locks a chunk of them. */
  find: Statement;
  apply: Statement;
  /** Whether they may be sent now. */
  releases: boolean;
}

/** The delivery that a move has come to. Rows before it may still be indexed for an old snapshot. */
interface Position {
  move: Move | null;
  after: number;
}

export const START: Position = { move: null, after: 0 };

interface AlignedChunk {
  moved: number;
  /** Moved ones that may be sent now. */
  released: number;
  /** Where the next chunk begins; null: nothing is left to move. */
  next: Position | null;
  /** The webhook as it was then. MOVING: its tenant moves to another cell. */
  seen: SeenWebhook | 'MOVING';
}

export interface SeenWebhook {
  /** Null: it was not active. */
  activeAt: string | null;
  bounds: HeldBounds;
}

const GONE: SeenWebhook = { activeAt: null, bounds: { keep_held_up_to: null, discard_held_up_to: null } };

/**
 * Aligns the next open deliveries of a webhook with its state, in one transaction. Each move locks them in the order of
 * ids. Several moves do not, but other transactions that lock several give up soon, or have locked the webhook.
 */
export async function alignChunk(
  client: pg.PoolClient,
  tenantId: number,
  webhookId: number,
  position: Position,
): Promise<AlignedChunk> {
  const [webhook] = await query<WebhookState>(client, stateStatement, [webhookId, tenantId]);
  if (webhook === undefined) {
    return { moved: 0, released: 0, next: null, seen: GONE };
  }
  if (webhook.moving !== null) {
    return { moved: 0, released: 0, next: null, seen: webhook.moving === 'GONE' ? GONE : 'MOVING' };
  }
  const seen = { activeAt: webhook.active && !webhook.deleted ? webhook.now : null, bounds: webhook };
  let moved = 0;
  let released = 0;
  for (const [move, ...upTo] of movesFor(webhook)) {
    const after = move === position.move ? position.after : START.after;
    const found = await query<{ id: number }>(client, move.find, [webhookId, after, MOVED_ROWS - moved, ...upTo]);
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
  // Another transaction may have committed a delivery before the position from which this went on.
  return { moved, released, next: position === START ? null : START, seen };
}

/** Shared lock: the webhook cannot be switched while a chunk is aligned with its state. */
const stateStatement: Statement = {
  name: 'read_webhook_to_align',
  text: `
    select active, deleted_at is not null as deleted, keep_held, keep_held_up_to, discard_held_up_to,
           coalesce(hold_until <= now(), false) as hold_expired, now()::text as now,
           exists (select from hookwright.ordering_queue q where q.webhook_id = $1) as has_queues,
           exists (select from hookwright.ordering_queue q where q.webhook_id = $1 and q.blocked_at is not null)
             as has_blocked,
           not exists (select from hookwright.webhook_options o where o.webhook_id = $1 and o.ordering_by <> 'NONE')
             as is_unordered,
           case when moving then (select t.moving from hookwright.tenants t where t.id = $2) end as moving
    from hookwright.webhooks where id = $1 and tenant_id = $2 for share`,
};

interface MoveOptions {
  /** Their turns end too, or their places in queues. */
  ends?: boolean;
  /** Checks are never held. */
  notChecks?: boolean;
  /** Moves only deliveries that were open at the time in the id $4. */
  bounded?: boolean;
  releases?: boolean;
}

/** @param name of its prepared statements: most alignments find little, and planning took longer than all the rest */
function moveOf(
  name: string,
  status: 'PENDING' | 'HELD' | 'WAITING',
  set: string,
  { bounded = false, notChecks = false, releases = false, ends = false }: MoveOptions = {},
): Move {
  // Not by tenant, which the webhook implies: the index of open deliveries by webhook must be chosen.
  const conditions = `
      ${notChecks ? 'and not d.is_check' : ''} ${bounded ? `and d.id <= ${idsUntilSql('$4::bigint')} and ${openSinceSql('d', '$4::bigint')}` : ''}`;
  const find =
    status === 'WAITING'
      ? `${findWaiting} ${conditions}
    order by q.key, q.position limit $3 for update of d`
      : `
    select d.id from hookwright.deliveries d
    where d.webhook_id = $1 and d.id > $2 and d.status = '${status}' ${conditions}
    order by d.id limit $3 for update`;
  const moved = `
    update hookwright.deliveries d set ${set}
    where d.id between $1 and $2 and d.id = any($3::bigint[])`;
  const was = status === 'WAITING' ? 'WAITING' : 'OPEN';
  return {
    find: { name: `find_to_${name}`, text: find },
    apply: { name, text: releases ? enqueueMoved(moved, ends) : ends ? endMoved(moved, was) : moved },
    releases,
  };
}

/** Waiting deliveries have no index of their own, but stand in queues. They leave them, so each is found once. */
const findWaiting = `
    select d.id from hookwright.ordering_queue q join hookwright.deliveries d on d.id = q.delivery_id
    where q.webhook_id = $1 and $2::bigint >= 0 and d.status = 'WAITING'`;

const endMoved = (moved: string, was: 'OPEN' | 'WAITING') => `
    with moved as (${moved}
      returning d.id, d.tenant_id, d.ordering_key)
    ${endTurnsSql(was)}`;

/** Retries keep their time; deliveries that are due go at once. */
const enqueueMoved = (moved: string, ends: boolean) => `
    with moved as (${moved}
      returning d.id, d.tenant_id, d.ordering_key, d.attempt_count, d.due_at)
      ${ends ? `, ended as (${endTurnsSql('WAITING')})` : ''}
    select hookwright.enqueue_deliveries(
      array_agg(id order by id), array_agg(attempt_count + 1 order by id),
      array_agg(greatest(due_at, now()) order by id), array_agg(${LANES.BULK.priority} order by id))
    from moved where ${needsJobSql('due_at')} ${ends ? 'and (select count(*) from ended) >= 0' : ''}`;

const HELD = `status = 'HELD'`;
const HOLD = moveOf('hold_pending', 'PENDING', HELD, { notChecks: true });
const HOLD_REST = moveOf('hold_rest', 'PENDING', HELD, { bounded: true, notChecks: true });
const DISCARD = moveOf('discard_held', 'HELD', canceledSql('DISCARDED'), { bounded: true, ends: true });
const EXPIRE = moveOf('expire_held', 'HELD', canceledSql('HOLD_EXPIRED'), { ends: true });
const CANCEL_PENDING = moveOf('cancel_pending', 'PENDING', canceledSql('WEBHOOK_DELETED'), { ends: true });
const CANCEL_HELD = moveOf('cancel_held', 'HELD', canceledSql('WEBHOOK_DELETED'), { ends: true });
/** Deliveries that wait end before those that they wait for, so that none of them is woken. */
const DISCARD_WAITING = moveOf('discard_waiting', 'WAITING', canceledSql('DISCARDED'), { bounded: true, ends: true });
const EXPIRE_WAITING = moveOf('expire_waiting', 'WAITING', canceledSql('HOLD_EXPIRED'), { ends: true });
const CANCEL_WAITING = moveOf('cancel_waiting', 'WAITING', canceledSql('WEBHOOK_DELETED'), { ends: true });
/** The webhook keeps no order any more. What has its turn ends it as usual. */
const FREE = moveOf('free_waiting', 'WAITING', `status = 'PENDING', job_group = null, settling_since = null`, {
  ends: true,
  releases: true,
});
const FREE_HELD = moveOf('free_waiting_held', 'WAITING', HELD, { ends: true });
/** The time that keys of the webhook must be quiet. Deliveries settle from their release on (docs/decisions/0093). */
const SETTLE = `(
      select make_interval(secs => o.ordering_settle_seconds) from hookwright.webhook_options o
      where o.webhook_id = d.webhook_id and o.ordering_keep = 'LATEST')`;
const SETTLED_AGAIN = `
      due_at = case when d.settling_since is not null and d.attempt_count = 0
                 then clock_timestamp() + coalesce(${SETTLE}, interval '0') else d.due_at end,
      settling_since = case when d.settling_since is not null and ${SETTLE} is not null then clock_timestamp() end`;
const RELEASE = moveOf('release_held', 'HELD', `status = 'PENDING', job_group = null, ${SETTLED_AGAIN}`, {
  releases: true,
});

/** Ends the turns of deliveries that block keys of a webhook without an order. */
const SKIP_BLOCKED: Move = {
  find: {
    name: 'find_to_skip_blocked',
    text: `
    select d.id from hookwright.ordering_queue q join hookwright.deliveries d on d.id = q.delivery_id
    where q.webhook_id = $1 and $2::bigint >= 0 and q.blocked_at is not null
    limit $3 for update of d`,
  },
  apply: {
    name: 'skip_blocked',
    text: `
    select hookwright.skip_turn(d.tenant_id, d.id) from hookwright.deliveries d
    where d.id between $1 and $2 and d.id = any($3::bigint[])`,
  },
  releases: false,
};

/** In their order; a bounded one with its bound. */
function movesFor(webhook: WebhookState): [move: Move, upTo?: number][] {
  const { keep_held_up_to: keepUpTo, discard_held_up_to: discardUpTo } = webhook;
  const skip: [Move][] = webhook.has_blocked ? [[SKIP_BLOCKED]] : [];
  const ifQueued = (...moves: [Move, number?][]) => (webhook.has_queues ? moves : []);
  if (webhook.deleted) {
    return [...ifQueued([CANCEL_WAITING]), [CANCEL_PENDING], [CANCEL_HELD], ...skip];
  }
  const free = webhook.is_unordered ? [...ifQueued([webhook.active ? FREE : FREE_HELD]), ...skip] : [];
  const discard: [Move, number?][] =
    discardUpTo === null ? [] : [...ifQueued([DISCARD_WAITING, discardUpTo]), [DISCARD, discardUpTo]];
  if (!webhook.active) {
    const expire: [Move][] = webhook.hold_expired ? ([...ifQueued([EXPIRE_WAITING]), [EXPIRE]] as [Move][]) : [];
    return [...free, [HOLD], ...discard, ...expire];
  }
  // Deliveries that were still pending when the webhook was enabled count as held.
  const restUpTo = Math.max(keepUpTo ?? 0, discardUpTo ?? 0);
  const holdRest: [Move, number][] = restUpTo === 0 ? [] : [[HOLD_REST, restUpTo]];
  return [...free, ...holdRest, ...discard, ...(webhook.keep_held ? [] : [[RELEASE] as [Move]])];
}
