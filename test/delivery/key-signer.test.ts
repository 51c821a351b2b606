import { createPublicKey, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addKeySignature, KeySigner } from '../../daemon/delivery/key-signer.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { managementTransaction } from '../../src/operations/rows/unit-of-work.js';
import { addFirstKey, rotateSigningKey } from '../../src/operations/signing-keys/change-signing-keys.js';
import { DeliveryStack } from '../support/delivery-stack.js';

let stack: DeliveryStack;
let ahead: number;
let signer: KeySigner;

beforeEach(async () => {
  stack = await DeliveryStack.open();
  ahead = 0;
  const { db, vault } = stack.services;
  signer = new KeySigner(db.pool, vault, () => performance.now() + ahead);
});
afterEach(() => stack[Symbol.asyncDispose]());

async function addKey(): Promise<string> {
  const { db, vault } = stack.services;
  const { tenantId } = stack;
  const key = await vault.newSigningKey(tenantId);
  await managementTransaction(db, tenantId, (unit) => addFirstKey(unit, tenantId, key));
  return key.publicKey.toString('base64url');
}
async function rotate(inHours: number) {
  const { kid } = await rotateSigningKey(stack.services.db, stack.services.vault, stack.tenantId, {
    inHours,
    by: commandLine,
  });
  const [row] = await stack.rows<{ public: Buffer }>(`select public from hookwright.signing_keys where kid = '${kid}'`);
  return { kid, publicKey: row!.public.toString('base64url') };
}
const publicOf = (key: KeyObject) => createPublicKey(key).export({ format: 'jwk' }).x;
const used = async () => publicOf(await signer.keyOf(stack.tenantId));
const inSeconds = (kid: string, seconds: number) =>
  stack.rows(
    `update hookwright.signing_keys set used_from = now() + interval '${seconds} seconds' where kid = '${kid}'`,
  );

test('the key of a tenant is kept for a minute', async () => {
  const key = await addKey();
  const query = vi.spyOn(stack.services.db.pool, 'query');
  const reads = () => query.mock.calls.filter(([asked]) => /signing_keys/.test(JSON.stringify(asked))).length;
  expect(await Promise.all([used(), used()])).toEqual([key, key]);
  ahead = 59_000;
  expect(await used()).toBe(key);
  expect(reads()).toBe(1);
  ahead = 61_000;
  expect(await used()).toBe(key);
  expect(reads()).toBe(2);
});

test('a key that waits signs from its time on, without another read', async () => {
  const old = await addKey();
  const young = await rotate(24);
  await inSeconds(young.kid, 30);
  expect(await used()).toBe(old);
  ahead = 29_000;
  expect(await used()).toBe(old);
  ahead = 30_500;
  expect(await used()).toBe(young.publicKey);
});

test('after a leak the key before signs until the new one does', async () => {
  const old = await addKey();
  const young = await rotate(0);
  expect(await used()).toBe(old);
  await stack.rows(`update hookwright.signing_keys set used_from = now() - interval '1 second', ends_at = null
                    where kid = '${young.kid}'`);
  await stack.rows(`update hookwright.signing_keys set ends_at = now() where kid <> '${young.kid}'`);
  ahead = 61_000;
  expect(await used()).toBe(young.publicKey);
});

test('without a key nothing is kept: the next delivery looks again', async () => {
  await expect(signer.keyOf(stack.tenantId)).rejects.toThrow(`Tenant ${stack.tenantId} has no key pair that signs.`);
  const key = await addKey();
  expect(await used()).toBe(key);
});

test('a request without the headers of Standard Webhooks stays as it is', async () => {
  await addKey();
  const request = { headers: { 'X-Service-Signature': 'sha256=0' }, body: Buffer.from('{}') };
  await addKeySignature(request, await signer.keyOf(stack.tenantId));
  expect(request.headers).toEqual({ 'X-Service-Signature': 'sha256=0' });
});
