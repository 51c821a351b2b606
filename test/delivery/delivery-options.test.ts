import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OptionsOfWebhooks } from '../../daemon/delivery/options.js';
import { sealSettings } from '../../src/operations/webhooks/settings.js';
import { DeliveryStack, type Endpoint } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer } from '../support/receiver.js';

/** How an endpoint is called, as its owner has set it. */

let stack: DeliveryStack;
beforeAll(async () => {
  stack = await DeliveryStack.open();
  stack.startDaemon();
});
afterAll(() => stack[Symbol.asyncDispose]());

const change = async ({ webhookId }: Endpoint, settings: object) => {
  const { vault } = stack.services;
  await stack.change(webhookId, await sealSettings(vault, stack.tenantId, webhookId, settings));
};
const headers = (...set: [name: string, value: string, secret?: boolean][]) => ({
  headers: { set: set.map(([name, value, secret = true]) => ({ name, value, secret })), remove: [] },
});
const attemptsAt = ({ webhookId }: Endpoint) =>
  stack.rows<{ request_headers: string | Record<string, string> }>(
    `select a.* from hookwright.attempts a join hookwright.deliveries d on d.id = a.delivery_id
     where d.webhook_id = ${webhookId}`,
  );

test('own headers are sent with each attempt, replace the user agent, and are kept without their secrets', async () => {
  const endpoint = await stack.endpoint((request, response) =>
    answer(endpoint.received.length === 1 ? 500 : 200)(request, response),
  );
  await change(endpoint, headers(['X-Api-Key', 'key 1'], ['X-Env', 'prod', false], ['User-Agent', 'ours', false]));
  await stack.emit();
  await eventually(() => endpoint.received.length === 2);
  for (const { headers: sent } of endpoint.received) {
    expect(sent).toMatchObject({ 'x-api-key': 'key 1', 'x-env': 'prod', 'user-agent': 'ours' });
  }
  const attempts = await eventually(async () => {
    const rows = await attemptsAt(endpoint);
    return rows.length === 2 && rows;
  });
  for (const attempt of attempts) {
    const kept = JSON.stringify(attempt.request_headers);
    expect(kept).toContain('[secret]');
    expect(kept).toContain('prod');
    expect(kept).not.toContain('key 1');
  }
});

test('basic auth may lack the password or the user name; what was set is hidden in answers, and nothing else', async () => {
  for (const [username, password, secret] of [
    ['key-12345678', '', 'key-12345678'],
    ['', 'pass-12345678', 'pass-12345678'],
    ['u', '', null],
  ] as const) {
    const value = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    const endpoint = await stack.endpoint((request, response) =>
      response.end(`${request.headers.authorization} ${secret ?? 'nothing'} ends`),
    );
    await change(endpoint, { auth: { basic: { username, password } } });
    await stack.emit();
    const [attempt] = await eventually(async () => {
      const rows = await attemptsAt(endpoint);
      return rows.length === 1 && rows;
    });
    expect(endpoint.received[0]!.headers.authorization).toBe(value);
    const kept = Buffer.from((attempt as unknown as { response_body: Buffer }).response_body).toString();
    expect(kept).toBe(secret === null ? '[secret] nothing ends' : '[secret] [secret] ends');
  }
});

test('a header that the service would refuse now is not sent; user agent and Accept are replaced, not repeated', async () => {
  const endpoint = await stack.endpoint();
  const own = headers(
    ['X_Service_Signature', 'sha256=00', false],
    ['User_Agent', 'ours', false],
    ['ACCEPT', 'text/plain', false],
  );
  await change(endpoint, own);
  await stack.emit();
  await eventually(() => endpoint.received.length === 1);
  const { headers: sent, rawHeaders } = endpoint.received[0]!;
  expect(sent).not.toHaveProperty('x_service_signature');
  expect(sent).not.toHaveProperty('user_agent');
  expect(sent).toMatchObject({ 'user-agent': 'ours', accept: 'text/plain' });
  expect(rawHeaders.filter((text) => /^(accept|user-agent)$/i.test(text))).toHaveLength(2);
});

test('a change holds from the next attempt on, and other webhooks get nothing of it', async () => {
  const [endpoint, other] = [await stack.endpoint(), await stack.endpoint()];
  const emitAfter = async (settings: object, count: number) => {
    await change(endpoint, settings);
    await stack.emit();
    await eventually(() => endpoint.received.length === count && other.received.length === count);
  };
  await emitAfter(headers(['X-Api-Key', 'one']), 1);
  await emitAfter(headers(['x-api-key', 'two']), 2);
  await emitAfter({ headers: null }, 3);
  const sentTo = ({ received }: Endpoint) => received.map((request) => request.headers['x-api-key']);
  expect(sentTo(endpoint)).toEqual(['one', 'two', undefined]);
  expect(sentTo(other)).toEqual([undefined, undefined, undefined]);
});

test('options are kept by version; all that are missing are read at once; an older version is loaded again', async () => {
  const endpoints = [await stack.endpoint(), await stack.endpoint()];
  const { db, vault, config } = stack.services;
  const options = new OptionsOfWebhooks(db.pool, vault, config);
  const named = async ({ webhookId }: Endpoint) => {
    const [row] = await stack.rows<{ options_version: number | null }>(
      `select options_version from hookwright.webhooks where id = ${webhookId}`,
    );
    return { tenantId: stack.tenantId, webhookId, optionsVersion: row!.options_version };
  };
  const none = await named(endpoints[0]!);
  expect(options.atHand(none)).toMatchObject({ headers: null, shownHeaders: null, secrets: [], timeoutMs: 15_000 });
  for (const endpoint of endpoints) {
    await change(endpoint, headers(['X-Api-Key', 'one']));
  }
  const all = await Promise.all(endpoints.map(named));
  expect(all.map((one) => options.atHand(one))).toEqual([null, null]);
  const queries = vi.spyOn(db.pool, 'query');
  await Promise.all(all.map((one) => options.read(one)));
  const reads = queries.mock.calls.filter((call) => JSON.stringify(call).includes('read_delivery_options'));
  queries.mockRestore();
  expect(reads).toHaveLength(1);
  expect(options.atHand(all[0]!)).toMatchObject({
    headers: { 'X-Api-Key': 'one' },
    shownHeaders: { 'X-Api-Key': '[secret]' },
    secrets: ['one'],
  });
  await change(endpoints[0]!, headers(['X-Api-Key', 'two']));
  expect(options.atHand(await named(endpoints[0]!))).toBeNull();
  expect(await options.read({ ...all[0]!, optionsVersion: all[0]!.optionsVersion! - 1 })).toEqual({ putOffMs: 0 });
});
