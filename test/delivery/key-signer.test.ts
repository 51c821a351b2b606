import { createPublicKey, type KeyObject } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addKeySignature, KeySigner } from '../../daemon/delivery/key-signer.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { managementTransaction } from '../../src/operations/rows/unit-of-work.js';
import { addFirstKey, rotateSigningKey } from '../../src/operations/signing-keys/change-signing-keys.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { draws, drawsTimeoutMs, fc } from '../support/properties.js';

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

interface KeyTimes {
  kid: string;
  fromMs: number;
  /** Infinite: no other key has taken its place. */
  endMs: number;
  isErased: boolean;
}

/** The keys of the tenant, in ms from now by the clock of Postgres. */
const keyTimes = () =>
  stack.rows<KeyTimes>(`
    select kid, extract(epoch from used_from - now())::float8 * 1000 as "fromMs",
           coalesce(extract(epoch from ends_at - now())::float8 * 1000, 'Infinity') as "endMs",
           sealed = '' as "isErased"
    from hookwright.signing_keys`);
const pass = (minutes: number) =>
  stack.rows(`update hookwright.signing_keys set used_from = used_from - interval '${minutes} minutes',
                     ends_at = ends_at - interval '${minutes} minutes'`);

/** The key that signs at a moment, by what the tables say of it now. */
const signsAt = (keys: readonly KeyTimes[], ms: number) =>
  keys.filter(({ fromMs, endMs }) => fromMs <= ms && ms < endMs).toSorted((a, b) => b.fromMs - a.fromMs)[0];

test('a second rotation at once replaces the key that waits, and the one that signs goes on until then', async () => {
  const old = await addKey();
  await rotate(0);
  await pass(9);
  const young = await rotate(0);
  await pass(5);
  ahead = 14 * 60_000;
  expect(await used()).toBe(old);
  await pass(5);
  ahead = 19 * 60_000;
  expect(await used()).toBe(young.publicKey);
  expect((await keyTimes()).filter(({ endMs }) => endMs > 0).map(({ kid }) => kid)).toEqual([young.kid]);
});

const rotations = fc.array(
  fc.record({
    inHours: fc.constantFrom(0, 0, 24, 48, 168),
    // About the ten minutes of a rotation at once, the days of others, and the week that a former key is published.
    afterMinutes: fc.oneof(fc.integer({ min: 1, max: 25 }), fc.integer({ min: 1, max: 30_000 })),
  }),
  { minLength: 1, maxLength: 8 },
);

test(
  'whatever the rotations, at each moment a key signs that was published ten minutes before',
  async () => {
    await fc.assert(
      fc.asyncProperty(rotations, async (steps) => {
        await stack.rows('delete from hookwright.signing_keys');
        await addKey();
        let signing = (await keyTimes())[0]!.kid;
        for (const { inHours, afterMinutes } of steps) {
          await pass(afterMinutes);
          signing = signsAt(await keyTimes(), 0)!.kid;
          const isRefused = await rotate(inHours).then(
            () => false,
            (error: { reason: string }) => error.reason === 'rotation_under_way',
          );
          const keys = await keyTimes();
          // The rotation itself changes nothing of who signs.
          expect(signsAt(keys, 0)!.kid).toBe(signing);
          expect(isRefused && inHours === 0).toBe(false);
          const changes = keys.flatMap(({ fromMs, endMs }) => [fromMs, endMs]).filter((ms) => ms > 0 && ms < Infinity);
          for (const ms of changes.flatMap((at) => [at - 1, at, at + 1])) {
            expect(signsAt(keys, ms), `in ${ms} ms`).toMatchObject({ isErased: false });
          }
          const waiting = keys.filter(({ fromMs, endMs }) => fromMs > 0 && endMs > 0);
          expect(waiting.length).toBeLessThanOrEqual(1);
          if (!isRefused) {
            expect(waiting[0]!.fromMs).toBeGreaterThan(9.5 * 60_000);
          }
          expect(keys.filter(({ endMs }) => endMs === Number.POSITIVE_INFINITY)).toHaveLength(1);
        }
      }),
      draws(5),
    );
  },
  drawsTimeoutMs(60_000),
);
