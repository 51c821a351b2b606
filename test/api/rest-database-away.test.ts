import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { buildServer } from '../../src/api/server.js';
import { formatApiKey } from '../../src/domain/keys/api-key.js';
import { createTestDatabase } from '../support/database.js';
import { DatabaseProxy } from '../support/database-proxy.js';
import { eventually } from '../support/eventually.js';
import { makeTenant, makeWebhook, openTestServices } from '../support/factories.js';

type Route = [method: 'GET' | 'POST' | 'DELETE' | 'PATCH', url: string, json?: object];

const routes: Route[] = [
  ['GET', '/api/v1/webhooks'],
  ['GET', '/api/v1/webhooks?active=true&event=coupon.applied'],
  ['POST', '/api/v1/webhooks', { url: 'https://example.com/', events: ['*'] }],
  ['GET', '/api/v1/webhooks/1'],
  ['PATCH', '/api/v1/webhooks/1', { active: false }],
  ['PATCH', '/api/v1/webhooks/1', { events: ['coupon.applied'] }],
  ['DELETE', '/api/v1/webhooks/1'],
  ['POST', '/api/v1/webhooks/1/test'],
  ['POST', '/graphql', { query: 'mutation { deleteWebhook(input: {id: "1"}) { deletedWebhookId } }' }],
];

async function expectUnavailable(server: FastifyInstance, key: string, route: Route): Promise<void> {
  const [method, url, payload] = route;
  const headers = { authorization: `Bearer ${key}` };
  const response = await server.inject({ method, url, headers, ...(payload ? { payload } : {}) });
  expect({ route, status: response.statusCode }).toEqual({ route, status: 503 });
  expect(response.headers['retry-after']).toMatch(/^[1-9]\d*$/);
  expect(response.payload).not.toMatch(/ECONN|127\.0\.0\.1|postgres|terminated/i);
  if (url !== '/graphql') {
    expect(response.headers['content-type']).toBe('application/problem+json');
    expect(response.json()).toMatchObject({ type: '/problems/unavailable', status: 503, code: 'unavailable' });
  } else {
    expect(response.json().errors[0].extensions).toMatchObject({ code: 'UNAVAILABLE', reason: 'unavailable' });
  }
}

describe('a database that was never there', async () => {
  const key = formatApiKey(1, randomBytes(32));
  const services = await openTestServices('postgres://postgres@127.0.0.1:1/none');
  const server = await buildServer(services);
  afterAll(async () => {
    await server.close();
    await services.db.close();
  });

  test.each(routes)('%s %s is 503 with Retry-After', (...route) => expectUnavailable(server, key, route));

  test('the OpenAPI document is 503 too, for it names the events', async () => {
    expect((await server.inject('/api/v1/openapi.json')).statusCode).toBe(503);
  });

  test('the process is alive, but not ready', async () => {
    expect((await server.inject('/health/live')).statusCode).toBe(200);
    const ready = await server.inject('/health/ready');
    expect(ready.statusCode).toBe(503);
    expect(ready.headers['retry-after']).toMatch(/^\d+$/);
  });

  test('what is wrong with a request without its database is still said', async () => {
    expect((await server.inject('/api/v1/webhooks')).statusCode).toBe(401);
    expect((await server.inject('/api/v1/nothing')).statusCode).toBe(404);
  });
});

describe('a database that goes away', async () => {
  const { url, drop } = await createTestDatabase();
  const proxy = await DatabaseProxy.open(url);
  const services = await openTestServices(proxy.url);
  const server = await buildServer(services);
  const { id, key } = await makeTenant(services);
  await makeWebhook(services, id);
  afterAll(async () => {
    await server.close();
    await services.db.close();
    await proxy.close();
    await drop();
  });

  const statusOf = async (url: string) =>
    (await server.inject({ url, headers: { authorization: `Bearer ${key}` } })).statusCode;

  test.each(routes)('%s %s is 503 with Retry-After while it is away', async (...route) => {
    proxy.bringBack();
    await eventually(async () => (await statusOf('/api/v1/webhooks?event=coupon.applied')) === 200);
    proxy.takeAway();
    await expectUnavailable(server, key, route);
  });

  test('once it is back, everything works again', async () => {
    proxy.bringBack();
    await eventually(async () => (await statusOf('/health/ready')) === 200);
    await eventually(async () => (await statusOf('/api/v1/webhooks/1')) === 200);
  });

  test('a database without its migrations is not ready', async () => {
    await services.db.pool.query("delete from hookwright.migrations where name = '0004-access'");
    const answer = await server.inject('/health/ready');
    expect(answer.statusCode).toBe(503);
    expect(answer.json().detail).toContain('0004-access');
    await services.db.pool.query("insert into hookwright.migrations (name) values ('0004-access')");
    expect(await statusOf('/health/ready')).toBe(200);
  });
});
