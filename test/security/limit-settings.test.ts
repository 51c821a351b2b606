import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/platform/settings/config.js';
import { limitSettings } from '../../src/platform/settings/limit-settings.js';
import { settingsIn } from '../../src/platform/settings/setting.js';
import { emitSeveral } from '../support/limited-api.js';
import { RestApi } from '../support/rest-api.js';

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
  test.each([
    [
      'REST_BODY_BYTES_MAX',
      1024,
      'POST /webhooks',
      { url: 'https://example.com/', events: ['*'] },
      'payload_too_large',
    ],
    ['GRAPHQL_BODY_BYTES_MAX', 65_536, 'POST //graphql', { query: '{ __typename }' }, 'PAYLOAD_TOO_LARGE'],
  ])('%s', async (name, bytes, line, good, code) => {
    await using api = await RestApi.open({ [name]: String(bytes) });
    const headers = { 'content-type': 'application/json' };
    const post = (length: number) => api.ask(line, { headers, payload: JSON.stringify(good).padEnd(length) });
    expect((await post(bytes)).status).toBeLessThan(300);
    const { status, text } = await post(bytes + 1);
    expect({ status, text }).toEqual({ status: 413, text: expect.stringContaining(`"code":"${code}"`) });
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
