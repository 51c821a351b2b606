import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { couponPayload, emitMany, makeTenant, makeWebhook } from '../support/factories.js';
import { GraphqlApi, nodesOf } from '../support/graphql-api.js';
import { gid } from '../support/ids.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
const { ask, read } = api.by(tenant);
await makeWebhook(api.services, tenant.id);
const ids = await emitMany(api.services, tenant.id, 3);
afterAll(() => api.close());
afterEach(() => vi.restoreAllMocks());

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const bring = (id: number, body: string) =>
  api.owner.query('update hookwright.events set body = $2 where id = $1', [id, body]);
const watchErrorsCounted = () => vi.spyOn(api.services.metrics.graphqlErrors, 'count');

test('an event that is nested deeper than the API would take has no payload, but a body; the rest of the page is there', async () => {
  const [first, deep, edge] = ids as [number, number, number];
  await bring(deep, nested(6_000));
  await bring(edge, nested(500));
  const counted = watchErrorsCounted();
  const { status, data, errors } = await ask('{ events { edges { node { id payload } } } }');
  expect(status).toBe(200);
  expect(errors).toEqual([
    {
      message:
        'The payload is nested deeper than 500 levels, so the API does not show it as an object; `body` has its exact text.',
      extensions: { code: 'PAYLOAD_TOO_DEEP', reason: 'payload_too_deep' },
      locations: expect.anything(),
      path: ['events', 'edges', 1, 'node', 'payload'],
    },
  ]);
  expect(nodesOf(data.events)).toEqual([
    { id: gid.event(edge), payload: JSON.parse(nested(500)) },
    { id: gid.event(deep), payload: null },
    { id: gid.event(first), payload: couponPayload },
  ]);
  expect(counted.mock.calls).toEqual([['PAYLOAD_TOO_DEEP']]);
  expect((await read(`{ event(id: "${deep}") { body } }`)).event.body).toBe(nested(6_000));
  await bring(edge, nested(501));
  const beyond = await ask(`{ event(id: "${edge}") { id payload } }`);
  expect(beyond.data.event).toEqual({ id: gid.event(edge), payload: null });
});

test('an answer that cannot be written at all is an error of ours, counted and logged like any other', async () => {
  const counted = watchErrorsCounted();
  const logged = vi.spyOn(api.services.log, 'error');
  const stringify = JSON.stringify;
  vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    if ((value as { data?: object } | null)?.data !== undefined) {
      throw new RangeError('Invalid string length');
    }
    return stringify(value);
  });
  const { status, data, errors } = await ask('{ viewer { scopes } }');
  vi.mocked(JSON.stringify).mockRestore();
  expect({ status, data }).toEqual({ status: 500, data: undefined });
  expect(errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
  expect(counted.mock.calls).toEqual([['INTERNAL_SERVER_ERROR']]);
  expect(logged).toHaveBeenCalledOnce();
});
