import { afterAll, describe, expect, test } from 'vitest';
import type { Scope } from '../../src/domain/keys/scopes.js';
import { makeKey, makeTenant } from '../support/factories.js';
import { codesOf, GraphqlApi } from '../support/graphql-api.js';

const api = await GraphqlApi.open();
const tenant = await makeTenant(api.services);
afterAll(() => api.close());

const rowsOf = async (table: 'events' | 'webhooks'): Promise<number> => {
  const { rows } = await api.owner.query(
    `select count(*)::integer as rows from hookwright.${table} where tenant_id = $1`,
    [tenant.id],
  );
  return rows[0].rows;
};
const keyWith = (...scopes: Scope[]) => makeKey(api.services, tenant.id, scopes);
const webhook = 'input: {url: "https://a.example.com/", eventTypes: ["*"]}';
const coupon = 'event: "coupon.applied", payload: {code: "C", discount_type: "D"}';

describe('a mutation that selects what its key may not read', () => {
  test.each([
    [
      'createWebhook with its deliveries',
      'webhooks:write',
      `mutation { createWebhook(${webhook}) { secret webhook { id deliveries { edges { node { id } } } } } }`,
      ['Webhook.deliveries', 'deliveries:read'],
    ],
    [
      'emitEvent with its deliveries',
      'events:emit',
      `mutation { emitEvent(input: {${coupon}}) { event { id deliveries { edges { cursor } } } } }`,
      ['Event.deliveries', 'deliveries:read'],
    ],
    [
      'a second field without its scope',
      'events:emit',
      `mutation { emitEvent(input: {${coupon}}) { duplicate } createWebhook(${webhook}) { secret } }`,
      ['Mutation.createWebhook', 'webhooks:write'],
    ],
    [
      'the selection in a fragment within a fragment',
      'events:emit',
      `fragment Inner on Event { ... on Event { deliveries { edges { cursor } } } }
       mutation { emitEvent(input: {${coupon}}) { ...Outer } }
       fragment Outer on EmitEventPayload { event { id ...Inner } }`,
      ['Event.deliveries', 'deliveries:read'],
    ],
  ] as [string, Scope, string, string[]][])('%s: nothing happens', async (_name, scope, mutation, named) => {
    const before = [await rowsOf('webhooks'), await rowsOf('events')];
    const { status, data, errors } = await api.ask(mutation, {}, await keyWith(scope));
    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
    expect(errors[0].extensions).toEqual({ code: 'FORBIDDEN', reason: 'scope_missing' });
    for (const name of named) {
      expect(errors[0].message).toContain(name);
    }
    expect(errors[0].locations).toHaveLength(1);
    expect(status).toBe(200);
    expect([await rowsOf('webhooks'), await rowsOf('events')]).toEqual(before);
  });

  test('is judged for each key, although the same document came before', async () => {
    const mutation = `mutation { emitEvent(input: {${coupon}}) { event { deliveries { edges { cursor } } } } }`;
    const may = await keyWith('events:emit', 'deliveries:read');
    const mayNot = await keyWith('events:emit');
    for (const [key, codes] of [
      [may, []],
      [mayNot, ['FORBIDDEN']],
      [may, []],
    ] as const) {
      expect(codesOf(await api.ask(mutation, {}, key))).toEqual(codes);
    }
  });

  test('only the operation that runs counts, and in it only what is not skipped', async () => {
    const asking = await keyWith('events:emit');
    const query = `mutation A { emitEvent(input: {${coupon}}) { duplicate } }
                   mutation B { createWebhook(${webhook}) { secret } }`;
    expect((await api.send({ query, operationName: 'A' }, asking)).errors).toEqual([]);
    const optional = `mutation ($with: Boolean = false) { emitEvent(input: {${coupon}}) {
      event { id deliveries @include(if: $with) { edges { cursor } } ... @skip(if: true) { deliveries { edges { cursor } } } } } }`;
    expect((await api.ask(optional, {}, asking)).errors).toEqual([]);
    expect((await api.ask(optional, { with: false }, asking)).errors).toEqual([]);
    expect(codesOf(await api.ask(optional, { with: true }, asking))).toEqual(['FORBIDDEN']);
    for (const wrong of ['x', null]) {
      const before = await rowsOf('events');
      const answer = await api.ask(optional, { with: wrong }, asking);
      expect({ status: answer.status, data: answer.data }).toEqual({ status: 400, data: undefined });
      expect(await rowsOf('events')).toBe(before);
    }
  });

  test('a query still answers with what its key may read', async () => {
    const event = `mutation { emitEvent(input: {${coupon}}) { event { id } } }`;
    const { data } = await api.ask(event, {}, tenant);
    const { id } = data.emitEvent.event;
    const answer = await api.ask(
      `{ event(id: "${id}") { id deliveries { edges { cursor } } } }`,
      {},
      await keyWith('events:read'),
    );
    expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    expect(await api.ask(`{ event(id: "${id}") { id } }`, {}, tenant)).toMatchObject({ data: { event: { id } } });
  });
});
