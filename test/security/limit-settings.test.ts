import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/settings/config.js';
import { limitSettings } from '../../src/settings/limit-settings.js';
import { settingsIn } from '../../src/settings/setting.js';
import { emitSeveral } from '../support/limited-api.js';
import { expectProblem, RestApi } from '../support/rest-api.js';

const json = { 'content-type': 'application/json' };

describe('the settings of limits', () => {
  test.each(settingsIn(limitSettings))('$name takes both ends of its range and nothing beyond', ({ name, allowed }) => {
    const [low, high] = allowed.split(' to ').map(Number) as [number, number];
    for (const value of [low, high]) {
      expect(() => readConfig({ [name]: String(value) })).not.toThrow();
    }
    for (const value of [low - 1, high + 1, 'x', '1e3', '1.5']) {
      expect(() => readConfig({ [name]: String(value) })).toThrow(`${name} is`);
    }
  });

  test('their defaults are known', () => {
    expect(readConfig({}).limits).toMatchObject({
      restBodyBytesMax: 65_536,
      eventsPerRequestMax: 100,
      requestTimeoutMs: 30_000,
      graphql: { bodyBytesMax: 4_194_304, depthMax: 12, aliasesMax: 15, tokensMax: 2000 },
    });
  });
});

describe('a setting moves its limit', () => {
  test('REST_BODY_BYTES_MAX', async () => {
    await using api = await RestApi.open({ REST_BODY_BYTES_MAX: '1024' });
    const body = JSON.stringify({ url: 'https://example.com/', events: ['*'] });
    const post = (payload: string) => api.ask('POST /webhooks', { headers: json, payload });
    expect((await post(body.padEnd(1024))).status).toBe(201);
    expectProblem(await post(body.padEnd(1025)), 'payload_too_large');
  });

  test('GRAPHQL_BODY_BYTES_MAX', async () => {
    await using api = await RestApi.open({ GRAPHQL_BODY_BYTES_MAX: '65536' });
    const body = JSON.stringify({ query: '{ __typename }' });
    const post = (payload: string) => api.ask('POST //graphql', { headers: json, payload });
    expect((await post(body.padEnd(65_536))).status).toBe(200);
    const { status, body: refusal } = await post(body.padEnd(65_537));
    expect(status).toBe(413);
    expect(refusal.errors[0].extensions.code).toBe('PAYLOAD_TOO_LARGE');
  });

  test('PAYLOAD_DEPTH_MAX and EVENTS_PER_REQUEST_MAX', async () => {
    await using api = await RestApi.open({ PAYLOAD_DEPTH_MAX: '1', EVENTS_PER_REQUEST_MAX: '2' });
    const emit = async (payloads: object[]) => {
      const query = emitSeveral.replace('code', 'detail');
      const events = payloads.map((payload) => ({ event: 'coupon.applied', payload }));
      return (await api.ask('POST //graphql', { json: { query, variables: { input: { events } } } })).body;
    };
    const flat = { code: 'A', discount_type: 'B' };
    const { data } = await emit([flat, { ...flat, code: [] }]);
    expect(data.emitEvents.results).toEqual([
      { error: null },
      { error: { detail: 'input.events.1.payload: must not be nested deeper than 1 levels' } },
    ]);
    const { errors } = await emit([flat, flat, flat]);
    expect(errors[0].extensions.errors).toEqual([
      { path: ['input', 'events'], code: 'too_big', detail: 'must have at most 2 events' },
    ]);
  });
});
