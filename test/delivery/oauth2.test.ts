import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { ApiOverSockets } from '../support/api-over-sockets.js';
import type { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { gid } from '../support/ids.js';
import { bearers, OAuth2Stack } from '../support/oauth2-stack.js';
import { answer, holdAnswers, type Received, startReceiver } from '../support/receiver.js';
import { guardedBy, newToken, oauth2, startTokenProvider, startTokenServer } from '../support/token-server.js';

/** Deliveries to endpoints that want an access token. */

let site: OAuth2Stack;
let stack: DeliveryStack;
let inFlight: ReturnType<OAuth2Stack['startDaemon']>['inFlight'];
beforeAll(async () => {
  site = await OAuth2Stack.open();
  stack = site.stack;
  ({ inFlight } = site.startDaemon());
});
afterAll(() => site[Symbol.asyncDispose]());

describe('a token of a real token server', () => {
  test.each(['BASIC', 'BODY'] as const)(
    'is asked for once, with %s, and sent with each request until it has expired',
    async (clientAuth) => {
      const client = { clientId: 'hooks +', clientSecret: 'a secret: its % & +', clientAuth, scope: 'hooks:write' };
      await using provider = await startTokenProvider(client, 3);
      const endpoint = await site.endpoint(provider.tokenUrl, guardedBy(provider), client);
      const events = await Promise.all(Array.from({ length: 5 }, () => site.emitTo(endpoint)));
      await Promise.all(events.map((eventId) => stack.reaches(eventId, 'SUCCEEDED')));
      expect(provider.asked).toBe(1);
      expect(new Set(bearers(endpoint)).size).toBe(1);
      await eventually(async () => {
        expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
        return provider.asked >= 2;
      });
      const [row] = await stack.rows<{ consecutive_failures: number }>(
        `select consecutive_failures from hookwright.webhooks where id = ${endpoint.webhookId}`,
      );
      expect(row!.consecutive_failures).toBe(0);
    },
  );

  test('that was revoked is replaced at the first 401, and the same attempt succeeds', async () => {
    const client = { clientId: 'hooks', clientSecret: 'a secret', clientAuth: 'BASIC', scope: 'hooks:write' } as const;
    await using provider = await startTokenProvider(client);
    const endpoint = await site.endpoint(provider.tokenUrl, guardedBy(provider), client);
    await site.attemptAt(endpoint);
    const [token] = bearers(endpoint);
    await provider.revoke(token!.slice('Bearer '.length));
    // As if it had been got a while ago: a new version of the options is without the token that daemons keep.
    await site.change(endpoint.webhookId, { timeoutMs: 9_000 });
    await site.leaveToken(endpoint, token!.slice('Bearer '.length));
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200, error_code: null });
    expect(bearers(endpoint)).toEqual([token, token, expect.not.stringContaining(token!)]);
    expect(provider.asked).toBe(2);
  });

  test('whose client is unknown fails the attempt, and says so', async () => {
    const client = { clientId: 'hooks', clientSecret: 'a secret', clientAuth: 'BASIC', scope: 'hooks:write' } as const;
    await using provider = await startTokenProvider(client);
    const endpoint = await site.endpoint(provider.tokenUrl, guardedBy(provider), {
      ...client,
      clientSecret: 'another',
    });
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: null, error_code: 'AUTH_FAILED' });
    expect((await site.row(endpoint))?.failure).toBe('INVALID_CLIENT');
    expect(endpoint.received).toEqual([]);
  });

  test('was not given: the attempt has no request, and says why, also when the next one has a token', async () => {
    await using server = await startReceiver(answer(503));
    await using api = await ApiOverSockets.open(stack.services, stack.tenantId);
    const read = async ({ delivery_id: id }: { delivery_id: number }) => {
      const { body } = await api.graphql(
        `query ($id: ID!) { delivery(id: $id) { asCurl attempts { errorCode requestHeaders requestBody responseBody
         responseBodyBase64 tokenFailure { at code detail } } } }`,
        { id: gid.delivery(id) },
      );
      return body.data.delivery;
    };
    const endpoint = await site.endpoint(server.url);
    const failed = await site.attemptAt(endpoint);
    await using working = await startTokenServer();
    await site.change(endpoint.webhookId, oauth2(working.url));
    const sent = await site.attemptAt(endpoint);
    const { attempts, asCurl } = await read(failed);
    expect(attempts).toEqual([
      {
        errorCode: 'AUTH_FAILED',
        requestHeaders: {},
        requestBody: null,
        responseBody: null,
        responseBodyBase64: null,
        tokenFailure: {
          at: expect.any(String),
          code: 'HTTP_503',
          detail: 'No token came from the token server: it answered with the status 503.',
        },
      },
    ]);
    expect(asCurl).toMatch(/x-service-event/i);
    expect((await read(sent)).attempts).toMatchObject([
      { errorCode: null, requestHeaders: { Authorization: '[secret]' }, tokenFailure: null },
    ]);
  });
});

test('scope and audience are asked for, and the request is one of the service', async () => {
  await using server = await startTokenServer();
  const endpoint = await site.endpoint(`${server.url}?tenant=a%20b`, undefined, { scope: 'a b', audience: 'urn:x' });
  expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
  const [{ method, path, headers, body }] = server.received as [Received];
  expect([method, path]).toEqual(['POST', '/hook?tenant=a%20b']);
  expect(headers).toMatchObject({
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
    accept: 'application/json',
    'user-agent': expect.stringContaining('Hookwright'),
    authorization: `Basic ${Buffer.from('hooks:a+secret+%2B+its+%25+signs').toString('base64')}`,
  });
  expect(Object.fromEntries(new URLSearchParams(body.toString()))).toEqual({
    grant_type: 'client_credentials',
    scope: 'a b',
    audience: 'urn:x',
  });
});

test('basic auth escapes nothing of id and secret that a form leaves as it is', async () => {
  await using server = await startTokenServer();
  const client = { clientId: 'svc-hooks_1.eu*', clientSecret: 'a-b_c.d*e f~g!h:%' };
  const endpoint = await site.endpoint(server.url, undefined, client);
  expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
  const [, pair] = server.received[0]!.headers.authorization!.split(' ');
  expect(Buffer.from(pair!, 'base64').toString()).toBe('svc-hooks_1.eu*:a-b_c.d*e+f%7Eg%21h%3A%25');
});

test('attempts that waited for one question without an answer count once together', async () => {
  await using server = await startReceiver();
  const release = holdAnswers(server, answer(500));
  const endpoint = await site.endpoint(server.url);
  const events = await Promise.all(Array.from({ length: 6 }, () => site.emitTo(endpoint)));
  const asked = await release();
  // All six have a permit, and wait for the token.
  await eventually(async () => (await inFlight()) === events.length);
  asked();
  await Promise.all(events.map((eventId) => stack.reaches(eventId, 'FAILED')));
  expect(await stack.webhookRow(endpoint.webhookId)).toMatchObject({ consecutive_failures: 1 });
  await site.attemptAt(endpoint);
  expect(await stack.webhookRow(endpoint.webhookId)).toMatchObject({ consecutive_failures: 2 });
});

describe('a 401', () => {
  test('to a token that is new counts: another one would be no better', async () => {
    await using server = await startTokenServer();
    const endpoint = await site.endpoint(server.url, answer(401));
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 401, error_code: 'HTTP_401' });
    expect([endpoint.received.length, server.received.length]).toEqual([1, 1]);
  });

  test('to each token counts once: the request is sent twice at most', async () => {
    await using server = await startTokenServer();
    const endpoint = await site.endpoint(server.url, answer(401));
    await site.leaveToken(endpoint, newToken());
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 401 });
    expect([endpoint.received.length, server.received.length]).toEqual([2, 1]);
  });

  test('counts where no other token comes', async () => {
    await using server = await startReceiver(answer(500));
    const endpoint = await site.endpoint(server.url, answer(401));
    await site.leaveToken(endpoint, newToken());
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 401 });
    expect(endpoint.received).toHaveLength(1);
    expect(await site.attemptAt(endpoint)).toMatchObject({ error_code: 'AUTH_FAILED' });
  });

  test('is repeated with the same signature and body', async () => {
    await using server = await startTokenServer();
    const endpoint = await site.endpoint(server.url, guardedBy({ valid: (one) => server.valid.includes(one) }));
    await site.leaveToken(endpoint, newToken());
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
    const [first, second] = endpoint.received.map(({ headers: { authorization: _, ...rest }, body }) => ({
      rest,
      body,
    }));
    expect(second).toEqual(first);
  });
});

test('a token is in no attempt, no answer and no row, not even where the endpoint repeats it', async () => {
  await using server = await startTokenServer();
  const endpoint = await site.endpoint(server.url, ({ headers }, response) => {
    response.writeHead(200, { 'x-echo': headers.authorization }).end(JSON.stringify({ got: headers.authorization }));
  });
  const attempt = await site.attemptAt(endpoint);
  expect(attempt.request_headers).toContain('"Authorization":"[secret]"');
  expect(attempt.response_body!.toString()).toBe('{"got":"Bearer [secret]"}');
  const dump = JSON.stringify(await stack.rows('select a::text from hookwright.attempts a'));
  expect(dump).not.toContain(server.valid[0]);
});

test('a client secret is in no answer, in whatever form the token server has got it', async () => {
  await using server = await startTokenServer();
  const clientSecret = 'a-b_c.d*e f~g!h:%';
  const endpoint = await site.endpoint(
    server.url,
    (_, response) => {
      const { authorization } = server.received[0]!.headers;
      const [, pair] = authorization!.split(' ');
      const [, form] = Buffer.from(pair!, 'base64').toString().split(':');
      response.end([clientSecret, authorization, pair, form].join('\n'));
    },
    { clientSecret },
  );
  const { response_body } = await site.attemptAt(endpoint);
  expect(response_body!.toString().split('\n')).toEqual(['[secret]', '[secret]', '[secret]', '[secret]']);
});

test('a token is bound to its row: another webhook cannot take it from there', async () => {
  await using server = await startTokenServer();
  const [one, other] = [await site.endpoint(server.url), await site.endpoint(server.url)];
  await site.attemptAt(one);
  await stack.rows(`
    insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version, sealed, got_at, expires_at)
    select w.id, w.tenant_id, w.options_version, t.sealed, t.got_at, t.expires_at
    from hookwright.endpoint_tokens t, hookwright.webhooks w
    where t.webhook_id = ${one.webhookId} and w.id = ${other.webhookId}`);
  await site.attemptAt(other);
  expect(server.received).toHaveLength(2);
  expect(bearers(other)).toEqual([`Bearer ${server.valid[1]}`]);
});

test('a webhook that was deleted leaves no token, also where one is on its way; housekeeping removes the row', async () => {
  await using server = await startTokenServer();
  const [endpoint, other] = [await site.endpoint(server.url), await site.endpoint(server.url)];
  await Promise.all([site.attemptAt(endpoint), site.attemptAt(other)]);
  await stack.rows(`update hookwright.endpoint_tokens set fetching_until = now() + interval '1 hour'`);
  await deleteWebhook(stack.services.db, stack.tenantId, endpoint.webhookId, commandLine);
  expect(await site.row(endpoint)).toMatchObject({ sealed: null, fetching_until: null });
  await forgetOld(stack.services.db.pool, OLD_ROWS['endpoint tokens'], 30);
  expect(await site.row(endpoint)).toBeUndefined();
  expect(await site.row(other)).toMatchObject({ sealed: expect.any(Buffer) });
});
