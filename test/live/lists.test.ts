import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.js';
import { makeKey } from '../support/factories.js';
import { gid } from '../support/ids.js';
import { deliveries, LiveApi, type LiveStream, webhooks } from '../support/live-api.js';

const WITHIN_MS = 20_000;
const RECEIVER = 'https://receiver.example.com/';

const api = await LiveApi.open({ STREAMS_PER_KEY_MAX: '1', MANAGEMENT_RATE_MAX: '1', MANAGEMENT_BURST_MAX: '1000' });
await api.addServer();
afterAll(() => api[Symbol.asyncDispose]());

const touch = (id: number) => api.stack.rows(`update hookwright.webhooks set url = url where id = ${id}`);
const ofPlace = (stream: LiveStream, place: number) =>
  stream.events
    .filter(({ event, data }) => event === 'next' && data.id === String(place))
    .map(({ data }) => data.payload);
const told = (stream: LiveStream, place: number) =>
  ofPlace(stream, place).flatMap(({ data }) => data?.webhookUpdated?.webhookId ?? []);
/** The key may have one stream: the next one waits for the end of this one. */
const next = async (body: object, options: object = {}) => {
  api.cutStreams();
  let stream: LiveStream | undefined;
  await eventually(async () => {
    stream = await api.send(body, options);
    return stream.status !== 429;
  }, WITHIN_MS);
  return stream!.begun();
};

describe('a list of subscriptions', () => {
  test('is one stream, whose events say to which they belong, and goes on in another process', async () => {
    const [one, two] = [await api.stack.webhook(RECEIVER), await api.stack.webhook(RECEIVER)];
    const list = [
      { query: webhooks, variables: { id: gid.webhook(one.id) } },
      { query: deliveries },
      { query: webhooks, variables: { id: gid.webhook(two.id) } },
    ];
    const stream = await next(list);
    await touch(one.id);
    await touch(two.id);
    await api.stack.emit();
    await eventually(() => [0, 1, 2].every((place) => ofPlace(stream, place).length > 0), WITHIN_MS);
    expect([told(stream, 0), told(stream, 2)].map((ids) => [...new Set(ids)])).toEqual([
      [gid.webhook(one.id)],
      [gid.webhook(two.id)],
    ]);
    expect((await api.send(list)).status).toBe(429);

    api.cutStreams();
    await touch(two.id);
    const later = await next(list, { at: 1, headers: { 'last-event-id': stream.lastId } });
    await eventually(() => told(later, 2).length > 0, WITHIN_MS);
    expect(
      [0, 1, 2]
        .flatMap((place) => ofPlace(later, place))
        .every((payload) => !JSON.stringify(payload).includes('"resync":true')),
    ).toBe(true);
  });

  test('goes on without one that is refused, and ends when all are', async () => {
    const { id } = await api.stack.webhook(RECEIVER);
    const missing = { query: webhooks, variables: { id: 'wh_999999' } };
    const broken = { query: 'subscription { nothing }' };
    const stream = await next([missing, { query: webhooks }, broken]);
    await touch(id);
    await eventually(() => told(stream, 1).length > 0, WITHIN_MS);
    const code = (place: number) => ofPlace(stream, place)[0].errors[0].extensions.code;
    expect([code(0), code(2)]).toEqual(['NOT_FOUND', 'GRAPHQL_VALIDATION_FAILED']);
    const over = stream.events.filter(({ event }) => event === 'complete').map(({ data }) => data.id);
    expect(over.sort()).toEqual(['0', '2']);
    expect(stream.hasEnded).toBe(false);

    const nothing = await next([missing, broken]);
    await eventually(() => nothing.hasEnded, WITHIN_MS);
  });

  test('is refused as a whole for what concerns all of it', async () => {
    const list = (length: number) => Array.from({ length }, () => ({ query: webhooks }));
    const refused = async (body: object, options?: object) => {
      const stream = await api.send(body, options);
      return [stream.status, (await stream.body()).errors[0]?.extensions['code']];
    };
    api.cutStreams();
    expect(await refused(list(2), { key: null })).toEqual([401, 'UNAUTHENTICATED']);
    await next(list(32));
    api.cutStreams();
    await eventually(async () => (await refused(list(33)))[0] === 400, WITHIN_MS);
  });

  test('counts each of them as an operation of its key', async () => {
    const key = (await makeKey(api.stack.services, api.stack.tenantId, ['webhooks:read'])).key;
    const stream = await next([{ query: webhooks }, { query: webhooks }, { query: webhooks }], { key });
    const [, left] = /r=(\d+);/.exec(String(stream.response.headers['ratelimit'])) ?? [];
    expect(Number(left)).toBe(997);
  });

  test('ends with its key: each of them is told', async () => {
    const { key } = await makeKey(api.stack.services, api.stack.tenantId, ['webhooks:read']);
    const stream = await next([{ query: webhooks }, { query: webhooks }], { key });
    await api.stack.rows(`update hookwright.api_keys set revoked_at = now() where scopes = '{webhooks:read}'`);
    await eventually(() => stream.hasEnded, WITHIN_MS);
    expect([0, 1].map((place) => ofPlace(stream, place).at(-1).errors[0].extensions.code)).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ]);
  });
});
