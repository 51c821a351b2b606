import type pg from 'pg';
import type { Services } from '../../src/api/context/context.js';
import { contentFrom } from '../../src/domain/content/content.js';
import type { ShapePlan } from '../../src/domain/content/shape/project.js';
import type { WebhookOptions } from '../../src/entities/webhook-options.js';
import { rescueOverdue } from '../../src/operations/deliveries/rescue-deliveries.js';
import {
  deprecateEventType,
  registerEventType,
  updateEventType,
} from '../../src/operations/event-types/register-event-type.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { type KnownType, readShape } from '../../src/platform/shapes/read-shape.js';
import { registeredTypes } from './catalogue.js';
import { Chance } from './chance.js';
import { type SeededEndpoint, tenants } from './endpoints.js';
import { HOSTILE_TENANT, seedHostile } from './hostile.js';
import { PastOverTime } from './past-over-time.js';
import { PastStats } from './past-stats.js';
import { putAuditLogInOrder, seedAuditLog, seedBulkOperations, seedKeys } from './people.js';
import { HOUR_MS, type PastEvent, pastDeliveries, pastEvents } from './simulate.js';
import {
  attemptRow,
  deliveryRow,
  eventRow,
  insertRows,
  type MadeWebhook,
  makePartitions,
  writeHealth,
  writeQueues,
} from './write.js';

/** Events, deliveries and attempts are this old at most; statistics a month. */
const KEPT_HOURS = 72;
const SEED = 39;

type Seeding = Pick<Services, 'db' | 'vault' | 'random'>;

interface Seeded {
  tenants: { id: number; name: string }[];
  /** The tenant whose names and texts are an attacker's; null without. */
  hostileTenantId: number | null;
}

/**
 * Fills an empty installation with a year of a booking platform's use: `endpoints.ts` has its tenants. Each run makes the
 * same, except for secrets and keys; all times are relative to now. It takes a few seconds.
 *
 * @param services with the rights of the owner of the database, which no daemon works on yet
 * @param options.hostile with a tenant whose names and texts are an attacker's
 */
export async function seed(services: Seeding, { hostile = true } = {}): Promise<Seeded> {
  const { db } = services;
  const now = Date.now();
  const chance = new Chance(SEED);
  await makePartitions(db.pool, KEPT_HOURS / 24 + 1);
  await seedEventTypes(services);
  const stats = new PastStats(now);
  const overTime = new PastOverTime(now);
  const made: Seeded['tenants'] = [];
  for (const { name, eventsPerDay, endpoints } of tenants) {
    const { id } = await createTenant(db, services.vault, name, commandLine);
    made.push({ id, name });
    const events = pastEvents(chance, now, KEPT_HOURS, eventsPerDay);
    await insertRows(
      db.pool,
      'events',
      events.map((event) => eventRow(id, event)),
    );
    const webhooks: MadeWebhook[] = [];
    for (const endpoint of endpoints) {
      const webhook = await seedEndpoint(services, chance, now, id, endpoint, events, [stats, overTime]);
      stats.addEarlier(chance, webhook, endpoint, eventsPerDay, KEPT_HOURS);
      webhooks.push(webhook);
    }
    if (made.length === 1) {
      const keyIds = await seedKeys(services, id, now);
      await seedBulkOperations(db.pool, webhooks, keyIds, now);
      await seedAuditLog(services, webhooks, keyIds, chance, now);
    }
  }
  await overTime.write(db.pool);
  await stats.write(db.pool);
  await makeOlder(services);
  const hostileTenantId = hostile ? await seedHostileTenant(services, chance, now) : null;
  await putAuditLogInOrder(services);
  await rescueOverdue(db.pool); // what waits for a pause has its jobs
  await db.pool.query('analyze');
  return { tenants: made, hostileTenantId };
}

async function seedHostileTenant(services: Seeding, chance: Chance, now: number): Promise<number> {
  const { id } = await createTenant(services.db, services.vault, HOSTILE_TENANT, commandLine);
  await seedHostile(services, chance, now, id, (endpoint) => makeWebhook(services, id, endpoint));
  return id;
}

async function seedEventTypes({ db }: Seeding): Promise<void> {
  for (const { name, description, schema, deprecated } of registeredTypes) {
    await registerEventType(db, { name, description, schema }, commandLine);
    if (deprecated) {
      await deprecateEventType(db, { name, deprecated }, commandLine);
    }
  }
  const grown = registeredTypes.find(({ name }) => name === 'payment.captured')!;
  const properties = { ...(grown.schema['properties'] as object), captured_by: { type: 'string' } };
  await updateEventType(db, { name: grown.name, schema: { ...grown.schema, properties } }, commandLine);
}

/** Tenants are a week older than their first endpoint, and event types 420 days old; the later a version, the newer. */
async function makeOlder({ db }: Seeding): Promise<void> {
  await db.pool.query(`
    update hookwright.tenants t set created_at = w.first - interval '7 days'
    from (select tenant_id, min(created_at) as first from hookwright.webhooks group by tenant_id) w
    where w.tenant_id = t.id`);
  await db.pool.query(`
    update hookwright.event_type_versions
    set created_at = now() - interval '420 days' + (version - 1) * interval '230 days'`);
}

/** Past the API: the urls of some are none that it would take. */
async function makeWebhook(
  { db, vault, random }: Seeding,
  tenantId: number,
  { url, eventTypes, settings: { shape, ...settings } = {} }: SeededEndpoint,
): Promise<MadeWebhook> {
  const stored = {
    ...settings,
    ...(shape === undefined ? {} : { shape: { text: shape, plan: await planOf(db.pool, shape) } }),
  };
  const made = { tenantId, url, eventTypes, ...stored, webhooksMax: 1_000, actor: commandLine };
  const { id, secret, webhook } = await createWebhook(db, vault, random, made);
  const { contentId, ...options } = (webhook.options ?? { contentId: null }) as WebhookOptions;
  const content = contentId === null ? null : { id: contentId, ...contentFrom(options)! };
  return { id, tenantId, url, secret, content };
}

async function planOf(pool: pg.Pool, shape: string): Promise<ShapePlan> {
  const { rows } = await pool.query<KnownType>('select name, description, schema from hookwright.event_types');
  const read = readShape(
    shape,
    rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  );
  if ('faults' in read) {
    throw new Error(`The shape is wrong: ${JSON.stringify(read.faults)}`);
  }
  return read.plan;
}

async function seedEndpoint(
  services: Seeding,
  chance: Chance,
  now: number,
  tenantId: number,
  endpoint: SeededEndpoint,
  events: readonly PastEvent[],
  [stats, overTime]: readonly [PastStats, PastOverTime],
): Promise<MadeWebhook> {
  const { pool } = services.db;
  const webhook = await makeWebhook(services, tenantId, endpoint);
  const { deliveries, queued, health } = pastDeliveries(chance, now, endpoint, events);
  await insertRows(
    pool,
    'deliveries',
    deliveries.map((delivery) => deliveryRow(webhook, delivery)),
  );
  const attempts = deliveries.flatMap((delivery) =>
    delivery.attempts.map((attempt) => attemptRow(chance, webhook, delivery, attempt)),
  );
  await insertRows(pool, 'attempts', attempts);
  await writeQueues(pool, webhook, queued);
  stats.addDeliveries(webhook, deliveries);
  overTime.add(webhook, deliveries);
  await writeHealth(pool, webhook.id, health, new Date(now - endpoint.createdDaysAgo * 24 * HOUR_MS));
  if (endpoint.rotatedHoursAgo !== undefined) {
    const rotation = { webhookId: webhook.id, overlapHours: 24 - endpoint.rotatedHoursAgo, by: commandLine };
    await rotateSecret(services.db, services.vault, services.random, tenantId, rotation);
  }
  return webhook;
}
