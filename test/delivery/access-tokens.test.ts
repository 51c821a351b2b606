import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type AccessToken, AccessTokens } from '../../daemon/delivery/access-tokens.js';
import type { OAuthClient } from '../../daemon/delivery/token-request.js';
import type { Sender } from '../../daemon/sending/send.js';
import { commandLine } from '../../src/operations/rows/audit.js';
import { deleteWebhook } from '../../src/operations/webhooks/delete-webhook.js';
import { DeliveryStack } from '../support/delivery-stack.js';
import { eventually } from '../support/eventually.js';
import { answer, holdAnswers } from '../support/receiver.js';
import { openSender } from '../support/sender.js';
import { json, newToken, startTokenServer, type TokenServer } from '../support/token-server.js';

/** How daemons share the token of a webhook: each `AccessTokens` is one daemon's. */

let stack: DeliveryStack;
let sender: Sender;
let server: TokenServer;
let client: OAuthClient;
let named: { tenantId: number; webhookId: number; optionsVersion: number };
beforeAll(async () => {
  stack = await DeliveryStack.open();
  sender = openSender();
});
afterAll(async () => {
  await sender.close();
  await stack[Symbol.asyncDispose]();
});
beforeEach(async () => {
  server = await startTokenServer();
  const { id: webhookId } = await stack.webhook('http://127.0.0.1:9999/');
  named = { tenantId: stack.tenantId, webhookId, optionsVersion: 5 };
  const secret = { clientId: 'hooks', clientSecret: 'secret', clientAuth: 'BASIC' } as const;
  client = { ...secret, tokenUrl: server.url, scope: null, audience: null, mark: 'one' };
  return () => server.close();
});

const daemon = () => new AccessTokens(stack.services.db.pool, stack.services.vault, sender);
const set = (values: string) =>
  stack.rows(`update hookwright.endpoint_tokens set ${values} where webhook_id = ${named.webhookId}`);
const LONG_MS = 10_000;
const textOf = (found: object) => ('text' in found ? found.text : found);
const newest = () => server.valid.at(-1);
/** The token as it is after a while. */
const aged = (token: object): AccessToken => ({ ...(token as AccessToken), gotAtMs: performance.now() - 10_000 });

test('one of many daemons asks, whoever needs the token first, and all have it', async () => {
  const daemons = Array.from({ length: 4 }, daemon);
  const found = await Promise.all([...daemons, ...daemons].map((one) => one.of(named, client)));
  expect(server.received).toHaveLength(1);
  expect(new Set(found.map(textOf))).toEqual(new Set([newest()]));
});

test('a token is looked for in the memory first, and then in the row', async () => {
  const one = daemon();
  await one.of(named, client);
  const queries = vi.spyOn(stack.services.db.pool, 'query');
  expect(textOf(await one.of(named, client))).toBe(newest());
  expect(queries).not.toHaveBeenCalled();
  queries.mockRestore();
  expect(textOf(await daemon().of(named, client))).toBe(newest());
  expect(server.received).toHaveLength(1);
});

test('who waits for a daemon that has died asks when its time is over', async () => {
  await stack.rows(`
    insert into hookwright.endpoint_tokens (webhook_id, tenant_id, options_version, fetching_until)
    values (${named.webhookId}, ${named.tenantId}, ${named.optionsVersion}, now() + interval '0.7 seconds')`);
  const beganAt = performance.now();
  const found = await Promise.all([daemon().of(named, client), daemon().of(named, client)]);
  expect(performance.now() - beganAt).toBeGreaterThan(600);
  expect(found.map(textOf)).toEqual([newest(), newest()]);
  expect(server.received).toHaveLength(1);
});

test('a daemon that stood still for so long that another one has asked takes the token of the other', async () => {
  const release = holdAnswers(server, server.give);
  const late = daemon().of(named, client);
  const answerLate = await release();
  await set(`fetching_until = now()`);
  server.answerWith(server.give);
  const inTime = textOf(await daemon().of(named, client));
  answerLate();
  expect(textOf(await late)).toBe(inTime);
  expect(server.valid[0]).toBe(inTime);
  expect(server.received).toHaveLength(2);
});

test('nobody writes a token for a client that was changed meanwhile, and the delivery is loaded again', async () => {
  const changed = { named: { ...named, optionsVersion: 6 }, client: { ...client, mark: 'other' } };
  const release = holdAnswers(server, server.give);
  const [before, beforeToo] = [daemon(), daemon()];
  const first = before.of(named, client);
  const answerFirst = await release();
  server.answerWith(server.give);
  const after = textOf(await daemon().of(changed.named, changed.client));
  answerFirst();
  expect(await first).toEqual({ putOffMs: 0 });
  expect(textOf(await daemon().of(changed.named, changed.client))).toBe(after);
  expect(await beforeToo.of(named, client)).toEqual({ putOffMs: 0 });
  const old = aged({ text: newToken(), sealed: Buffer.from('old') });
  expect(await before.renewed(named, client, old, LONG_MS)).toEqual({ putOffMs: 0 });
});

test('options with the same client share the token, whichever were first, and the row is of the latest', async () => {
  const latest = { ...named, optionsVersion: 6 };
  const one = daemon();
  const first = textOf(await one.of(named, client));
  const version = async () =>
    (
      await stack.rows<{ options_version: number }>(
        `select options_version from hookwright.endpoint_tokens where webhook_id = ${named.webhookId}`,
      )
    )[0]!.options_version;
  expect(textOf(await one.of(latest, client))).toBe(first);
  expect(await version()).toBe(6);
  expect(textOf(await one.of(named, client))).toBe(first);
  expect(textOf(await daemon().of(named, client))).toBe(first);
  expect(await version()).toBe(6);
  expect(server.received).toHaveLength(1);
});

test('a webhook that is deleted while a token is asked for is asked for no more, and leaves none', async () => {
  const release = holdAnswers(server, server.give);
  const found = daemon().of(named, client);
  const answerNow = await release();
  await deleteWebhook(stack.services.db, named.tenantId, named.webhookId, commandLine);
  answerNow();
  expect(await found).toEqual({ putOffMs: 0 });
  expect(await daemon().of(named, client)).toEqual({ putOffMs: 0 });
  await stack.rows(`delete from hookwright.endpoint_tokens where webhook_id = ${named.webhookId}`);
  expect(await daemon().of(named, client)).toEqual({ putOffMs: 0 });
  expect(server.received).toHaveLength(1);
  const ofWebhook = `select from hookwright.endpoint_tokens where webhook_id = ${named.webhookId}`;
  expect(await stack.rows(ofWebhook)).toEqual([]);
});

test('a row that is erased while a token is asked for ends the question', async () => {
  const release = holdAnswers(server, server.give);
  const found = daemon().of(named, client);
  const answerNow = await release();
  await set('sealed = null, fetching_until = null');
  answerNow();
  expect(await found).toEqual({ putOffMs: 0 });
  expect(server.received).toHaveLength(1);
});

test.each([
  ['is lost, as after a crash of Postgres', () => stack.rows('delete from hookwright.endpoint_tokens')],
  ['is damaged', () => set('sealed = set_byte(sealed, 20, 255 - get_byte(sealed, 20))')],
])('a row that %s is made again by who has no token; others go on with theirs', async (_, spoil) => {
  const [one, other] = [daemon(), daemon()];
  const first = textOf(await one.of(named, client));
  await spoil();
  expect(textOf(await one.of(named, client))).toBe(first);
  expect(textOf(await other.of(named, client))).toBe(newest());
  expect(newest()).not.toBe(first);
  expect(server.received).toHaveLength(2);
});

test('after a 401 a token is void once, for all daemons: those that come later take the new one', async () => {
  const [one, other] = [daemon(), daemon()];
  const first = aged(await one.of(named, client));
  await other.of(named, client);
  const answers = Array.from({ length: 10 }, (__, index) =>
    (index % 2 ? one : other).renewed(named, client, first, LONG_MS),
  );
  const renewed = await Promise.all(answers);
  expect(new Set(renewed.map((token) => textOf(token!)))).toEqual(new Set([newest()]));
  expect(textOf((await one.renewed(named, client, first, LONG_MS))!)).toBe(newest());
  expect(textOf((await daemon().renewed(named, client, first, LONG_MS))!)).toBe(newest());
  expect(server.received).toHaveLength(2);
});

test('after a 401 to a token of a moment ago another one is taken if there is one, and none is asked for', async () => {
  const one = daemon();
  const first = (await one.of(named, client)) as AccessToken;
  expect(await one.renewed(named, client, first, LONG_MS)).toBeNull();
  await stack.rows('delete from hookwright.endpoint_tokens');
  await daemon().of(named, client);
  expect(textOf((await one.renewed(named, client, first, LONG_MS))!)).toBe(newest());
  expect(server.received).toHaveLength(2);
});

test('after a 401 to a token of a moment ago the next one is waited for where somebody asks for it', async () => {
  const one = daemon();
  const first = (await one.of(named, client)) as AccessToken;
  await set(`expires_at = now() + interval '30 seconds', got_at = now() - interval '1 hour'`);
  const release = holdAnswers(server, server.give);
  const other = daemon().of(named, client);
  const answerNow = await release();
  const renewed = one.renewed(named, client, first, LONG_MS);
  await Promise.race([renewed, delay(200)]);
  answerNow();
  expect(textOf((await renewed)!)).toBe(textOf(await other));
  expect(server.received).toHaveLength(2);
});

test('a token that ends soon is used to its last second where no new one comes', async () => {
  await daemon().of(named, client);
  const [first] = server.valid;
  await set(`expires_at = now() + interval '30 seconds', got_at = now() - interval '1 hour'`);
  server.answerWith(answer(503));
  const one = daemon();
  expect(textOf(await one.of(named, client))).toBe(first);
  expect(textOf(await one.of(named, client))).toBe(first);
  expect(server.received).toHaveLength(2);
  await set(`expires_at = now() + interval '1 second'`);
  expect(await daemon().of(named, client)).toEqual({ failure: 'HTTP_503' });
});

test('a row from before Postgres’s clock was set back keeps nobody waiting', async () => {
  await daemon().of(named, client);
  await set(`fetching_until = now() + interval '1 hour', failed_at = now() + interval '1 hour',
    got_at = now() + interval '1 hour', expires_at = now() + interval '2 hours'`);
  expect(textOf(await daemon().of(named, client))).toBe(newest());
  expect(server.received).toHaveLength(2);
  await set(`fetching_until = now() + interval '1 hour'`);
  const one = daemon();
  const used = aged(await one.of(named, client));
  expect(textOf((await one.renewed(named, client, used, LONG_MS))!)).toBe(newest());
  expect(server.received).toHaveLength(3);
});

test('a fault of our own is not the token server’s: the row is free again, and has no failure', async () => {
  const away = Object.assign(new Error('It cannot be reached.'), { code: 'EGRESS_PROXY_AWAY' });
  const { db, vault } = stack.services;
  const cutOff = new AccessTokens(db.pool, vault, { ask: () => Promise.reject(away) });
  await expect(cutOff.of(named, client)).rejects.toBe(away);
  const [row] = await stack.rows(
    `select fetching_until, failed_at from hookwright.endpoint_tokens where webhook_id = ${named.webhookId}`,
  );
  expect(row).toEqual({ fetching_until: null, failed_at: null });
  expect(textOf(await daemon().of(named, client))).toBe(newest());
});

test('a token whose life is shorter than its way is used for what waited for it', async () => {
  const short = newToken();
  server.answerWith(json(200, { access_token: short, token_type: 'bearer', expires_in: 0 }));
  const one = daemon();
  expect((await Promise.all([one.of(named, client), one.of(named, client)])).map(textOf)).toEqual([short, short]);
  expect(server.received).toHaveLength(1);
  await eventually(async () => {
    await one.of(named, client);
    return server.received.length === 2;
  });
});
