import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DeliveryStack } from '../support/delivery-stack.js';
import { OAuth2Stack } from '../support/oauth2-stack.js';
import { type Answer, answer, startReceiver } from '../support/receiver.js';
import { json, newToken, startTokenServer } from '../support/token-server.js';

/** Token servers that give no token, and what becomes of the attempts that want one. */

let site: OAuth2Stack;
let stack: DeliveryStack;
beforeAll(async () => {
  site = await OAuth2Stack.open();
  stack = site.stack;
  stack.startDaemon();
});
afterAll(() => site[Symbol.asyncDispose]());

const redirectTo = (url: string): Answer => answer(307, { location: url });
const token = (more: object) => json(200, { access_token: newToken(), token_type: 'Bearer', ...more });

describe('a token server', () => {
  test.each<[string, Answer, string]>([
    ['gives a huge answer', token({ more: 'x'.repeat(70_000) }), 'ANSWER_INCOMPLETE'],
    ['gives a token of another type', token({ token_type: 'mac' }), 'TOKEN_TYPE'],
    ['gives a token that needs proofs', token({ token_type: 'DPoP' }), 'TOKEN_TYPE'],
    ['gives a token that no header can have', token({ access_token: 'a\nb' }), 'TOKEN_MALFORMED'],
    ['gives a token that is too long', token({ access_token: 'x'.repeat(8_193) }), 'TOKEN_MALFORMED'],
    ['gives no token', json(200, { token_type: 'Bearer' }), 'ANSWER_MALFORMED'],
    ['gives a life that is none', token({ expires_in: 'soon' }), 'ANSWER_MALFORMED'],
    ['gives a list', json(200, []), 'ANSWER_MALFORMED'],
    ['gives a page', answer(200, { 'content-type': 'text/html' }, '<p>Hello'), 'ANSWER_MALFORMED'],
    ['is broken', answer(503), 'HTTP_503'],
    ['is elsewhere', answer(404, {}, 'nothing'), 'HTTP_404'],
    ['refuses the scope', json(400, { error: 'invalid_scope', error_description: newToken() }), 'INVALID_SCOPE'],
    ['says something of its own', json(400, { error: newToken() }), 'HTTP_400'],
    ['gives nothing', answer(204), 'HTTP_204'],
    ['hangs up', (_, response) => response.destroy(), 'CONNECTION_RESET'],
  ])('that %s gives no token: the attempt fails', async (_, answers, failure) => {
    await using server = await startReceiver(answers);
    const endpoint = await site.endpoint(server.url);
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: null, error_code: 'AUTH_FAILED' });
    expect(await site.row(endpoint)).toMatchObject({ sealed: null, failure, fetching_until: null });
    expect(endpoint.received).toEqual([]);
    expect(server.received).toHaveLength(1);
  });

  test.each<[string, object]>([
    ['expires_in', { expires_in: null }],
    ['expires_in', { expires_in: '3600' }],
    ['scope', { scope: null }],
    ['scope', { scope: ['a', 'b'] }],
    ['refresh_token', { refresh_token: null }],
    ['refresh_token', { refresh_token: '' }],
    ['id_token', { id_token: null }],
    ['id_token', { id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL290aGVyLmNvbSJ9.c2lnbmF0dXJl' }],
    ['authorization_details', { authorization_details: 'none' }],
  ])('may say what it likes in %s: %j', async (_, more) => {
    await using server = await startReceiver(token(more));
    const endpoint = await site.endpoint(server.url);
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
  });

  test('that answers slowly is left after five seconds', { timeout: 30_000 }, async () => {
    await using server = await startReceiver(() => {});
    const endpoint = await site.endpoint(server.url);
    expect(await site.attemptAt(endpoint, 15_000)).toMatchObject({ error_code: 'AUTH_FAILED' });
    expect((await site.row(endpoint))?.failure).toBe('TIMEOUT');
  });

  test('that drips its answer is left after five seconds', { timeout: 30_000 }, async () => {
    await using server = await startReceiver((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
    });
    const endpoint = await site.endpoint(server.url);
    expect(await site.attemptAt(endpoint, 15_000)).toMatchObject({ error_code: 'AUTH_FAILED' });
    expect((await site.row(endpoint))?.failure).toBe('ANSWER_INCOMPLETE');
  });

  test('is not followed elsewhere', async () => {
    await using canary = await startTokenServer();
    await using server = await startReceiver(redirectTo(canary.url));
    const endpoint = await site.endpoint(server.url);
    expect(await site.attemptAt(endpoint)).toMatchObject({ error_code: 'AUTH_FAILED' });
    expect((await site.row(endpoint))?.failure).toBe('HTTP_307');
    expect(canary.received).toEqual([]);
  });

  test.each([
    ['http://[::1]:9/token', 'TARGET_REFUSED'],
    ['https://10.0.0.1/token', 'TARGET_REFUSED'],
    ['https://169.254.169.254/token', 'TARGET_REFUSED'],
    ['https://93.184.215.14:5432/token', 'TARGET_REFUSED'],
  ])('at %s is not asked, as an endpoint there would not be', async (url, failure) => {
    const endpoint = await site.endpoint(url);
    expect(await site.attemptAt(endpoint)).toMatchObject({ error_code: 'AUTH_FAILED' });
    expect((await site.row(endpoint))?.failure).toBe(failure);
  });

  test('that has failed is not asked again at once, and a token that comes later clears the failure', async () => {
    await using server = await startTokenServer();
    server.answerWith(answer(500));
    const endpoint = await site.endpoint(server.url);
    await site.attemptAt(endpoint);
    expect(await site.attemptAt(endpoint)).toMatchObject({ error_code: 'AUTH_FAILED' });
    expect(server.received).toHaveLength(1);
    server.answerWith(server.give);
    await stack.rows(`update hookwright.endpoint_tokens set failed_at = now() - interval '5 seconds'`);
    expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
    expect(await site.row(endpoint)).toMatchObject({ failure: null, failed_at: null, sealed: expect.any(Buffer) });
  });
});

test.each<[string, boolean, number, boolean, object, number]>([
  ['the question takes longer', true, 0, false, { status_code: 401, requests: 1 }, 1_900],
  ['a second is left', false, 1_500, true, { error_code: 'TIMEOUT', requests: 2 }, 2_900],
  ['less than a second is left', false, 2_300, true, { status_code: 401, requests: 1 }, 2_300],
])(
  'a 401 is repeated within the timeout of the attempt: %s',
  async (_, isAskedInVain, slowMs, hangs, expected, durationMsMin) => {
    await using server = await startTokenServer();
    if (isAskedInVain) {
      server.answerWith(() => {});
    }
    const endpoint = await site.endpoint(server.url);
    endpoint.answerWith(async (request, response) => {
      if (endpoint.received.length === 1) {
        await delay(slowMs);
        answer(401)(request, response);
      } else if (!hangs) {
        answer(200)(request, response);
      }
    });
    await site.change(endpoint.webhookId, { timeoutMs: 3_000 });
    await site.leaveToken(endpoint, newToken());
    const { duration_ms, status_code, error_code } = await site.attemptAt(endpoint, 4_200);
    expect({ status_code, error_code, requests: endpoint.received.length }).toMatchObject(expected);
    expect(duration_ms).toBeGreaterThanOrEqual(durationMsMin);
  },
);
