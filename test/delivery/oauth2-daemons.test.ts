import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { askEndpoints } from '../../daemon/duties/ask-endpoints.js';
import { HOST_ASKS_MAX } from '../../src/domain/challenges/ask-times.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.js';
import { eventually } from '../support/eventually.js';
import { startFakeProxy } from '../support/fake-proxy.js';
import { ownPort } from '../support/loopback.js';
import { OAuth2Stack } from '../support/oauth2-stack.js';
import { answer, holdAnswers, startReceiver } from '../support/receiver.js';
import { guardedBy, oauth2, startTokenServer } from '../support/token-server.js';

const DAEMONS = 4;
const EVENTS = 800;
/** Several tokens end meanwhile. */
const LIFE_SECONDS = 3;
const EMIT_EVERY_MS = 100;
const REFUSED_PART_MAX = 0.02;

test('four daemons share the token of a server that knows one at a time: no attempt ends with a 401', async () => {
  await using site = await OAuth2Stack.open();
  const { stack } = site;
  for (let daemon = 0; daemon < DAEMONS; daemon++) {
    stack.startDaemon();
  }
  await using server = await startTokenServer({ oneAtATime: true, lifeSeconds: LIFE_SECONDS });
  let refused = 0;
  const isValid = (token: string) => {
    refused += Number(!server.valid.includes(token));
    return server.valid.includes(token);
  };
  const endpoint = await site.endpoint(server.url, guardedBy({ valid: isValid }));
  const beganAt = performance.now();
  for (let emitted = 0; emitted < EVENTS; emitted += EVENTS / 100) {
    await Promise.all(Array.from({ length: EVENTS / 100 }, () => site.emitTo(endpoint)));
    await delay(EMIT_EVERY_MS);
  }
  await stack.succeeded(EVENTS, 30_000);
  const [attempts] = await stack.rows<{ all: number; failed: number }>(
    'select count(*)::int as all, (count(*) filter (where error_code is not null))::int as failed from hookwright.attempts',
  );
  expect(attempts).toEqual({ all: EVENTS, failed: 0 });
  expect(refused).toBeLessThanOrEqual(REFUSED_PART_MAX * EVENTS);
  // One for each life, of which a half is used, because it is so short.
  expect(server.received.length).toBeGreaterThanOrEqual(3);
  const lives = (performance.now() - beganAt) / (LIFE_SECONDS * 500);
  expect(server.received.length).toBeLessThanOrEqual(Math.ceil(lives) + 1);
}, 90_000);

test('a token server is asked through the egress proxy, and without it deliveries wait, without an attempt', async () => {
  await using server = await startTokenServer();
  const port = await ownPort();
  await using site = await OAuth2Stack.open({ EGRESS_PROXY: `http://127.0.0.1:${port}` });
  const { stack } = site;
  const endpoint = await site.endpoint(server.url);
  stack.startDaemon();
  const eventId = await site.emitTo(endpoint);
  await eventually(async () => (await site.row(endpoint)) !== undefined);
  await eventually(async () => (await site.row(endpoint))?.fetching_until === null);
  expect(await stack.delivery(eventId)).toMatchObject({ status: 'PENDING', attempt_count: 0 });
  expect(await site.row(endpoint)).toMatchObject({ failed_at: null, failure: null });
  const leadsTo = (authority: string) => ({ port: Number(new URL(`http://${authority}`).port) });
  await using proxy = await startFakeProxy(leadsTo, { port });
  await stack.reaches(eventId, 'SUCCEEDED', 20_000);
  expect(proxy.asked).toEqual([server.url, endpoint.url].map((url) => new URL(url).host));
  expect(server.received).toHaveLength(1);
}, 60_000);

/** A webhook whose endpoint has not proved that it wants deliveries. `ask` asks it. */
async function unverified(site: OAuth2Stack, url: string, tokenUrl: string) {
  const { stack } = site;
  const { db, vault, random } = stack.services;
  const wanted = { tenantId: stack.tenantId, url, eventTypes: ['*'], challenge: { holdHours: 1 } };
  const { id } = await createWebhook(db, vault, random, { ...wanted, webhooksMax: 10, actor: commandLine });
  await site.change(id, oauth2(tokenUrl));
  const { challenges } = stack.deliverer();
  return async () => {
    await stack.rows('update hookwright.verifications set next_at = now()');
    const sweep = askEndpoints(stack.services, challenges);
    await sweep.work();
    await sweep.end!();
    return (
      await stack.rows<{ status: string; detail: string; asks: number }>('select * from hookwright.verifications')
    )[0];
  };
}

test('a token server of an unverified endpoint is asked as often as a host may be, whoever names it', async () => {
  await using site = await OAuth2Stack.open({ ENDPOINT_CHALLENGE: 'required' });
  await using endpoint = await startReceiver();
  const ask = await unverified(site, endpoint.url, 'http://127.0.0.2:9/token');
  const times = Array.from({ length: HOST_ASKS_MAX }, () => 'now()').join(', ');
  await site.stack.rows(`
    insert into hookwright.challenge_hosts (host, asked_at, last_at) values ('127.0.0.2', array[${times}], now())`);
  expect(await ask()).toMatchObject({ status: 'PENDING', detail: null, asks: 0 });
  expect(await site.stack.rows('select from hookwright.endpoint_tokens')).toEqual([]);
  await site.stack.rows('delete from hookwright.challenge_hosts');
  expect(await ask()).toMatchObject({ status: 'PENDING', detail: expect.stringMatching(/^No token came/), asks: 1 });
  expect(endpoint.received).toEqual([]);
  const [place] = await site.stack.rows<{ host: string }>('select host from hookwright.challenge_hosts');
  expect(place!.host).toBe('127.0.0.2');
});

test('an endpoint is asked whether it wants deliveries with a token too, and its owner learns why there is none', async () => {
  await using server = await startTokenServer();
  await using site = await OAuth2Stack.open({ ENDPOINT_CHALLENGE: 'required' });
  const { stack } = site;
  await using endpoint = await startReceiver(({ method, headers, body }, response) => {
    const isKnown = headers.authorization === `Bearer ${server.valid.at(-1)}`;
    response.writeHead(method === 'POST' && isKnown ? 200 : 401).end(body);
  });
  const ask = await unverified(site, endpoint.url, server.url);
  server.answerWith(answer(503));
  expect(await ask()).toMatchObject({ status: 'PENDING', detail: expect.stringMatching(/^No token came .*503\.$/) });
  expect(endpoint.received).toEqual([]);
  server.answerWith(server.give);
  await stack.rows(`update hookwright.endpoint_tokens set failed_at = now() - interval '1 minute'`);
  expect(await ask()).toMatchObject({ status: 'VERIFIED' });
  expect(endpoint.received.map(({ method }) => method)).toEqual(['OPTIONS', 'POST']);
});

test('an endpoint that is moved while a token is waited for is not asked at its old url', async () => {
  await using server = await startTokenServer();
  await using site = await OAuth2Stack.open({ ENDPOINT_CHALLENGE: 'required' });
  await using endpoint = await startReceiver();
  const ask = await unverified(site, endpoint.url, server.url);
  const release = holdAnswers(server, server.give);
  const asking = ask();
  const answerNow = await release();
  await site.stack.rows(`update hookwright.webhooks set url = url || '/moved'`);
  await delay(600);
  answerNow();
  await asking;
  expect(endpoint.received).toEqual([]);
  await ask();
  expect(endpoint.received[0]?.path).toBe('/hook/moved');
});
