import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetOld, OLD_ROWS } from '../../src/operations/housekeeping/forget.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import type { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { OAuth2Stack } from '../support/oauth2-stack.js';
import { holdAnswers } from '../support/receiver.js';
import { guardedBy, oauth2, startTokenServer } from '../support/token-server.js';

/** What a change of a webhook is for its token, and for what waits for one. */

let site: OAuth2Stack;
let stack: DeliveryStack;
let inFlight: ReturnType<OAuth2Stack['startDaemon']>['inFlight'];
beforeAll(async () => {
  site = await OAuth2Stack.open();
  stack = site.stack;
  ({ inFlight } = site.startDaemon());
});
afterAll(() => site[Symbol.asyncDispose]());

test('a change of other options keeps the token, and housekeeping leaves it', async () => {
  await using server = await startTokenServer();
  const endpoint = await site.endpoint(server.url);
  for (const timeoutMs of [8_000, 9_000]) {
    await site.attemptAt(endpoint);
    await site.change(endpoint.webhookId, { timeoutMs });
  }
  await site.attemptAt(endpoint);
  await forgetOld(stack.services.db.pool, OLD_ROWS['endpoint tokens'], 30);
  expect(await site.row(endpoint)).toMatchObject({ sealed: expect.any(Buffer) });
  expect(server.received).toHaveLength(1);
  await site.change(endpoint.webhookId, oauth2(server.url, { scope: 'other' }));
  await site.attemptAt(endpoint);
  expect(server.received).toHaveLength(2);
});

test('a 401 because the token of another client has ended this one counts for nothing', async () => {
  await using server = await startTokenServer({ oneAtATime: true });
  const guarded = guardedBy({ valid: (token) => server.valid.includes(token) });
  const endpoint = await site.endpoint(server.url);
  const release = holdAnswers(endpoint, guarded);
  const eventId = await site.emitTo(endpoint);
  const answerNow = await release();
  endpoint.answerWith(guarded);
  await site.change(endpoint.webhookId, oauth2(server.url, { scope: 'other' }));
  expect(await site.attemptAt(endpoint)).toMatchObject({ status_code: 200 });
  answerNow();
  expect(await stack.reaches(eventId, 'SUCCEEDED')).toMatchObject({ attempt_count: 1 });
  expect(await stack.webhookRow(endpoint.webhookId)).toMatchObject({ consecutive_failures: 0 });
  expect(server.received).toHaveLength(2);
});

describe('a delivery that has waited for a token for long', () => {
  /** The deliveries wait for a token while `change` is made. */
  async function whileAsked(change: (webhookId: number) => Promise<void>) {
    const server = await startTokenServer();
    const release = holdAnswers(server, server.give);
    const endpoint = await site.endpoint(server.url);
    const eventIds = await Promise.all([site.emitTo(endpoint), site.emitTo(endpoint)]);
    const answerNow = await release();
    await change(endpoint.webhookId);
    await delay(600); // longer than a delivery may wait after it was loaded
    answerNow();
    return { server, endpoint, eventIds, [Symbol.asyncDispose]: () => server.close() };
  }

  test('is not sent where its webhook is paused meanwhile', async () => {
    await using asked = await whileAsked((webhookId) => stack.change(webhookId, { active: false }));
    await Promise.all(asked.eventIds.map((eventId) => stack.reaches(eventId, 'HELD')));
    await eventually(async () => (await site.row(asked.endpoint))?.sealed != null && (await inFlight()) === 0);
    expect(asked.endpoint.received).toEqual([]);
    await stack.change(asked.endpoint.webhookId, { active: true });
    await Promise.all(asked.eventIds.map((eventId) => stack.reaches(eventId, 'SUCCEEDED')));
    expect(asked.server.received).toHaveLength(1);
  });

  test('is sent to the new url alone where its webhook is moved meanwhile', async () => {
    const move = async (webhookId: number) => {
      const { url } = await stack.webhookRow(webhookId);
      await stack.change(webhookId, { url: `${new URL(url).origin}/moved` });
    };
    await using asked = await whileAsked(move);
    await Promise.all(asked.eventIds.map((eventId) => stack.reaches(eventId, 'SUCCEEDED')));
    expect(asked.endpoint.received.map(({ path }) => path)).toEqual(['/moved', '/moved']);
  });

  test('is not sent where its webhook is deleted meanwhile, and no token stays', async () => {
    const { db } = stack.services;
    await using asked = await whileAsked((webhookId) => deleteWebhook(db, stack.tenantId, webhookId, commandLine));
    await Promise.all(asked.eventIds.map((eventId) => stack.reaches(eventId, 'CANCELED')));
    await eventually(async () => (await inFlight()) === 0);
    expect(asked.endpoint.received).toEqual([]);
    expect(asked.server.received).toHaveLength(1);
    expect(await site.row(asked.endpoint)).toMatchObject({ sealed: null });
  });
});
