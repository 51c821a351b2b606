import type pg from 'pg';
import type { Services } from '../../src/api/context/context.js';
import { dateToId } from '../../src/domain/ids/delivery-id.js';
import { globalId } from '../../src/domain/ids/global-id.js';
import { SCOPES, type TenantScope } from '../../src/domain/keys/scopes.js';
import { createApiKey } from '../../src/operations/keys/create-api-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import type { Chance } from './chance.js';
import { HOUR_MS } from './simulate.js';
import { insertRows, type MadeWebhook } from './write.js';

/** The actions of a tenant's people: keys, bulk operations and the audit log. */

/** Name, scopes, made so many days ago, last used so many hours ago, more. */
const keys: [
  string,
  readonly TenantScope[],
  number,
  number | null,
  { expiresInDays?: number; revokedDaysAgo?: number }?,
][] = [
  ['Production', SCOPES, 412, 0.01],
  ['Booking engine', ['events:emit'], 400, 0.002],
  ['Support desk (read only)', ['webhooks:read', 'events:read', 'deliveries:read'], 90, 3.1],
  ['Audit export, December', ['deliveries:read'], 11, 26, { expiresInDays: 4 }],
  ['Old CI', ['webhooks:read', 'webhooks:write'], 380, 2_400, { revokedDaysAgo: 61 }],
  ['Terraform', ['webhooks:read', 'webhooks:write'], 60, null],
];

/** @returns the ids of the keys, in the order above */
export async function seedKeys(
  { db, random }: Pick<Services, 'db' | 'random'>,
  tenantId: number,
  now: number,
): Promise<number[]> {
  const ids: number[] = [];
  for (const [name, scopes, createdDaysAgo, lastUsedHoursAgo, { expiresInDays, revokedDaysAgo } = {}] of keys) {
    const { id } = await createApiKey(db, random, {
      tenantId,
      name,
      scopes,
      by: commandLine,
      ...(expiresInDays === undefined ? {} : { expiresInSeconds: expiresInDays * 86_400 }),
    });
    const ago = (hours: number | null | undefined) => (hours == null ? null : new Date(now - hours * HOUR_MS));
    await db.pool.query(
      'update hookwright.api_keys set created_at = $2, last_used_at = $3, revoked_at = $4 where id = $1',
      [id, ago(createdDaysAgo * 24), ago(lastUsedHoursAgo), ago(revokedDaysAgo && revokedDaysAgo * 24)],
    );
    ids.push(id);
  }
  return ids;
}

/** Bulk operations that have ended in each way, and one that waits for its paused webhook. */
export async function seedBulkOperations(
  pool: pg.Pool,
  webhooks: readonly MadeWebhook[],
  [keyId]: readonly number[],
  now: number,
): Promise<void> {
  const at = (hoursAgo: number) => new Date(now - hoursAgo * HOUR_MS);
  const row = (
    kind: string,
    status: string,
    webhook: MadeWebhook | undefined,
    [fromHoursAgo, startedHoursAgo]: [number, number],
    [total, affected, skipped]: [number, number, number],
    more: { minutes?: number; error?: string; filter?: object } = {},
  ) => ({
    tenant_id: webhooks[0]!.tenantId,
    kind,
    status,
    webhook_id: webhook?.id ?? null,
    filter: JSON.stringify({
      ...(webhook && { webhookId: globalId('Webhook', webhook.id) }),
      ...more.filter,
      since: at(fromHoursAgo),
      until: at(startedHoursAgo),
    }),
    from_id: dateToId(at(fromHoursAgo)),
    to_id: dateToId(at(startedHoursAgo)),
    cursor_id: dateToId(at(status === 'COMPLETED' ? startedHoursAgo : (fromHoursAgo + startedHoursAgo) / 2)),
    total,
    processed: affected + skipped,
    affected,
    skipped,
    actor: 'TENANT_KEY',
    api_key_id: keyId,
    created_at: at(startedHoursAgo),
    finished_at: more.minutes === undefined ? null : at(startedHoursAgo - more.minutes / 60),
    error: more.error ?? null,
  });
  await insertRows(pool, 'bulk_operations', [
    row('RECOVER_WEBHOOK', 'COMPLETED', webhooks[1], [460, 412], [1_284, 1_279, 5], {
      minutes: 3.4,
      filter: { status: ['FAILED'] },
    }),
    row('CANCEL_DELIVERIES', 'COMPLETED', undefined, [330, 300], [87, 86, 1], {
      minutes: 0.2,
      filter: { status: ['HELD'] },
    }),
    row('REPLAY_EVENTS', 'CANCELED', webhooks[2], [220, 196], [2_410, 861, 0], {
      minutes: 31,
      filter: { eventTypes: ['invoice.issued'] },
    }),
    row('REPLAY_EVENTS', 'COMPLETED', webhooks[2], [216, 171], [2_410, 2_402, 8], {
      minutes: 88,
      filter: { eventTypes: ['invoice.issued'] },
    }),
    row('RECOVER_WEBHOOK', 'FAILED', webhooks[8], [96, 52], [318, 120, 0], {
      minutes: 1.1,
      error: 'A fault of the service ended it. It can be resumed.',
      filter: { status: ['FAILED'] },
    }),
    row('REPLAY_EVENTS', 'PAUSED', webhooks[5], [60, 28], [640, 212, 3]),
  ]);
}

/** Replaces what the seed itself has left in the audit log by what would stand there. */
export async function seedAuditLog(
  { db }: Pick<Services, 'db'>,
  webhooks: readonly MadeWebhook[],
  keyIds: readonly number[],
  chance: Chance,
  now: number,
): Promise<void> {
  const [, crm, , tickets, , staging, mail, partner] = webhooks;
  const [production, , support, auditExport] = keyIds;
  const tenantId = crm!.tenantId;
  const types = ['booking.created', 'booking.canceled', 'guest.checked_in', 'guest.checked_out'];
  const oldUrl = 'https://crm.bluewater-travel.example.com/hooks/bookings';
  const on = { active: true };
  const off = { active: false };
  const replay = { kind: 'REPLAY_EVENTS', eventTypes: ['invoice.issued'], count: 2_410 };
  const exportKey = { name: 'Audit export, December', scopes: ['deliveries:read'], expiresInSeconds: 1_296_000 };
  const redelivered = dateToId(new Date(now - 31 * HOUR_MS));
  type Change = [
    hoursAgo: number,
    by: number | string | undefined,
    action: string,
    target: string,
    id: number | undefined,
  ];
  const changes: [...Change, before?: object | null, after?: object][] = [
    [390, production, 'WEBHOOK_UPDATED', 'WEBHOOK', crm?.id, { eventTypes: types.slice(0, 2) }, { eventTypes: types }],
    [264, production, 'API_KEY_CREATED', 'API_KEY', auditExport, null, exportKey],
    [171, production, 'BULK_OPERATION_STARTED', 'BULK_OPERATION', 4, null, replay],
    [58, 'SERVICE', 'WEBHOOK_DISABLED', 'WEBHOOK', partner?.id, on, { ...off, disabledReason: 'GONE' }],
    [52, 'PLATFORM_KEY', 'TENANT_ENTERED', 'TENANT', tenantId],
    [51.8, 'PLATFORM_KEY', 'WEBHOOK_UPDATED', 'WEBHOOK', crm?.id, { url: oldUrl }, { url: crm?.url }],
    [30, support, 'DELIVERY_REDELIVERED', 'DELIVERY', redelivered],
    [27, production, 'WEBHOOK_UPDATED', 'WEBHOOK', staging?.id, on, off],
    [7, production, 'WEBHOOK_SECRET_ROTATED', 'WEBHOOK', mail?.id, null, { overlapHours: 24 }],
    [6, 'SERVICE', 'WEBHOOK_DISABLED', 'WEBHOOK', tickets?.id, on, { ...off, disabledReason: 'FAILURES' }],
  ];
  await insertRows(
    db.pool,
    'audit_log',
    changes.map(([hoursAgo, by, action, target, targetId, before, after]) => ({
      tenant_id: tenantId,
      actor: typeof by === 'string' ? by : 'TENANT_KEY',
      api_key_id: typeof by === 'string' ? null : by,
      action,
      target_type: target,
      target_id: `${targetId}`,
      before: before ? JSON.stringify(before) : null,
      after: after ? JSON.stringify(after) : null,
      request_id: by === 'SERVICE' ? null : chance.hex(32),
      created_at: new Date(now - hoursAgo * HOUR_MS),
    })),
  );
}

/** Gives audit entries of the seeding itself the times of their targets, in order. */
export async function putAuditLogInOrder({ db }: Pick<Services, 'db'>): Promise<void> {
  await db.pool.query(`
    update hookwright.audit_log a set created_at = w.created_at from hookwright.webhooks w
    where a.target_type = 'WEBHOOK' and a.action = 'WEBHOOK_CREATED' and a.target_id = w.id::text`);
  await db.pool.query(`
    update hookwright.audit_log a set created_at = k.created_at from hookwright.api_keys k
    where a.target_type = 'API_KEY' and a.action = 'API_KEY_CREATED' and a.target_id = k.id::text`);
  await db.pool.query(`
    delete from hookwright.audit_log where action = 'WEBHOOK_SECRET_ROTATED' and api_key_id is null`);
  await db.pool.query(`
    update hookwright.audit_log a set created_at = t.created_at from hookwright.tenants t
    where a.action = 'TENANT_CREATED' and a.target_id = t.id::text`);
  await db.pool.query(`
    update hookwright.audit_log set created_at = now() - interval '420 days'
    where action = 'EVENT_TYPE_REGISTERED'`);
  await db.pool.query(`
    with entries as (delete from hookwright.audit_log returning *)
    insert into hookwright.audit_log
      (tenant_id, actor, api_key_id, action, target_type, target_id, before, after, request_id, created_at)
    select tenant_id, actor, api_key_id, action, target_type, target_id, before, after, request_id, created_at
    from entries order by created_at, id`);
}
