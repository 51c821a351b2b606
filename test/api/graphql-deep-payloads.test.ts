import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
await makeWebhook(api.services, tenant.id);
const ids = await emitMany(api.services, tenant.id, 3);
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const bring = (id: number, body: string) =>
  api.owner.query('update hookwright.events set body = $2 where id = $1', [id, body]);
const watchErrorsCounted = () => vi.spyOn(api.services.metrics.graphqlErrors, 'count');

describe('an event whose payload is nested deeper than the API would ever take', () => {
  const tooDeep = {
    message:
      'The payload is nested deeper than 500 levels, so the API does not show it as an object; `body` has its exact text.',
    extensions: { code: 'PAYLOAD_TOO_DEEP', reason: 'payload_too_deep' },
  };

  test('has no payload, but a body; the rest of the page is there', async () => {
    const [first, deep, edge] = ids as [number, number, number];
    await bring(deep, nested(6_000));
    await bring(edge, nested(500));
    const counted = watchErrorsCounted();
    const { status, data, errors } = await api.ask('{ events { edges { node { id payload } } } }', {}, tenant);
    expect(status).toBe(200);
    expect(errors).toEqual([
      { ...tooDeep, locations: expect.anything(), path: ['events', 'edges', 1, 'node', 'payload'] },
    ]);
    expect(data.events.edges).toEqual([
      { node: { id: gid.event(edge), payload: JSON.parse(nested(500)) } },
      { node: { id: gid.event(deep), payload: null } },
      { node: { id: gid.event(first), payload: { code: 'SUMMER', discount_type: 'percent' } } },
    ]);
    expect(counted.mock.calls).toEqual([['PAYLOAD_TOO_DEEP']]);
    const one = await api.ask(`{ event(id: "${deep}") { body } }`, {}, tenant);
    expect(one.data.event.body).toBe(nested(6_000));
    await bring(edge, nested(501));
    const beyond = await api.ask(`{ event(id: "${edge}") { id payload } }`, {}, tenant);
    expect(beyond.data.event).toEqual({ id: gid.event(edge), payload: null });
  });
});

describe('an answer that cannot be written at all', () => {
  test('is an error of ours, which is counted and logged like any other', async () => {
    const counted = watchErrorsCounted();
    const logged = vi.spyOn(api.services.log, 'error');
    const stringify = JSON.stringify;
    vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
      if ((value as { data?: object } | null)?.data !== undefined) {
        throw new RangeError('Invalid string length');
      }
      return stringify(value);
    });
    const { status, data, errors } = await api.ask('{ viewer { scopes } }', {}, tenant);
    vi.mocked(JSON.stringify).mockRestore();
    expect({ status, data }).toEqual({ status: 500, data: undefined });
    expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
    expect(counted.mock.calls).toEqual([['INTERNAL_SERVER_ERROR']]);
    expect(logged).toHaveBeenCalledOnce();
  });
});
