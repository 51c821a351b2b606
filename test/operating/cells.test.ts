import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { enableCell } from '../../src/operations/installation/enable-cell.js';
import { copyKey } from '../../src/operations/keys/copy-key.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createTenant } from '../../src/operations/tenants/create-tenant.js';
import { openPool } from '../../src/platform/database/database.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import { createTestDatabase } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { makeKey, makeTenant, openTestServices, type TestTenant } from '../support/factories.js';
import { skipsHaproxyTests, startHaproxy } from '../support/haproxy.js';
import { ownPort } from '../support/loopback.js';
import { runNginx, skipsNginxTests } from '../support/nginx.js';
import { onServer } from '../support/on-server.js';

/** What the number says of the first one that never was. */
const OF_CELL_7 = 70_000_000_000_001;

async function openCell(number: number) {
  const database = await createTestDatabase();
  await onServer(database.url, (client) => enableCell(client, { number: number === 0 ? null : number, of: 16 }));
  const services = await openTestServices(database.url);
  const tenant = await makeTenant(services);
  const named = await createTenant(services.db, services.vault, 'named', commandLine, { externalId: `of-${number}` });
  const api = await ApiOverSockets.open(services, tenant.id);
  return {
    services,
    tenant,
    named,
    port: api.port,
    end: () => api.end(),
    async [Symbol.asyncDispose]() {
      await api.end().catch(() => {});
      await services.db.close();
      await database.drop();
    },
  };
}

let cells: Awaited<ReturnType<typeof openCell>>[];
/** Of cell 0, and copied into cell 1. */
let platform: string;
beforeAll(async () => {
  cells = [await openCell(0), await openCell(1)];
  const key = await makeKey(cells[0]!.services, null, ['platform:admin']);
  platform = key.key;
  const pools = cells.map(({ services }) => openPool(services.db.url, 1, () => {}));
  await copyKey({ pool: pools[0]! }, { pool: pools[1]! }, key.id);
  await Promise.all(pools.map((pool) => pool.end()));
}, 60_000);
afterAll(() => Promise.all(cells.map((cell) => cell[Symbol.asyncDispose]())));

/** Requests to one address. */
function clientOf(origin: string) {
  const ask = async (line: string, key: string | null, tenant?: string | number, json?: object) => {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(tenant === undefined ? {} : { 'hookwright-tenant': String(tenant) }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    // biome-ignore lint/suspicious/noExplicitAny: whatever JSON the answer has
    return { status, headers, body: text === '' ? undefined : (JSON.parse(text) as any) };
  };
  const viewer = async (key: string, tenant?: string | number) =>
    (await ask('POST /graphql', key, tenant, { query: '{ viewer { tenant { id } } }' })).body.data.viewer.tenant.id;
  return { ask, viewer };
}

type Client = ReturnType<typeof clientOf>;

/** The routes of the contract, by one key. */
async function contract({ ask, viewer }: Client, { id, key }: TestTenant): Promise<void> {
  const hook = { url: 'https://example.com/hooks', events: ['coupon.applied'] };
  const made = await ask('POST /api/v1/webhooks', key, undefined, hook);
  expect(made.status).toBe(201);
  const path = `/api/v1/webhooks/${made.body.data.id}`;
  expect((await ask('GET /api/v1/webhooks', key)).body.data).toMatchObject([{ id: made.body.data.id }]);
  expect((await ask(`PATCH ${path}`, key, undefined, { active: true })).status).toBe(200);
  expect((await ask(`POST ${path}/test`, key)).status).toBe(202);
  const input = { eventType: 'coupon.applied', payload: { code: 'X', discount_type: 'Y' } };
  const query = 'mutation ($input: EmitEventInput!) { emitEvent(input: $input) { deliveryCount } }';
  const emitted = await ask('POST /graphql', key, undefined, { query, variables: { input } });
  expect(emitted.body.data.emitEvent).toEqual({ deliveryCount: 1 });
  expect((await ask(`DELETE ${path}`, key)).status).toBe(204);
  expect(await viewer(key)).toBe(`tn_${id}`);
}

/** What both proxies do, by the rules of docs/cells.md. */
async function routes(client: Client): Promise<void> {
  const { ask, viewer } = client;
  for (const { tenant } of cells) {
    await contract(client, tenant);
    expect(await viewer(tenant.key, tenant.id)).toBe(`tn_${tenant.id}`);
    expect(await viewer(platform, tenant.id)).toBe(`tn_${tenant.id}`);
    expect(await viewer(platform, `tn_${tenant.id}`)).toBe(`tn_${tenant.id}`);
  }
  // An external id says no cell: it goes where the key was made.
  expect(await viewer(platform, 'ext:of-0')).toBe(`tn_${cells[0]!.named.id}`);
  expect((await ask('GET /api/v1/webhooks', platform, 'ext:of-1')).status).toBe(404);
  // Nobody's number: cell 0, whose API says whose it is.
  const lost = await ask('GET /api/v1/webhooks', platform, OF_CELL_7);
  expect([lost.status, lost.headers.get('hookwright-cell'), lost.body.code]).toEqual([421, '7', 'tenant_elsewhere']);
  expect((await ask('GET /api/v1/openapi.json', null)).status).toBe(200);
  expect((await ask('GET /api/v1/webhooks', null)).status).toBe(401);
  // A key of one cell with a tenant of another one: the tenant's cell says where the key belongs.
  const foreign = await ask('GET /api/v1/webhooks', cells[0]!.tenant.key, cells[1]!.tenant.id);
  expect([foreign.status, foreign.headers.get('hookwright-cell')]).toEqual([421, '0']);
}

/** The address of cell 1 leads there, whatever number a request has, and also without one. */
async function leadsToItself(origin: string): Promise<void> {
  const { key } = cells[0]!.tenant;
  const headers = { host: 'c1.hooks.example.com', authorization: `Bearer ${key}` };
  const { statusCode, headers: answered } = await request(`${origin}/api/v1/webhooks`, { headers });
  expect([statusCode, answered['hookwright-cell']]).toEqual([421, '0']);
}

/** What the proxy itself answers for cell 0 is JSON, for REST and for GraphQL. */
async function saysThatItIsDown(ask: Client['ask']): Promise<void> {
  const { key } = cells[0]!.tenant;
  const rest = await ask('GET /api/v1/webhooks', key);
  expect([rest.status, rest.headers.get('retry-after'), rest.body.code]).toEqual([503, '1', 'unavailable']);
  const graphql = await ask('POST /graphql', key, undefined, { query: '{ __typename }' });
  expect(graphql.status).toBe(503);
  expect(graphql.body.errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE', reason: 'unavailable' });
}

describe.skipIf(skipsHaproxyTests)('two cells behind HAProxy with ops/haproxy/cells.cfg', () => {
  test('are one address: each request goes to the cell of its tenant or key', { timeout: 60_000 }, async () => {
    await using proxy = await startHaproxy(
      cells.map(({ port }) => port),
      [],
    );
    await routes(clientOf(proxy.origin));
    await leadsToItself(proxy.origin);
  });

  test('a wrong map is seen, a tenant that is moved is held, and others go on', { timeout: 60_000 }, async () => {
    const [first, second] = cells.map(({ tenant }) => tenant);
    const held = cells[1]!.named.id;
    await using proxy = await startHaproxy(
      cells.map(({ port }) => port),
      [`t${first!.id} 1`, `k${first!.keyId} 1`, `t${held} hold`],
    );
    const { ask, viewer } = clientOf(proxy.origin);
    for (const [key, tenant] of [[first!.key], [platform, first!.id]] as const) {
      const answer = await ask('GET /api/v1/webhooks', key, tenant);
      expect([answer.status, answer.headers.get('hookwright-cell')]).toEqual([421, '0']);
    }
    const rest = await ask('GET /api/v1/webhooks', platform, held);
    expect([rest.status, rest.headers.get('retry-after'), rest.body.code]).toEqual([503, '1', 'tenant_moving']);
    const graphql = await ask('POST /graphql', platform, held, { query: '{ __typename }' });
    expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '1']);
    expect(graphql.body.errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE', reason: 'tenant_moving' });
    expect(await viewer(second!.key)).toBe(`tn_${second!.id}`);
  });
});

/** ops/nginx/cells.conf for APIs on these ports, on loopback and without TLS. */
function nginxOf(folder: string, port: number, ports: readonly number[], moved: readonly string[]): string {
  writeFileSync(join(folder, 'hookwright-moved.map'), moved.join('\n'));
  return readFileSync(new URL('../../ops/nginx/cells.conf', import.meta.url), 'utf8')
    .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replaceAll(/ {2}ssl_.*\n/g, '')
    .replace('/etc/nginx', folder)
    .replaceAll(/server 10\.0\.(\d)\.1:3000/g, (_, cell: string) => `server 127.0.0.1:${ports[Number(cell)]}`)
    .replaceAll(/ {2}server 10\.0\..*\n/g, '');
}

test.skipIf(skipsNginxTests)(
  'nginx with ops/nginx/cells.conf leads to the same cells',
  { timeout: 60_000 },
  async () => {
    const port = await ownPort();
    const held = cells[1]!.named.id;
    const ports = cells.map((cell) => cell.port);
    await using _nginx = await runNginx(
      (folder) => nginxOf(folder, port, ports, [`t${held} hold;`, `k${cells[0]!.tenant.keyId + 500} 1;`]),
      async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).ok,
    );
    const client = clientOf(`http://127.0.0.1:${port}`);
    await routes(client);
    await leadsToItself(`http://127.0.0.1:${port}`);
    const { status, headers, body } = await client.ask('GET /api/v1/webhooks', platform, held);
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(body.errors[0].extensions.reason).toBe('tenant_moving');
  },
);

test.skipIf(skipsNginxTests)('nginx says it too when a cell is down', { timeout: 60_000 }, async () => {
  const port = await ownPort();
  await using _nginx = await runNginx(
    (folder) => nginxOf(folder, port, [1, cells[1]!.port], []),
    async () => (await fetch(`http://127.0.0.1:${port}/health/live`)).status === 503,
  );
  const client = clientOf(`http://127.0.0.1:${port}`);
  await saysThatItIsDown(client.ask);
  expect(await client.viewer(cells[1]!.tenant.key)).toBe(`tn_${cells[1]!.tenant.id}`);
});

test.skipIf(skipsHaproxyTests)(
  'a cell that is down is 503 for its own tenants alone',
  { timeout: 60_000 },
  async () => {
    await using proxy = await startHaproxy(
      cells.map(({ port }) => port),
      [],
    );
    const { ask, viewer } = clientOf(proxy.origin);
    const { tenant } = cells[1]!;
    await cells[0]!.end();
    await eventually(async () => (await ask('GET /api/v1/webhooks', cells[0]!.tenant.key)).status === 503);
    await saysThatItIsDown(ask);
    for (let asked = 0; asked < 50; asked++) {
      expect((await ask('GET /api/v1/webhooks', tenant.key)).status).toBe(200);
    }
    expect(await viewer(tenant.key)).toBe(`tn_${tenant.id}`);
  },
);
