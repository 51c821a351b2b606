import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { formatApiKey } from '../../src/domain/keys/api-key.js';
import { GRANTABLE_SCOPES, SCOPES } from '../../src/domain/keys/scopes.js';
import { makeKey, makeTenant, TestClock } from '../support/factories.js';
import { codesOf, dataOf, nodesOf, openGraphql, viewerQuery } from '../support/graphql-api.js';
import { gid, numberIn } from '../support/ids.js';

const clock = new TestClock();

const { api, tenant } = await openGraphql({}, clock.monotonic);
const platform = await makeKey(api.services, null, ['platform:admin']);

const viewer = (key: string | undefined) => api.by({ key }).ask(viewerQuery);
const createKey = (input: object, key = tenant.key, named?: number) =>
  api
    .by(named === undefined ? { key } : { key, tenant: named })
    .mutate('createApiKey', input, 'key apiKey { id name scopes expiresAt revokedAt }');
const created = async (input: object, key = tenant.key) => dataOf(await createKey(input, key)).createApiKey;
const revoke = (id: number | string, key = tenant.key) =>
  api.by({ key }).mutate('revokeApiKey', { id }, 'apiKey { id revokedAt }');

const expiresIn = (id: string, seconds: number) =>
  api.owner.query(`update hookwright.api_keys set expires_at = now() + $2 * interval '1 second' where id = $1`, [
    numberIn(id),
    seconds,
  ]);

/** The ids of the keys that the caller sees, in their order. */
async function listed(args: string, key: string): Promise<string[]> {
  const { apiKeys } = await api.by({ key }).read(`{ apiKeys${args} { edges { node { id } } } }`);
  return nodesOf(apiKeys).map(({ id }) => id);
}

test('an API key that cannot be made is told all that is wrong with it at once', async () => {
  const { errors } = await createKey({ name: ' ', scopes: [], expiresInSeconds: 1 });
  expect(errors[0].extensions.errors.map(({ path }: { path: string[] }) => path)).toEqual([
    ['input', 'name'],
    ['input', 'scopes'],
    ['input', 'expiresInSeconds'],
  ]);
});

describe('authentication', () => {
  test('a valid key says who asks', async () => {
    const { data } = await viewer(tenant.key);
    expect(data.viewer).toMatchObject({
      tenant: { id: gid.tenant(tenant.id) },
      apiKey: { id: gid.apiKey(tenant.keyId) },
      scopes: [...SCOPES],
    });
  });

  test('no key and every bad key get a 401 that names the scheme, the same for all that are well-formed', async () => {
    const expiring = await created({ name: 'short', scopes: ['webhooks:read'], expiresInSeconds: 60 });
    const revoked = await makeKey(api.services, tenant.id, ['webhooks:read']);
    await revoke(revoked.id);
    expect((await viewer(expiring.key)).status).toBe(200);
    await expiresIn(expiring.apiKey.id, 0);
    clock.advance(4_000);
    const malformed = ['nonsense', tenant.key.slice(0, -1), `${tenant.key} x`];
    const bad = [
      formatApiKey(999_999, Buffer.alloc(32, 1)), // unknown
      formatApiKey(tenant.keyId, Buffer.alloc(32, 1)), // the id of a key, with another secret
      expiring.key,
      revoked.key,
    ];
    const answers = await Promise.all([...bad, ...malformed].map((key) => viewer(key)));
    for (const answer of [...answers, await viewer(undefined)]) {
      expect(answer).toMatchObject({ status: 401, data: undefined });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect(answer.errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', reason: 'unauthenticated' });
    }
    const messages = answers.map(({ errors }) => errors[0].message);
    expect(new Set(messages.slice(0, bad.length))).toEqual(new Set([expect.stringMatching(/unknown, expired/)]));
    expect(new Set(messages.slice(bad.length))).toEqual(new Set([expect.stringContaining('is malformed')]));
  });

  test('a key is looked up once for many requests at once, and its use noted once', async () => {
    const { key } = await makeKey(api.services, tenant.id, ['webhooks:read']);
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    const named = (name: string) =>
      statements.mock.calls.filter(([query]) => (query as unknown as { name?: string }).name === name);
    const noted = () => named('write_api_key_last_used');
    try {
      const ask = () => api.services.authenticator.authenticate(`Bearer ${key}`, '127.0.0.1');
      await Promise.all(Array.from({ length: 50 }, ask));
      expect(named('read_api_key')).toHaveLength(1);
      await expect.poll(noted).toHaveLength(1);
    } finally {
      statements.mockRestore();
    }
  });

  test.each(['bearer', 'BEARER', 'Bearer  '])('the scheme may be written %j', async (scheme) => {
    const caller = await api.services.authenticator.authenticate(`${scheme} ${tenant.key}`, '127.0.0.1');
    expect(caller.tenantId).toBe(tenant.id);
  });

  test('a database that is away is not a bad key', async () => {
    const away = vi
      .spyOn(api.services.db.pool, 'query')
      .mockRejectedValue(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) as never);
    try {
      clock.advance(10_000);
      const answer = await viewer(tenant.key);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toMatch(/^[15]$/);
      expect(codesOf(answer)).toEqual(['UNAVAILABLE']);
    } finally {
      away.mockRestore();
    }
  });
});

describe('making and revoking keys', () => {
  test('a key grants only scopes that it holds', async () => {
    const { key } = await makeKey(api.services, tenant.id, ['keys:admin', 'webhooks:read']);
    const granted = await created({ name: 'less', scopes: ['webhooks:read'] }, key);
    expect(granted.apiKey).toMatchObject({ name: 'less', scopes: ['webhooks:read'], expiresAt: null });
    expect((await viewer(granted.key)).data.viewer.scopes).toEqual(['webhooks:read']);
    const refused = async (scopes: string[], ...by: [string, number?]) =>
      expect(codesOf(await createKey({ name: 'more', scopes }, ...by))).toEqual(['FORBIDDEN']);
    await refused(['webhooks:write'], key);
    await refused(['webhooks:read', 'events:emit'], key);
    await refused(['platform:admin'], key);
    await refused(['platform:admin'], platform.key, tenant.id);
    await refused(['webhooks:read'], platform.key);
    for (const scope of ['platform:admin', 'platform:support', 'platform:read']) {
      await created({ name: 'second', scopes: [scope] }, platform.key);
    }
  });

  test.each([
    ['an empty name', { name: ' ' }, ['input', 'name']],
    ['a name that is too long', { name: 'a'.repeat(201) }, ['input', 'name']],
    ['a name with a line break', { name: 'a\nb' }, ['input', 'name']],
    ['no scopes', { scopes: [] }, ['input', 'scopes']],
    ['an unknown scope', { scopes: ['webhooks:read', 'all'] }, ['input', 'scopes', 1]],
    ['a scope twice', { scopes: ['webhooks:read', 'webhooks:read'] }, ['input', 'scopes', 1]],
    ['59 seconds', { expiresInSeconds: 59 }, ['input', 'expiresInSeconds']],
    ['-1 seconds', { expiresInSeconds: -1 }, ['input', 'expiresInSeconds']],
    ['more than ten years', { expiresInSeconds: 2_147_483_647 }, ['input', 'expiresInSeconds']],
  ])('%s is refused at its place', async (_name, wrong, path) => {
    const { errors } = await createKey({ name: 'x', scopes: ['webhooks:read'], ...wrong });
    expect(errors[0].extensions).toMatchObject({ code: 'BAD_USER_INPUT', errors: [{ path }] });
  });

  test('a wrong scope is named, with what this caller can grant instead', async () => {
    const { key } = await makeKey(api.services, tenant.id, ['keys:admin', 'webhooks:read']);
    const issuesOf = async (scopes: string[], ...asking: [string, number?]) =>
      (await createKey({ name: 'x', scopes }, ...asking)).errors[0].extensions.errors;
    expect(await issuesOf(['foo', 'webhooks:read', 'webhooks:read'], key)).toEqual([
      {
        path: ['input', 'scopes', 0],
        code: 'scope_unknown',
        detail: '"foo" is not a scope; you can grant webhooks:read, keys:admin',
      },
      { path: ['input', 'scopes', 2], code: 'duplicate', detail: '"webhooks:read" is in the list twice' },
    ]);
    const [forTenant] = await issuesOf(['foo'], platform.key, tenant.id);
    expect(forTenant.detail).toBe(`"foo" is not a scope; you can grant ${GRANTABLE_SCOPES.join(', ')}`);
    const [forPlatform] = await issuesOf(['f'.repeat(9_999)], platform.key);
    expect(forPlatform.detail).toBe(
      `"${'f'.repeat(50)}" is not a scope; you can grant platform:read, platform:support, platform:admin`,
    );
  });

  test('revoking is for good, works twice, and is seen in the list', async () => {
    const owner = await makeTenant(api.services);
    const { id, key } = await makeKey(api.services, owner.id, ['webhooks:read']);
    expect((await viewer(key)).status).toBe(200);
    const first = await revoke(id, owner.key);
    expect((await viewer(key)).status).toBe(401);
    const second = await revoke(id, owner.key);
    expect(first.data.revokeApiKey.apiKey.revokedAt).toEqual(expect.any(String));
    expect(second.data).toEqual(first.data);
    expect(await listed('', owner.key)).toEqual([gid.apiKey(id), gid.apiKey(owner.keyId)]);
    for (const unknown of ['0', 'x', '999999']) {
      expect(codesOf(await revoke(unknown, owner.key))).toEqual(['NOT_FOUND']);
    }
  });

  test('the list has pages, and finds the keys that can be used among those that cannot', async () => {
    const owner = await makeTenant(api.services);
    const revoked = await makeKey(api.services, owner.id, ['webhooks:read']);
    await revoke(revoked.id, owner.key);
    const short = { name: 'short', scopes: ['webhooks:read'], expiresInSeconds: 60 };
    const expired = (await created(short, owner.key)).apiKey.id;
    const lasting = (await created(short, owner.key)).apiKey.id;
    await expiresIn(expired, 0);
    const dead = [expired, gid.apiKey(revoked.id)];
    const alive = [lasting, gid.apiKey(owner.keyId)];
    expect(await listed('(filter: {active: true})', owner.key)).toEqual(alive);
    expect(await listed('(filter: {active: false})', owner.key)).toEqual(dead);
    expect(await listed('(filter: {active: null})', owner.key)).toHaveLength(4);
    const { apiKeys } = await api
      .by(owner)
      .read('{ apiKeys(first: 2) { edges { node { id } } pageInfo { hasNextPage endCursor } } }');
    const { hasNextPage, endCursor } = apiKeys.pageInfo;
    expect([nodesOf(apiKeys), hasNextPage]).toEqual([[{ id: lasting }, { id: expired }], true]);
    const rest = [gid.apiKey(revoked.id), gid.apiKey(owner.keyId)];
    expect(await listed(`(first: 2, after: "${endCursor}")`, owner.key)).toEqual(rest);
  });

  test('a platform key that names no tenant lists the platform keys, and no others', async () => {
    expect(await listed('', platform.key)).toContain(gid.apiKey(platform.id));
    expect(await listed('', platform.key)).not.toContain(gid.apiKey(tenant.keyId));
    expect(await listed('', tenant.key)).not.toContain(gid.apiKey(platform.id));
  });

  test('only the hash of a key is stored', async () => {
    const { key, apiKey } = await created({ name: 'secret', scopes: ['webhooks:read'] });
    const sql = 'select k::text as row from hookwright.api_keys k where id = $1';
    const { rows } = await api.owner.query(sql, [numberIn(apiKey.id)]);
    expect(rows[0].row).not.toContain(key.slice(8, 40));
  });
});

test('two keys that revoke each other at the same time are both revoked', async () => {
  for (let round = 0; round < 5; round++) {
    const one = await makeKey(api.services, tenant.id, ['keys:admin']);
    const other = await makeKey(api.services, tenant.id, ['keys:admin']);
    await Promise.all([viewer(one.key), viewer(other.key)]); // both are known: neither has to be looked up first
    const answers = await Promise.all([revoke(one.id, other.key), revoke(other.id, one.key)]);
    for (const answer of answers) {
      expect(dataOf(answer).revokeApiKey.apiKey.revokedAt).toEqual(expect.any(String));
    }
  }
});

test('a key that expires can make only keys that expire no later, by the clock that ends them', async () => {
  const scopes = ['keys:admin', 'webhooks:read'];
  const { key, apiKey } = await created({ name: 'short', scopes, expiresInSeconds: 60 });
  await expiresIn(apiKey.id, 3_540);
  const refused = async (expiresInSeconds: number | null) =>
    (await createKey({ name: 'longer', scopes, expiresInSeconds }, key)).errors[0].extensions.errors;
  const [{ path, code, detail }] = await refused(null);
  expect({ path, code }).toEqual({ path: ['input', 'expiresInSeconds'], code: 'too_big' });
  const [, secondsLeft] = /^must be at most (\d+): the API key of this request expires then/.exec(detail) ?? [];
  expect(Number(secondsLeft)).toBeLessThanOrEqual(3_540);
  expect(await refused(Number(secondsLeft) + 1)).toHaveLength(1);
  await created({ name: 'shorter', scopes, expiresInSeconds: Number(secondsLeft) - 60 }, key);
});
