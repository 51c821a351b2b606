import { describe, expect, test } from 'vitest';
import type { Scope } from '../../src/domain/keys/scopes.js';
import { makeKey } from '../support/factories.js';
import { codesOf, openGraphql } from '../support/graphql-api.js';

const { api, tenant, ask, read } = await openGraphql();

const rowsOf = async (table: 'events' | 'webhooks'): Promise<number> => {
  const { rows } = await api.owner.query(
    `select count(*)::integer as rows from hookwright.${table} where tenant_id = $1`,
    [tenant.id],
  );
  return rows[0].rows;
};
const keyWith = async (...scopes: Scope[]) => api.by(await makeKey(api.services, tenant.id, scopes));
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
    const { status, data, errors } = await (await keyWith(scope)).ask(mutation);
    expect({ status, data }).toEqual({ status: 200, data: undefined });
    expect(errors).toHaveLength(1);
    const [{ extensions, message, locations }] = errors;
    expect(extensions).toEqual({ code: 'FORBIDDEN', reason: 'scope_missing' });
    for (const name of named) {
      expect(message).toContain(name);
    }
    expect(locations).toHaveLength(1);
    expect([await rowsOf('webhooks'), await rowsOf('events')]).toEqual(before);
  });

  test('is judged for each key, although the same document came before', async () => {
    const mutation = `mutation { emitEvent(input: {${coupon}}) { event { deliveries { edges { cursor } } } } }`;
    const may = await keyWith('events:emit', 'deliveries:read');
    const mayNot = await keyWith('events:emit');
    expect(codesOf(await may.ask(mutation))).toEqual([]);
    expect(codesOf(await mayNot.ask(mutation))).toEqual(['FORBIDDEN']);
    expect(codesOf(await may.ask(mutation))).toEqual([]);
  });

  test('only the operation that runs counts, and in it only what is not skipped', async () => {
    const key = await makeKey(api.services, tenant.id, ['events:emit']);
    const { ask } = api.by(key);
    const query = `mutation A { emitEvent(input: {${coupon}}) { duplicate } }
                   mutation B { createWebhook(${webhook}) { secret } }`;
    expect((await api.send({ query, operationName: 'A' }, key)).errors).toEqual([]);
    const optional = `mutation ($with: Boolean = false) { emitEvent(input: {${coupon}}) {
      event { id deliveries @include(if: $with) { edges { cursor } } ... @skip(if: true) { deliveries { edges { cursor } } } } } }`;
    expect((await ask(optional)).errors).toEqual([]);
    expect((await ask(optional, { with: false })).errors).toEqual([]);
    expect(codesOf(await ask(optional, { with: true }))).toEqual(['FORBIDDEN']);
    const before = await rowsOf('events');
    for (const wrong of ['x', null]) {
      const { status, data } = await ask(optional, { with: wrong });
      expect({ status, data }).toEqual({ status: 400, data: undefined });
    }
    expect(await rowsOf('events')).toBe(before);
  });

  test('a query still answers with what its key may read', async () => {
    const { data } = await ask(`mutation { emitEvent(input: {${coupon}}) { event { id } } }`);
    const { id } = data.emitEvent.event;
    const answer = await (await keyWith('events:read')).ask(
      `{ event(id: "${id}") { id deliveries { edges { cursor } } } }`,
    );
    expect(answer.data.event).toEqual({ id, deliveries: null });
    expect(codesOf(answer)).toEqual(['FORBIDDEN']);
    expect(await read(`{ event(id: "${id}") { id } }`)).toEqual({ event: { id } });
  });
});
