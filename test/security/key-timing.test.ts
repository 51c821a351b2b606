import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { formatApiKey } from '../../src/domain/keys/api-key.js';
import { createTestDatabase } from '../support/database.js';
import { makeKey, makeTenant, openTestServices, TestClock } from '../support/factories.js';

const clock = new TestClock();
const address = '192.0.2.1';

const { url, drop } = await createTestDatabase();
const services = await openTestServices(url, { now: clock.monotonic });
const tenant = await makeTenant(services);
afterAll(() => services.db.close().then(drop));

const authenticate = (key: string, from = address) => services.authenticator.authenticate(`Bearer ${key}`, from);
const unknown = () => formatApiKey(999_999, randomBytes(32));
const wrong = () => formatApiKey(tenant.keyId, randomBytes(32));

/** The names of the statements that were sent meanwhile. */
async function statementsOf(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const query = vi.spyOn(services.db.pool, 'query');
  try {
    await work();
    return query.mock.calls.map(([statement]) => (statement as { name?: string }).name);
  } finally {
    query.mockRestore();
  }
}

const refusalOf = (key: string) =>
  authenticate(key).then(
    () => expect.unreachable(),
    ({ reason, detail }: { reason: string; detail: string }) => ({ reason, detail }),
  );

describe('a well-formed key that is no good', () => {
  test('takes the same path to the same answer: unknown, wrong, expired or revoked', async () => {
    await authenticate(tenant.key); // cached
    const notCached = await makeKey(services, tenant.id, ['webhooks:read']);
    const expired = await makeKey(services, tenant.id, ['webhooks:read']);
    const revoked = await makeKey(services, tenant.id, ['webhooks:read']);
    for (const { key } of [expired, revoked]) {
      await authenticate(key);
    }
    const { pool } = services.db;
    await pool.query("update hookwright.api_keys set expires_at = now() - interval '1 s' where id = $1", [expired.id]);
    await pool.query('update hookwright.api_keys set revoked_at = now() where id = $1', [revoked.id]);
    services.authenticator.forget(expired.id);
    clock.advance(4_000);
    await authenticate(tenant.key);
    await refusalOf(revoked.key); // was familiar until now
    const expected = await refusalOf(unknown());
    expect(expected.reason).toBe('unauthenticated');
    for (const key of [unknown(), wrong(), formatApiKey(notCached.id, randomBytes(32)), expired.key, revoked.key]) {
      const statements = await statementsOf(async () => expect(await refusalOf(key)).toEqual(expected));
      expect(statements).toEqual(['read_api_key', 'read_own_cell']);
    }
  });

  test('is refused after the same time, whether its id exists or not', async () => {
    await authenticate(tenant.key);
    const times: Record<'unknown' | 'wrong', number[]> = { unknown: [], wrong: [] };
    for (let i = 0; i < 200; i++) {
      // In turns, so that whatever else the machine does disturbs both alike.
      const kinds = ['unknown', 'wrong'] as const;
      for (const kind of i % 2 ? kinds : kinds.toReversed()) {
        const key = kind === 'unknown' ? unknown() : wrong();
        const startedAt = performance.now();
        await refusalOf(key);
        times[kind].push(performance.now() - startedAt);
      }
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
    expect(Math.abs(median(times.unknown) - median(times.wrong))).toBeLessThan(2);
    // A timer may fire up to a millisecond early by another clock.
    expect(Math.min(...times.unknown, ...times.wrong)).toBeGreaterThan(8.9);
  });

  test('with a bad checksum is refused without asking the database', async () => {
    const mistyped = tenant.key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'));
    expect(await statementsOf(() => refusalOf(mistyped))).toEqual([]);
  });
});

describe("who knows a key's id and not its secret", () => {
  test('neither evicts nor refreshes what is remembered of the key', async () => {
    const { id, key } = await makeKey(services, tenant.id, ['webhooks:read']);
    const guess = () => refusalOf(formatApiKey(id, randomBytes(32)));
    await authenticate(key);
    clock.advance(2_000);
    await guess();
    expect(await statementsOf(() => authenticate(key))).toEqual([]);
    await guess();
    clock.advance(2_000);
    expect(await statementsOf(() => authenticate(key))).toEqual(['read_api_key']);
  });

  test('does not keep its owner waiting, fresh or stale, from the same address', async () => {
    let nowMs = 0;
    // Another process on the same database, with the shipped limits at their least.
    const strict = await openTestServices(url, { settings: { KEY_FAILURES_RATE_MAX: '1' }, now: () => nowMs });
    onTestFinished(() => strict.db.close());
    const { authenticator } = strict;
    const own = () => authenticator.authenticate(`Bearer ${tenant.key}`, address);
    await own();
    for (let i = 0; i < 30; i++) {
      await authenticator.authenticate(`Bearer ${wrong()}`, address).catch(() => {});
    }
    await expect(authenticator.authenticate(`Bearer ${wrong()}`, address)).rejects.toMatchObject({
      reason: 'rate_limited',
    });
    await expect(own()).resolves.toMatchObject({ keyId: tenant.keyId });
    nowMs = 4_000;
    await expect(own()).resolves.toMatchObject({ keyId: tenant.keyId });
  });
});
