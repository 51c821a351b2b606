import { LockMode } from '@mikro-orm/postgresql';
import { afterAll, expect, test } from 'vitest';
import { Webhook } from '../../src/entities/webhook.js';
import { enqueueAlign } from '../../src/operations/jobs/enqueue.js';
import { about, audit, commandLine } from '../../src/operations/rows/audit.js';
import { managementTransaction } from '../../src/operations/rows/unit-of-work.js';
import { SQL_STATE, sqlStateOf } from '../../src/platform/database/driver/sql-state.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';
import { lockWaits } from '../support/lock-waits.js';
import { lockRow } from '../support/locks.js';

/** The transaction of people's changes, as the role of the API. */

const api = await GraphqlApi.open();
const owner = await makeTenant(api.services);
const stranger = await makeTenant(api.services);
const { id: webhookId } = await makeWebhook(api.services, owner.id);
afterAll(() => api.close());

const stored = async () =>
  (await api.owner.query('select url, version from hookwright.webhooks where id = $1', [webhookId])).rows[0];
const url = 'https://other.example.com/';
const unchanged = { url: 'https://receiver.example.com/', version: 1 };

test('a change, its audit entry and its job are written together, or none of them is', async () => {
  const failing = managementTransaction(api.services.db, owner.id, async ({ em, sql }) => {
    const webhook = await em.findOneOrFail(Webhook, { id: webhookId });
    webhook.url = url;
    audit(em, commandLine, { ...about('WEBHOOK', owner.id, webhookId), action: 'WEBHOOK_UPDATED' });
    await em.flush();
    await enqueueAlign(sql, owner.id, webhookId);
    throw new Error('after all of it');
  });
  await expect(failing).rejects.toThrow('after all of it');
  expect(await stored()).toEqual(unchanged);
  const { rows } = await api.owner.query(
    `select from hookwright.audit_log where action = 'WEBHOOK_UPDATED'
     union all select from hookwright_jobs.jobs where key = 'w:${webhookId}'`,
  );
  expect(rows).toEqual([]);
});

test('a webhook of another tenant is not found, with the filter or without it, and cannot be written or made', async () => {
  await managementTransaction(api.services.db, stranger.id, async ({ em }) => {
    expect(await em.findOne(Webhook, { id: webhookId })).toBeNull();
    expect(await em.findOne(Webhook, { id: webhookId }, { filters: false })).toBeNull();
    expect(await em.nativeUpdate(Webhook, { id: webhookId }, { url }, { filters: false })).toBe(0);
  });
  const forging = managementTransaction(api.services.db, stranger.id, async ({ em }) => {
    em.create(Webhook, { tenantId: owner.id, url, eventTypes: ['*'], sealedSecret: Buffer.alloc(0) });
  });
  await expect(forging).rejects.toThrow('violates row-level security policy');
  const taking = managementTransaction(api.services.db, stranger.id, async ({ em }) => {
    const { id } = await makeWebhook(api.services, stranger.id);
    (await em.findOneOrFail(Webhook, { id })).tenantId = owner.id;
  });
  await expect(taking).rejects.toThrow('violates row-level security policy');
  expect(await stored()).toEqual(unchanged);
});

test('a transaction that may not wait gives up what another session has locked', async () => {
  await using _lock = await lockRow(api.databaseUrl, 'webhooks', webhookId);
  const change = managementTransaction(
    api.services.db,
    owner.id,
    async ({ em }) => {
      (await em.findOneOrFail(Webhook, { id: webhookId })).url = url;
    },
    { lockWaitMs: 50 },
  );
  const error = await change.catch((thrown: unknown) => thrown);
  expect(sqlStateOf(error)).toBe(SQL_STATE.LOCK_NOT_AVAILABLE);
  expect(await stored()).toEqual(unchanged);
});

test('a tenant whose changes wait for a row leaves connections to the others', async () => {
  await using lock = await lockRow(api.databaseUrl, 'webhooks', webhookId);
  const { id: another } = await makeWebhook(api.services, stranger.id);
  const ofOwner = Array.from({ length: 2 * api.services.config.databasePoolMax }, () =>
    managementTransaction(api.services.db, owner.id, async ({ em }) => {
      await em.findOneOrFail(Webhook, { id: webhookId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    }),
  );
  await eventually(async () => (await api.owner.query(lockWaits)).rowCount === 3);
  await managementTransaction(api.services.db, stranger.id, async ({ em }) => {
    (await em.findOneOrFail(Webhook, { id: another })).url = url;
  });
  expect((await api.owner.query(lockWaits)).rowCount).toBe(3);
  await lock.letGo();
  await Promise.all(ofOwner);
});

test('a version that was changed after it was read, past all locks, is not overwritten', async () => {
  const change = managementTransaction(api.services.db, owner.id, async ({ em }) => {
    const webhook = await em.findOneOrFail(Webhook, { id: webhookId });
    await api.owner.query('update hookwright.webhooks set version = version + 1 where id = $1', [webhookId]);
    webhook.url = url;
  });
  await expect(change).rejects.toThrow(/optimistic lock/i);
  expect(await stored()).toEqual({ ...unchanged, version: 2 });
});
