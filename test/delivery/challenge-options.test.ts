import { createServer } from 'node:https';
import { afterAll, expect, test } from 'vitest';
import { askEndpoints } from '../../daemon/duties/ask-endpoints.js';
import { readTls } from '../../src/domain/fields/read-tls.js';
import type { TlsInput } from '../../src/domain/fields/tls.js';
import { KEY } from '../support/certificates.js';
import { openServer } from '../support/loopback.js';
import { bearers, OAuth2Stack } from '../support/oauth2-stack.js';
import { CLIENT_A, PRIVATE_AUTHORITY, PRIVATE_RECEIVER } from '../support/private-certificates.js';
import { answer, type Received } from '../support/receiver.js';
import { startTokenServer } from '../support/token-server.js';

const site = await OAuth2Stack.open();
const { stack } = site;
afterAll(() => site[Symbol.asyncDispose]());

/** Asks the endpoint of a webhook, as if it were a new one. @returns what was recorded */
async function ask(webhookId: number) {
  await stack.rows(
    `update hookwright.webhooks set active = false, disabled_reason = 'UNVERIFIED' where id = ${webhookId}`,
  );
  await stack.rows(`insert into hookwright.verifications (webhook_id, tenant_id, host, status, next_at)
    select id, tenant_id, 'http://127.0.0.1', 'PENDING', now() from hookwright.webhooks where id = ${webhookId}`);
  const sweep = askEndpoints(stack.services, stack.deliverer().challenges);
  await sweep.work();
  await sweep.end!();
  const [row] = await stack.rows<{ status: string; detail: string | null; options: string; challenge: string }>(
    `select status, detail, options_code as options, challenge_code as challenge from hookwright.verifications where webhook_id = ${webhookId}`,
  );
  return row;
}

test('an endpoint with OAuth 2 is asked with an access token', async () => {
  await using server = await startTokenServer();
  const endpoint = await site.endpoint(server.url, ({ method, headers, body }: Received, response) => {
    const isKnown = headers.authorization?.startsWith('Bearer ');
    response.writeHead(isKnown && method !== 'OPTIONS' ? 200 : 401).end(isKnown ? body : '');
  });
  expect(await ask(endpoint.webhookId)).toMatchObject({ status: 'VERIFIED', detail: null });
  expect(bearers(endpoint).every((token) => token?.startsWith('Bearer '))).toBe(true);
});

test('without a token nothing is asked of it, and the ask counts', async () => {
  await using server = await startTokenServer();
  server.answerWith(answer(500));
  const endpoint = await site.endpoint(server.url);
  expect(await ask(endpoint.webhookId)).toEqual({
    status: 'PENDING',
    detail: expect.stringContaining('No token came from the token server'),
    options: 'AUTH_FAILED',
    challenge: 'AUTH_FAILED',
  });
  expect(endpoint.received).toEqual([]);
});

test('an endpoint with TLS of its own is asked with its certificate', async () => {
  const server = createServer(
    { key: KEY, cert: PRIVATE_RECEIVER, ca: PRIVATE_AUTHORITY, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      response.writeHead(request.method === 'OPTIONS' ? 405 : 200);
      request.pipe(response);
    },
  );
  const { port, close } = await openServer(server);
  const endpoint = async (path: string, tls: TlsInput) => {
    const { id } = await stack.webhook(`https://127.0.0.1:${port}/${path}`);
    const read = readTls(tls, new Date());
    await site.change(id, { tls: 'tls' in read ? { ca: null, client: null, ...read.tls } : null });
    return id;
  };
  const bare = await endpoint('a', { caPem: PRIVATE_AUTHORITY });
  const known = await endpoint('b', {
    caPem: PRIVATE_AUTHORITY,
    clientCertificatePem: CLIENT_A,
    clientKeyPem: KEY,
  });
  expect(await ask(bare)).toEqual({
    status: 'PENDING',
    detail: 'OPTIONS: TLS_FAILED; webhook.challenge: TLS_FAILED',
    options: 'TLS_FAILED',
    challenge: 'TLS_FAILED',
  });
  expect(await ask(known)).toMatchObject({ status: 'VERIFIED', detail: null });
  await close();
});
