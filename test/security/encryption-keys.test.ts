import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Daemon } from '../../daemon/daemon.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { rewrapDataKeys } from '../../src/operations/secrets/rewrap-data-keys.js';
import { SecretVault } from '../../src/operations/secrets/secret-vault.js';
import { encryptionKeysInUse } from '../../src/operations/secrets/try-encryption-keys.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { lockedOutTenants } from '../../src/operations/tenants/give-up-secrets.js';
import { rotateSecret } from '../../src/operations/webhooks/rotate-secret.js';
import { runHere } from '../support/command.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { changeJobs, jobsIn, OF_DELIVERIES } from '../support/jobs.js';
import { signatureOf } from '../support/operational-news.js';
import { runProgram } from '../support/program.js';

const oldKey = { kid: 'old', key: randomBytes(32) };
const newKey = { kid: 'new', key: randomBytes(32) };
const setting = (...keys: (typeof oldKey)[]) =>
  keys.map(({ kid, key }) => `${kid}:${key.toString('base64')}`).join(',');

let stack: DeliveryStack;
beforeEach(async () => {
  stack = await DeliveryStack.open({ ENCRYPTION_KEYS: setting(oldKey, newKey) });
});
afterEach(() => stack[Symbol.asyncDispose]());

const vaultOf = (...keys: (typeof oldKey)[]) => new SecretVault(stack.services.db, keys);

async function sealedSecret(webhookId: number): Promise<Buffer> {
  const [row] = await stack.rows<{ sealed_secret: Buffer }>(
    `select sealed_secret from hookwright.webhooks where id = ${webhookId}`,
  );
  return row!.sealed_secret;
}

/** A daemon with these keys runs meanwhile. */
async function withDaemon(vault: SecretVault, work: () => Promise<unknown>): Promise<void> {
  const daemon = new Daemon({ ...stack.services, vault });
  await work().finally(() => daemon.stop());
}

async function hookwright(command: string, keys: string) {
  const runs = ['start', 'api', 'daemon'].includes(command) ? runProgram : runHere;
  const set = { DATABASE_URL: stack.databaseUrl, ENCRYPTION_KEYS: keys };
  const { code, output, errors } = await runs(command.split(' '), set);
  return { code, said: output + errors };
}

describe('rewrapping', () => {
  test('makes the old key needless, for every tenant, and changes no secret', async () => {
    const webhook = await stack.webhook('https://a.example.com/');
    const others = await Promise.all([1, 2, 3].map(() => makeTenant(stack.services)));
    expect(await rewrapDataKeys(stack.services.db, vaultOf(newKey, oldKey))).toBe(1 + others.length);
    expect(await encryptionKeysInUse(stack.services.db)).toEqual([{ kid: 'new', tenants: 1 + others.length }]);
    const sealed = await sealedSecret(webhook.id);
    expect(await vaultOf(newKey).open(stack.tenantId, webhook.id, sealed)).toBe(webhook.secret);
    await expect(vaultOf(oldKey).open(stack.tenantId, webhook.id, sealed)).rejects.toThrow(
      'ENCRYPTION_KEYS has no key named new',
    );
    expect(await rewrapDataKeys(stack.services.db, vaultOf(newKey, oldKey))).toBe(0);
  });

  test('under traffic costs no delivery its signature', async () => {
    const receiver = await stack.endpoint();
    stack.startDaemon();
    for (let event = 0; event < 60; event++) {
      await stack.emit();
      if (event === 30) {
        await eventually(() => receiver.received.length > 0);
        await rewrapDataKeys(stack.services.db, vaultOf(newKey, oldKey));
        await stack.webhook(receiver.url, ['booking.created']);
      }
    }
    await eventually(() => receiver.received.length === 60);
    for (const { headers, body } of receiver.received) {
      expect(headers['x-service-signature']).toBe(signatureOf(receiver.secret, body));
    }
  });

  test('stops at a data key whose key is lost, and says which that is', async () => {
    const lost = vaultOf(newKey, { ...oldKey, kid: 'another' });
    await expect(rewrapDataKeys(stack.services.db, lost)).rejects.toThrow(/no key named old/);
  });
});

describe('the command line', () => {
  test('rewraps, and says when the old keys can go', async () => {
    const { code, said } = await hookwright('keys rewrap', setting(newKey, oldKey));
    expect(said).toContain(
      'Tenants whose secrets new protects now, and another key did before: 1. No other encryption key is in use',
    );
    expect(code).toBe(0);
    const [entry] = await stack.rows(
      'select actor, action, before, after from hookwright.audit_log order by id desc limit 1',
    );
    const [before, after] = ['{"encryptionKey":"old"}', '{"encryptionKey":"new"}'];
    expect(entry).toEqual({ actor: 'COMMAND_LINE', action: 'DATA_KEY_REWRAPPED', before, after });
  });

  const another = setting(newKey, { ...oldKey, key: randomBytes(32) });
  test.each([
    ['start', 'without a key that protects secrets', setting(newKey)],
    ['daemon', 'with another key of its name', another],
    ['api', 'without a key that protects secrets', setting(newKey)],
    ['tenant create acme', 'with another key of its name', another],
    ['keys rewrap', 'without a key that protects secrets', setting(newKey)],
  ])(
    '"hookwright %s" is refused %s',
    async (command, _, keys) => {
      const { code, said } = await hookwright(command, keys);
      expect(said).toContain(
        keys === another
          ? 'The encryption key old in ENCRYPTION_KEYS is another one than the key that protects secrets under this name (tenants: 1)'
          : 'ENCRYPTION_KEYS lacks the key old, which protects secrets (tenants: 1).',
      );
      expect(code).toBe(1);
    },
    60_000,
  );
});

describe('giving up a lost key', () => {
  test('is announced, touches no other tenant, and lets owners go on with new secrets and their held events', async () => {
    const receiver = await stack.endpoint();
    const { webhookId: id, secret } = receiver;
    const { id: safe } = await createTenant(stack.services.db, vaultOf(newKey), 'safe', commandLine);
    const signingKey = await vaultOf(oldKey).newSigningKey(stack.tenantId);
    await stack.change(id, { signing: 'SECRET_AND_KEY', signingKey });
    const keys = setting(newKey);
    const rowsOf = () =>
      stack.rows<{ id: number; data_key_kid: string; data_key: Buffer }>(
        'select id, data_key_kid, data_key from hookwright.tenants order by id',
      );
    const before = await rowsOf();

    const announced = await hookwright('keys give-up old', keys);
    expect(announced).toMatchObject({ code: 0, said: expect.stringContaining('old (tenants: 1) would be lost') });
    expect(await rowsOf()).toEqual(before);
    const done = await hookwright('keys give-up old --for-good', keys);
    expect(done).toMatchObject({ code: 0, said: expect.stringContaining('old (tenants: 1) are given up') });
    const after = await rowsOf();
    expect(after.map(({ data_key_kid }) => data_key_kid)).toEqual(['new', 'new']);
    expect(after.find((row) => row.id === safe)).toEqual(before.find((row) => row.id === safe));
    expect(await stack.webhookRow(id)).toMatchObject({ active: false, disabled_reason: 'PAUSED' });
    expect(await vaultOf(newKey).open(stack.tenantId, id, await sealedSecret(id))).not.toBe(secret);

    await stack.emit();
    const { db, random } = stack.services;
    const rotation = { webhookId: id, overlapHours: 0, by: commandLine };
    const rotated = await rotateSecret(db, vaultOf(newKey), random, stack.tenantId, rotation);
    await stack.change(id, { active: true });
    await withDaemon(vaultOf(newKey), () => eventually(() => receiver.received.length === 1));
    const { headers, body } = receiver.received[0]!;
    expect(headers['x-service-signature']).toBe(signatureOf(rotated.secret, body));
    const [other] = await stack.rows<{ kid: string }>('select kid from hookwright.signing_keys where ends_at is null');
    expect(other!.kid).not.toBe(signingKey.kid);
    expect(headers['webhook-signature']).toMatch(/^v1,\S+ v1a,\S+$/);
  }, 60_000);

  test('leaves no process that was not stopped a way to seal with it', async () => {
    const running = vaultOf(oldKey);
    const { id } = await stack.webhook('https://a.example.com/');
    await running.open(stack.tenantId, id, await sealedSecret(id)); // it knows the tenant's data key
    await hookwright('keys give-up old --for-good', setting(newKey));
    await expect(running.seal(stack.tenantId, id, 'whsec_any')).rejects.toThrow('ENCRYPTION_KEYS has no key named new');
  }, 60_000);

  test('is refused for a name that no key in use has, with those that are in use', async () => {
    expect(await hookwright('keys give-up Old --for-good', setting(newKey))).toEqual({
      code: 1,
      said: "hookwright: No tenant's secrets are protected by an encryption key Old: nothing is changed. In use: old (tenants: 1).\n",
    });
  }, 60_000);

  test('gives up nothing that the key there opens', async () => {
    const keys = setting(newKey, oldKey);
    const { said } = await hookwright('keys give-up old --for-good', keys);
    expect(said).toContain('The encryption key old is not lost: it opens all that it protects. Nothing is changed.');
    const namesake = vaultOf({ ...oldKey, key: randomBytes(32) });
    const { id } = await createTenant(stack.services.db, namesake, 'of another key under the same name', commandLine);
    const mixed = await lockedOutTenants(stack.services.db, [oldKey], 'old');
    expect(mixed.map((tenant) => tenant.id)).toEqual([id]);
  }, 60_000);
});

describe('a tenant whose secrets do not open', () => {
  test('waits for a daemon that has its key, and burns no attempt; others are delivered', async () => {
    const receiver = await stack.endpoint();
    const { services } = stack;
    const otherVault = vaultOf({ ...oldKey, key: randomBytes(32) });
    const locked = await createTenant(services.db, otherVault, 'of another key under the same name', commandLine);
    await makeWebhook({ ...services, vault: otherVault }, locked.id, { url: `${receiver.url}/locked` });
    const jobsPutOff = () => jobsIn(stack, `${OF_DELIVERIES} and run_at > now() + interval '50 seconds'`);
    await withDaemon(services.vault, async () => {
      await emitMany(services, locked.id, 1);
      await emitMany(services, stack.tenantId, 1);
      await eventually(async () => (await jobsPutOff()).length === 1 && receiver.received.length === 1);
    });
    expect(await jobsPutOff()).toMatchObject([{ attempts: 0, last_error: null }]);
    const waiting = await stack.deliveries(`tenant_id = ${locked.id}`);
    expect(waiting).toMatchObject([{ status: 'PENDING', attempt_count: 0 }]);

    await changeJobs(stack, 'run_at = now()');
    await withDaemon(otherVault, () => eventually(() => receiver.received.length === 2));
    expect(receiver.received[1]?.path).toMatch(/locked$/);
  });
});

describe('at rest', () => {
  test('a sealed secret that was moved to another webhook, or another tenant, does not open', async () => {
    const one = await stack.webhook('https://a.example.com/');
    const two = await stack.webhook('https://b.example.com/');
    const stranger = await makeTenant(stack.services);
    const sealed = await sealedSecret(one.id);
    const vault = vaultOf(oldKey);
    await expect(vault.open(stack.tenantId, two.id, sealed)).rejects.toThrow('cannot be opened');
    await expect(vault.open(stranger.id, one.id, sealed)).rejects.toThrow('cannot be opened');
    await stack.rows(
      `update hookwright.tenants t set data_key = (select data_key from hookwright.tenants where id = ${stranger.id})
       where id = ${stack.tenantId}`,
    );
    await expect(vaultOf(oldKey).open(stack.tenantId, one.id, sealed)).rejects.toThrow('cannot be opened');
  });
});
